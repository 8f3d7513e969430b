-- SPDX-License-Identifier: MIT
-- A queue: what producers and workers do with it. What operators do is in operator.lua.

local core = require "echomq._echomq"
local errors = require "echomq.errors"
local bulk = require "echomq.bulk"
local settle = require "echomq.settle"
local Job = require "echomq.job"
core.emq_face()

local ENQUEUE_OPTIONS = {id = true, delay = true, at = true}
local LEASE_OPTIONS = {lease = true}
local RETRY_OPTIONS = {delay = true, max_attempts = true}
local DELAY_OPTIONS = {at = true}
local PROMOTE_OPTIONS = {limit = true}
local SWEEP_OPTIONS = {max_stalled = true, limit = true}

-- One queue, by name. It holds no connection of its own: calls go through its client.
--
-- Arguments are checked before anything is sent, and misuse raises. Each call can also return nil
-- and an error of the connection, the fence or the server's states.
local Queue = {__name = "echomq.Queue"}
Queue.__index = Queue

function Queue.new(client, name)
  return setmetatable({client = client, name = name}, Queue)
end

-- The name of an outcome; or nil and the error, where that came instead.
local function outcome_of(outcome, err)
  if not outcome then
    return nil, err
  end
  return core.emq_outcome_name(outcome)
end

local function lease_ms(options)
  local lease = errors.check_options(options, LEASE_OPTIONS).lease
  return errors.check_seconds(lease, "lease", 30, 1, core.emq_lease_max_ms())
end

---- admission

--- Puts a job into the queue and returns its id. Options, each of which may be left out:
--
--   delay  seconds until it can be claimed, up to 365 days, by the server's clock
--   at     instead of delay: the unix time from which it can be claimed, such as os.time() + 60
--   id     one of the caller's (echomq.ids), of the namespace JOB; else the client mints one
--
-- Of an id of the caller's the call returns false and "duplicate" when the queue has a job of that
-- id already: nothing was changed. After a lost reply that job may be this very one.
function Queue:enqueue(payload, options)
  errors.check_self(self, Queue, "enqueue")
  options = errors.check_options(options, ENQUEUE_OPTIONS)
  local id, when, ms = options.id, errors.check_when(options.delay, options.at)
  local handle, name = self.client._handle, self.name
  if id == nil and when then
    return core.emq_schedule(handle, name, payload, when, ms)
  elseif id == nil then
    return core.emq_enqueue(handle, name, payload)
  end
  local outcome, err
  if when then
    outcome, err = core.emq_schedule_as(handle, name, id, payload, when, ms)
  else
    outcome, err = core.emq_enqueue_as(handle, name, id, payload)
  end
  if not outcome then
    return nil, err
  elseif outcome == core.EMQ_OUTCOME_DUPLICATE then
    return false, core.emq_outcome_name(outcome)
  end
  return id
end

--- Puts many jobs into the queue, in order, and returns a list of verdicts: {id, outcome, error},
-- with the outcome "enqueued" or the error that the server gave.
--
-- payloads is a list, or an iterator like that of io.lines. They go in flushes of at most 1,000
-- payloads and about 4 MiB, and after each options.progress(done, total) is called; total is nil
-- for an iterator. Of a list all are checked before anything is sent, else those of each flush; a
-- refusal names the item's place, counted from 1. An error that ends the call midway has what is
-- known of the items so far in err.verdicts. What the iterator or progress raises goes on.
function Queue:enqueue_many(payloads, options)
  errors.check_self(self, Queue, "enqueue_many")
  return bulk.enqueue_many(self.client._handle, self.name, payloads, options)
end

---- claim and settle

--- Claims the oldest job that waits, for options.lease seconds (30) of the server's clock: a
-- millisecond to 365 days. Returns nil alone when none waits or the queue is paused.
function Queue:claim(options)
  errors.check_self(self, Queue, "claim")
  local id, payload, token = core.emq_claim(self.client._handle, self.name, lease_ms(options))
  if not id then
    return nil, payload -- which is the error, if there is one
  end
  return Job.new(self, {id = id, payload = payload, token = token})
end

--- Claims up to `size` (1 to 1,000) of the oldest jobs in one step, under one lease, as claim does.
-- Returns a list, empty when none waits or the queue is paused.
function Queue:claim_many(size, options)
  errors.check_self(self, Queue, "claim_many")
  size = errors.check_count(size, "size", nil, core.emq_claim_max())
  local jobs, err = core.emq_claim_many(self.client._handle, self.name, size, lease_ms(options))
  if not jobs then
    return nil, err
  end
  for _, job in ipairs(jobs) do
    Job.new(self, job)
  end
  return jobs
