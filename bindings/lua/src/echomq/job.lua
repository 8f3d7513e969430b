-- SPDX-License-Identifier: MIT
-- A claimed job: its queue, id, payload, and the fencing token of this claim. What settles it goes
-- to the queue with that id and token, whose methods of the same names say what they do.

local errors = require "echomq.errors"
require("echomq._echomq").emq_face()

local Job = {__name = "echomq.Job"}
Job.__index = Job

-- Makes a job of a table with id, payload and token.
function Job.new(queue, claimed)
  claimed.queue = queue
  return setmetatable(claimed, Job)
end

--- Completes the job: see Queue:complete.
function Job:complete(result)
  errors.check_self(self, Job, "complete")
  return self.queue:complete(self.id, self.token, result)
end

--- Says that the job failed, and why: see Queue:retry.
function Job:retry(reason, options)
  errors.check_self(self, Job, "retry")
  return self.queue:retry(self.id, self.token, reason, options)
end

--- Puts the job off: see Queue:delay.
function Job:delay(seconds)
  errors.check_self(self, Job, "delay")
  return self.queue:delay(self.id, self.token, seconds)
end

--- Sets the job's lease anew: see Queue:extend.
function Job:extend(options)
  errors.check_self(self, Job, "extend")
  return self.queue:extend(self.id, self.token, options)
end

function Job:__tostring()
  return ("%s: %s, token %d"):format(Job.__name, self.id, self.token)
end

return Job
