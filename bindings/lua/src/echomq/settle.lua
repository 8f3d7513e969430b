-- SPDX-License-Identifier: MIT
-- complete_many and extend_many: claimed jobs by the dozen, and a verdict for each.

local core = require "echomq._echomq"
local errors = require "echomq.errors"
local Job = require "echomq.job"
core.emq_face()

local settle = {}

-- The id and token of an item: a job, or a pair of the two.
local function lease_of(item, queue, place)
  if type(item) ~= "table" then
    errors.refuse("item %d: a job or a pair {id, token} is wanted, not %s", place, type(item))
  elseif getmetatable(item) ~= Job then
    return item[1], item[2]
  elseif item.queue.name ~= queue.name then
    errors.refuse("item %d: the job is of the queue %s, not of %s", place, item.queue.name,
                  queue.name)
  end
  return item.id, item.token
end

-- Adds an item, or raises with its place, which the core counts from 0.
local function add(leases, item, queue, place)
  local id, token = lease_of(item, queue, place)
  local ok, err, failure = pcall(core.emq_leases_add, leases, id, token, nil)
  if ok then
    return failure
  elseif errors.is_error(err) then
    err.message = ("item %d: %s"):format(place, (err.message:gsub("^item %d+: ", "")))
  end
  error(err, 0)
end

local function collect(leases, ids)
  local verdicts = {}
  for place, id in ipairs(ids) do
    local outcome = core.emq_leases_outcome(leases, place - 1)
    verdicts[place] = {
      id = id,
      outcome = outcome ~= core.EMQ_OUTCOME_NONE and core.emq_outcome_name(outcome) or nil,
      error = core.emq_leases_error(leases, place - 1),
    }
  end
  return verdicts
end

--- Hands all of `jobs`, once every one was checked, to a call of the core's. Returns a list of
-- verdicts {id, outcome, error}; or nil and an error that has what is known in err.verdicts, as
-- does what is raised by a call that began.
function settle.many(queue, jobs, call, ...)
  if type(jobs) ~= "table" or getmetatable(jobs) == Job then
    errors.refuse("jobs must be a list, not %s", type(jobs) == "table" and "a job" or type(jobs))
  end
  local leases, failure = core.emq_leases_new()
  if not leases then
    return nil, failure
  end
  local ids = {}
  for place = 1, #jobs do
    failure = add(leases, jobs[place], queue, place)
    if failure then
      return nil, failure
    end
    ids[place] = lease_of(jobs[place], queue, place)
  end
  local ok, raised, err = pcall(call, queue.client._handle, queue.name, leases, ...)
  local verdicts = collect(leases, ids)
  if not ok then
    err = raised
  end
  if errors.is_error(err) then
    err.verdicts = verdicts
  end
  if not ok then
    error(err, 0)
  elseif err then
    return nil, err
  end
  return verdicts
end

return settle