end

--- Completes a job by the token of its claim: "done", or "gone" when it has no row any more.
-- result is kept for the job's parent, if it has one; nil: the job's own id.
-- An error "stale" leaves the job as it was: the token is not its latest claim's.
function Queue:complete(id, token, result)
  errors.check_self(self, Queue, "complete")
  return outcome_of(core.emq_complete(self.client._handle, self.name, id, token, result))
end

--- Completes many: a list of jobs of this queue, or of pairs {id, token}. Returns a list of
-- verdicts in the same order: {id, outcome, error}, the outcome "done" or "gone". All are checked
-- before anything is sent; an error that ends the call midway has err.verdicts.
function Queue:complete_many(jobs)
  errors.check_self(self, Queue, "complete_many")
  return settle.many(self, jobs, core.emq_complete_many)
end

--- Says that a claimed job failed, and why. It comes back after options.delay seconds (1), and the
-- call returns "scheduled"; or, when it has been claimed options.max_attempts times (20), it stays
-- among the dead, and the call returns "dead"; or "gone" when it has no row any more.
--
-- reason is kept in the row as last_error, cut to 4 KiB. An error "stale" leaves the job as it was,
-- as does "state": it waits for its time or is dead, so nobody holds it.
function Queue:retry(id, token, reason, options)
  errors.check_self(self, Queue, "retry")
  options = errors.check_options(options, RETRY_OPTIONS)
  local delay_ms = errors.check_seconds(options.delay, "delay", 1, 0, core.emq_delay_max_ms())
  local most = errors.check_count(options.max_attempts, "max_attempts", 20, core.emq_number_max())
  return outcome_of(core.emq_retry(self.client._handle, self.name, id, token, delay_ms, most,
                                   reason))
end

--- Puts a claimed job off for some seconds, or with {at = time} to a unix time, without counting a
-- failure: "done", or "gone" when it has no row any more. Errors as of retry.
function Queue:delay(id, token, seconds)
  errors.check_self(self, Queue, "delay")
  local when, ms
  if type(seconds) == "table" then
    when, ms = errors.check_when(nil, errors.check_options(seconds, DELAY_OPTIONS).at)
  else
    when, ms = errors.check_when(seconds)
  end
  if not when then
    errors.refuse("delay wants seconds, or a table with at")
  end
  return outcome_of(core.emq_delay(self.client._handle, self.name, id, token, when, ms))
end

--- Sets a claimed job's lease to options.lease seconds (30) from now: "done", or "gone" when it has
-- no row any more. An error "stale": another claim has the job, or its lease has lapsed and it was
-- taken back.
function Queue:extend(id, token, options)
  errors.check_self(self, Queue, "extend")
  return outcome_of(core.emq_extend(self.client._handle, self.name, id, token, lease_ms(options)))
end

--- Does so for many, as complete_many does. What could not be extended has the error "stale" in
-- its verdict, whether it is gone or somebody else's.
function Queue:extend_many(jobs, options)
  errors.check_self(self, Queue, "extend_many")
  return settle.many(self, jobs, core.emq_extend_many, lease_ms(options))
end

---- recovery: any client may call these at any time

--- Makes up to options.limit (1,000) jobs pending whose time has come. Returns how many.
function Queue:promote(options)
  errors.check_self(self, Queue, "promote")
  local limit = errors.check_options(options, PROMOTE_OPTIONS).limit
  limit = errors.check_count(limit, "limit", 1000, core.emq_limit_max())
  return core.emq_promote(self.client._handle, self.name, limit)
end

--- Makes up to 100 jobs pending whose lease has lapsed. Returns how many.
function Queue:reap()
  errors.check_self(self, Queue, "reap")
  return core.emq_reap(self.client._handle, self.name)
end

--- Does so for up to options.limit (1,000) jobs, counting each one's lapses: a job that has lapsed
-- options.max_stalled times (1) is dead. Returns two lists of ids: those pending, those dead.
function Queue:sweep(options)
  errors.check_self(self, Queue, "sweep")
  options = errors.check_options(options, SWEEP_OPTIONS)
  local most = errors.check_count(options.max_stalled, "max_stalled", 1, core.emq_number_max())
  local limit = errors.check_count(options.limit, "limit", 1000, core.emq_limit_max())
  return core.emq_sweep_stalled(self.client._handle, self.name, most, limit)
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

require "echomq.operator"(Queue, outcome_of)

return Queue
