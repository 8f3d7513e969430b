-- SPDX-License-Identifier: MIT
-- What an operator does to jobs and queues, and how one looks at them: more methods of a queue.

local core = require "echomq._echomq"
local errors = require "echomq.errors"
core.emq_face()

local ADD_LOG_OPTIONS = {keep = true}
local REMOVE_OPTIONS = {dedup = true}
local DRAIN_OPTIONS = {scheduled = true}
local OBLITERATE_OPTIONS = {force = true, budget = true, progress = true}
local BROWSE_OPTIONS = {limit = true}

local TOTALS = {completed = core.EMQ_COUNT_COMPLETED, failed = core.EMQ_COUNT_FAILED}

return function(Queue, outcome_of)
  -- True, where a call of the core's gives nothing; or nil and the error.
  local function done(_, err)
    if err then
      return nil, err
    end
    return true
  end

  ---- per job: "done", or "gone" when it has no row

  --- Replaces a job's payload.
  function Queue:update_data(id, payload)
    errors.check_self(self, Queue, "update_data")
    return outcome_of(core.emq_update_data(self.client._handle, self.name, id, payload))
  end

  --- Keeps a job's progress, any text up to 1 MiB, in its row, and publishes it on the queue's
  -- channel of events.
  function Queue:update_progress(id, text)
    errors.check_self(self, Queue, "update_progress")
    return outcome_of(core.emq_update_progress(self.client._handle, self.name, id, text))
  end

  --- Adds a line, up to 1 MiB, to a job's log, of which the newest options.keep lines stay; nil:
  -- all. Returns how many there are then; nil alone when the job is gone.
  function Queue:add_log(id, line, options)
    errors.check_self(self, Queue, "add_log")
    local keep = errors.check_options(options, ADD_LOG_OPTIONS).keep
    keep = errors.check_count(keep, "keep", 0, core.emq_number_max())
    local count, err = core.emq_add_log(self.client._handle, self.name, id, line, keep)
    if not count or count < 0 then
      return nil, err
    end
    return count
  end

  --- The lines of a job's log, oldest first; nil alone when the job is gone.
  function Queue:logs(id)
    errors.check_self(self, Queue, "logs")
    return core.emq_read_logs(self.client._handle, self.name, id)
  end

  --- Takes a job out of its queue, wherever it is, with its row and log. options.dedup names the
  -- deduplication key that goes too if it still holds this id. An error "locked": a worker has its
  -- lock on the job, which stays.
  function Queue:remove(id, options)
    errors.check_self(self, Queue, "remove")
    local dedup = errors.check_options(options, REMOVE_OPTIONS).dedup
    return outcome_of(core.emq_remove_job(self.client._handle, self.name, id, dedup))
  end

  --- Makes a dead job pending; its attempts stay. An error "state": it is not dead.
  function Queue:reprocess(id)
    errors.check_self(self, Queue, "reprocess")
    return outcome_of(core.emq_reprocess_job(self.client._handle, self.name, id))
  end

  ---- per queue

  --- Pauses the queue: every claim finds it empty. Returns true, if it was paused before, too.
  function Queue:pause()
    errors.check_self(self, Queue, "pause")
    return done(core.emq_queue_pause(self.client._handle, self.name))
  end

  --- Ends the pause. Returns true, if there was none, too.
  function Queue:resume()
    errors.check_self(self, Queue, "resume")
    return done(core.emq_queue_resume(self.client._handle, self.name))
  end

  --- Deletes all pending jobs, and with options.scheduled those that wait for their time. Active
  -- and dead ones stay. Returns how many.
  function Queue:drain(options)
    errors.check_self(self, Queue, "drain")
    local scheduled = errors.check_options(options, DRAIN_OPTIONS).scheduled
    scheduled = errors.check_flag(scheduled, "scheduled")
    return core.emq_queue_drain(self.client._handle, self.name, scheduled)
  end

  --- Deletes a paused queue, all of it, and returns true. options.force: with its active jobs. It
  -- goes in steps of at most options.budget (1,000) jobs, and after each options.progress is called
  -- with the number of steps so far. An error "state": the queue is not paused, or has active jobs.
  -- What is deleted is gone when an error, or one that progress raises, ends the call midway.
  function Queue:obliterate(options)
    errors.check_self(self, Queue, "obliterate")
    options = errors.check_options(options, OBLITERATE_OPTIONS)
    local force = errors.check_flag(options.force, "force")
    local budget = errors.check_count(options.budget, "budget", 1000, core.emq_limit_max())
    local progress = errors.check_progress(options.progress)
    local steps = 0
    repeat
      local more, err = core.emq_queue_obliterate(self.client._handle, self.name, force, budget)
      if more == nil then
        return nil, err
      end
      steps = steps + 1
      progress(steps)
    until not more
    return true
  end

  ---- reads

  --- The ids of the jobs that are "pending", "active", "scheduled" or "dead": the newest first, at
  -- most options.limit (100) of them, up to 10,000.
  function Queue:browse(state, options)
    errors.check_self(self, Queue, "browse")
    local limit = errors.check_options(options, BROWSE_OPTIONS).limit
    limit = errors.check_count(limit, "limit", 100, core.emq_limit_max())
    return core.emq_browse(self.client._handle, self.name, core.emq_state_parse(state), limit)
  end

  --- How many jobs are pending.
  function Queue:depth()
    errors.check_self(self, Queue, "depth")
    return core.emq_depth(self.client._handle, self.name)
  end

  --- The id that a producer parked under a deduplication key; nil alone when there is none.
  function Queue:dedup(dedup)
    errors.check_self(self, Queue, "dedup")
    local ids, err = core.emq_dedup_read(self.client._handle, self.name, dedup)
    if not ids then
      return nil, err
    end
    return ids[1]
  end

  --- How many jobs have ended so, ever: "completed" or "failed".
  function Queue:metric(name)
    errors.check_self(self, Queue, "metric")
    if not TOTALS[name] then
      errors.refuse('metric must be "completed" or "failed", not %s', tostring(name))
    end
    return core.emq_metric(self.client._handle, self.name, TOTALS[name])
  end

  --- Where a job is, in one moment of the store: {state, score_ms, sets}. score_ms is when its
  -- lease ends or when it is due, in unix ms; 0 where it is neither active nor scheduled. sets is
  -- how many sets hold it.
  function Queue:locate(id)
    errors.check_self(self, Queue, "locate")
    local place, err = core.emq_locate(self.client._handle, self.name, id)
    if not place then
      return nil, err
    end
    local state, score_ms, sets = table.unpack(place)
    return {state = core.emq_state_name(state), score_ms = score_ms, sets = sets}
  end

  --- Looks at every job of the queue for what should never be, such as an id in two sets or a row
  -- in none. Returns a list with a line for each, which starts with the id; it is empty for a sound
  -- queue, busy or not.
  function Queue:check()
    errors.check_self(self, Queue, "check")
    return core.emq_check_queue(self.client._handle, self.name)
  end
end
