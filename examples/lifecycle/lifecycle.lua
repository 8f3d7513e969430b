-- SPDX-License-Identifier: MIT
-- lifecycle.lua [URL]: the life of a job that fails: scheduled, tried twice, dead, requeued, done.
-- Prints each step; ends with 1 as soon as something is not as it should be.

local echomq = require "echomq"

local function step(what, got, expected)
  print(("%s: %s"):format(what, got))
  if got ~= expected then
    error(("lifecycle: %s: %s was expected"):format(what, expected), 0)
  end
end

-- Asks until the job's time has come, for ten seconds at most.
local function promoted(queue)
  local deadline, count = os.time() + 10, nil
  repeat
    count = assert(queue:promote())
  until count > 0 or os.time() > deadline
  return count
end

local client <close> = assert(echomq.connect(...))
local queue = client:queue("lifecycle-" .. echomq.ids.minter():mint())

local id = assert(queue:enqueue("2 x tea", {delay = 0.2}))
step("enqueued for later", queue:state(id), "scheduled")
local early, err = queue:claim()
step("claimed too early", early or err, nil)
for attempt, outcome in ipairs {"scheduled", "dead"} do
  step("promoted when due", promoted(queue), 1)
  local job = assert(queue:claim({lease = 30}))
  step("claimed", tostring(job), ("echomq.Job: %s, token %d"):format(id, attempt))
  step("failed", job:retry("no tea left", {delay = 0.2, max_attempts = 2}), outcome)
end

step("dead jobs", table.concat(assert(queue:browse("dead")), " "), id)
step("last error", queue:job(id).fields.last_error, "no tea left")
step("requeued", queue:reprocess(id), "done")
local job = assert(queue:claim({lease = 30}))
step("claimed again", tostring(job), ("echomq.Job: %s, token 3"):format(id))
step("completed", job:complete(), "done")
step("jobs that completed", queue:metric("completed"), 1)
step("jobs that failed", queue:metric("failed"), 1)
step("wrong in the queue", #assert(queue:check()), 0)
assert(queue:pause())
assert(queue:obliterate())
