-- SPDX-License-Identifier: MIT
-- A queue and the jobs that are claimed from it.

local core = require "echomq._echomq"
local errors = require "echomq.errors"
local bulk = require "echomq.bulk"
core.emq_face()

local ENQUEUE_OPTIONS = {id = true}
local CLAIM_OPTIONS = {lease = true}

-- One queue, by name. It holds no connection of its own: calls go through its client.
--
-- Arguments are checked before anything is sent, and misuse raises. Each call can also return nil
-- and an error of the connection, the fence or the server's states.
local Queue = {__name = "echomq.Queue"}
Queue.__index = Queue

-- A claimed job: its queue, id, payload, and the fencing token of this claim.
local Job = {__name = "echomq.Job"}
Job.__index = Job

function Queue.new(client, name)
  return setmetatable({client = client, name = name}, Queue)
end

---- admission

--- Puts a job into the queue and returns its id.
--
-- Without options the client mints the id. options.id is one of the caller's (echomq.ids), of the
-- namespace JOB: the call then returns false and "duplicate" when the queue has a job of that id
-- already, and nothing was changed. After a lost reply that job may be this very one.
function Queue:enqueue(payload, options)
  errors.check_self(self, Queue, "enqueue")
  local id = errors.check_options(options, ENQUEUE_OPTIONS).id
  local handle = self.client._handle
  if id == nil then
    return core.emq_enqueue(handle, self.name, payload)
  end
  local outcome, err = core.emq_enqueue_as(handle, self.name, id, payload)
  if not outcome then
    return nil, err
  end
  if outcome == core.EMQ_OUTCOME_DUPLICATE then
    return false, core.emq_outcome_name(outcome)
  end
  return id
end

--- Puts many jobs into the queue, in order, and returns a list of verdicts: {id, outcome, error},
-- with the outcome "enqueued" or the error that the server gave.
--
-- payloads is a list, or what a generic `for` takes: enqueue_many(io.lines("orders")). They go in
-- flushes of at most 1,000 payloads and about 4 MiB. Of a list all are checked before anything is
-- sent, else those of each flush; a refusal names the item's place, counted from 1. An error that
-- ends the call midway has what is known of the items so far in err.verdicts.
function Queue:enqueue_many(payloads, state, control)
  errors.check_self(self, Queue, "enqueue_many")
  return bulk.enqueue_many(self.client._handle, self.name, payloads, state, control)
end

---- claim and settle

--- Claims the oldest job that waits, for options.lease seconds (30) of the server's clock: a
-- millisecond to 365 days. Returns nil alone when none waits or the queue is paused.
function Queue:claim(options)
  errors.check_self(self, Queue, "claim")
  local lease = errors.check_options(options, CLAIM_OPTIONS).lease
  local lease_ms = errors.check_seconds(lease, "lease", 30, core.emq_lease_max_ms())
  local id, payload, token = core.emq_claim(self.client._handle, self.name, lease_ms)
  if not id then
    return nil, payload -- which is the error, if there is one
  end
  return setmetatable({queue = self, id = id, payload = payload, token = token}, Job)
end

--- Completes a job by the token of its claim: "done", or "gone" when it has no row any more.
-- result is kept for the job's parent, if it has one; nil: the job's own id.
-- An error "stale" leaves the job as it was: the token is not its latest claim's.
function Queue:complete(id, token, result)
  errors.check_self(self, Queue, "complete")
  local outcome, err = core.emq_complete(self.client._handle, self.name, id, token, result)
  if not outcome then
    return nil, err
  end
  return core.emq_outcome_name(outcome)
end

---- reads

--- The queue's numbers by name: pending, active, schedule, dead (jobs there now), completed,
-- failed (totals). All six, or those named.
function Queue:counts(...)
  errors.check_self(self, Queue, "counts")
  local wanted = 0
  for index = 1, select("#", ...) do
    wanted = wanted | 1 << core.emq_count_parse((select(index, ...)))
  end
  if wanted == 0 then
    wanted = core.EMQ_COUNTS_ALL
  end
  local numbers, err = core.emq_count_queue(self.client._handle, self.name, wanted)
  if not numbers then
    return nil, err
  end
  local counts = {}
  for index, number in ipairs(numbers) do
    if number >= 0 then
      counts[core.emq_count_name(index - 1)] = number
    end
  end
  return counts
end

--- Where a job is: "pending", "active", "scheduled", "dead", "awaiting_children", "unknown" (a row
-- that no set holds) or "absent".
function Queue:state(id)
  errors.check_self(self, Queue, "state")
  local state, err = core.emq_state_lookup(self.client._handle, self.name, id)
  if not state then
    return nil, err
  end
  return core.emq_state_name(state)
end

--- A job's row as it is in the store: {state, attempts, payload, fields}, where fields has all of
-- it by name and attempts is nil if the field is no number. Returns nil alone when there is none.
function Queue:job(id)
  errors.check_self(self, Queue, "job")
  local fields, err = core.emq_row_read(self.client._handle, self.name, id)
  if not fields then
    return nil, err
  end
  local attempts = fields.attempts
  return {
    state = fields.state,
    attempts = attempts and attempts:find("^%d+$") and math.tointeger(tonumber(attempts)) or nil,
    payload = fields.payload,
    fields = fields,
  }
end

function Queue:__tostring()
  return ("%s: %s"):format(Queue.__name, self.name)
end

--- Completes the job: see Queue:complete.
function Job:complete(result)
  errors.check_self(self, Job, "complete")
  return self.queue:complete(self.id, self.token, result)
end

function Job:__tostring()
  return ("%s: %s, token %d"):format(Job.__name, self.id, self.token)
end

return Queue
