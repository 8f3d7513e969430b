-- SPDX-License-Identifier: MIT
-- enqueue_many: fills a batch of the core's, sends it when it is full, and keeps the verdicts.

local core = require "echomq._echomq"
local errors = require "echomq.errors"
core.emq_face()

-- How much goes in one flush: it bounds what is held in memory at a time.
local FLUSH_ITEMS = 1000
local FLUSH_BYTES = 4 << 20

local bulk = {}

local PAYLOAD_MAX = core.emq_payload_max()

-- Raises for a payload that may not be sent, with its place; the core says why.
local function check(payload, place)
  if type(payload) == "string" and #payload <= PAYLOAD_MAX then
    return
  end
  local ok, err = pcall(core.emq_payload_check, payload)
  if not ok then
    if errors.is_error(err) then
      err.message = ("item %d: %s"):format(place, err.message)
    end
    error(err, 0)
  end
end

-- A list's items one by one, all of which were checked first.
local function each(list)
  local count = #list
  for place = 1, count do
    check(list[place], place)
  end
  local place = 0
  return function()
    place = place + 1
    if place <= count then
      return list[place]
    end
  end
end

-- What became of the items in the batch goes to the end of `verdicts`.
local function collect(batch, verdicts)
  for index = 0, core.emq_batch_size(batch) - 1 do
    local outcome = core.emq_batch_outcome(batch, index)
    verdicts[#verdicts + 1] = {
      id = core.emq_batch_id(batch, index),
      outcome = outcome ~= core.EMQ_OUTCOME_NONE and core.emq_outcome_name(outcome) or nil,
      error = core.emq_batch_error(batch, index),
    }
  end
  core.emq_batch_clear(batch)
end

-- Sends the batch: true, or nil and the error. What is raised (a closed client, an interrupt)
-- goes on after the verdicts were taken.
local function flush(handle, name, batch, verdicts)
  if core.emq_batch_size(batch) == 0 then
    return true
  end
  local ok, failed, err = pcall(core.emq_enqueue_many, handle, name, batch)
  collect(batch, verdicts)
  if not ok then
    error(failed, 0)
  end
  return err == nil, err
end

local OPTIONS = {progress = true}

local function run(handle, name, batch, verdicts, payloads, progress)
  local total = type(payloads) == "table" and #payloads or nil
  local bytes = 0
  for payload in total and each(payloads) or payloads do
    check(payload, #verdicts + core.emq_batch_size(batch) + 1)
    local size = core.emq_batch_size(batch)
    if size == FLUSH_ITEMS or size > 0 and bytes + #payload > FLUSH_BYTES then
      local ok, err = flush(handle, name, batch, verdicts)
      if not ok then
        return nil, err
      end
      progress(#verdicts, total)
      bytes = 0
    end
    local _, err = core.emq_batch_add(batch, payload)
    if err then
      return nil, err
    end
    bytes = bytes + #payload
  end
  local rest = core.emq_batch_size(batch)
  local ok, err = flush(handle, name, batch, verdicts)
  if ok and rest > 0 then
    progress(#verdicts, total)
  end
  return ok, err
end

function bulk.enqueue_many(handle, name, payloads, options)
  if type(payloads) ~= "table" and type(payloads) ~= "function" then
    errors.refuse("payloads must be a list or an iterator, not %s", type(payloads))
  end
  -- An empty list is nothing to do; a table that is no list would be taken for one.
  if type(payloads) == "table" and #payloads == 0
      and (next(payloads) ~= nil or (getmetatable(payloads) or {}).__call) then
    errors.refuse("payloads must be a list or an iterator, not a table without items 1, 2, ...")
  end
  local progress = errors.check_progress(errors.check_options(options, OPTIONS).progress)
  local batch, failure = core.emq_batch_new()
  if not batch then
    return nil, failure
  end
  local verdicts = {}
  local ran, ok, err = pcall(run, handle, name, batch, verdicts, payloads, progress)
  if ran and ok then
    return verdicts
  end
  core.emq_batch_clear(batch)
  if not ran then
    err = ok
  end
  if errors.is_error(err) then
    err.verdicts = verdicts
  end
  if not ran then
    error(err, 0)
  end
  return nil, err
end

return bulk
