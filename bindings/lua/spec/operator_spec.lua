-- SPDX-License-Identifier: MIT
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local fixtures = require "support.fixtures"

local failed, refused, key, row = fixtures.failed, fixtures.refused, fixtures.key, fixtures.row

describe("an operator", function()
  after_each(fixtures.clean)

  it("replaces a payload", function()
    local queue = fixtures.queue()
    local id = assert(queue:enqueue("old"))
    for _, payload in ipairs {"new", "", "a\0b", ("x"):rep(1 << 20)} do
      assert.equal("done", queue:update_data(id, payload))
      assert.is_true(payload == queue:job(id).payload)
    end
    assert.equal("gone", queue:update_data(fixtures.id(), "new"))
  end)

  it("keeps a job's progress and publishes it", function()
    local queue = fixtures.queue()
    local id = assert(queue:enqueue("x"))
    local events = fixtures.raw()
    events("SUBSCRIBE", key(queue, "events"))
    assert.equal("done", queue:update_progress(id, "50"))
    assert.equal("50", queue:job(id).fields.progress)
    local event = events:value()
    assert.same({"message", key(queue, "events")}, {event[1], event[2]})
    for _, part in ipairs {'"event":"progress"', id, '"progress":"50"'} do
      assert.is_truthy(event[3]:find(part, 1, true), event[3])
    end
    assert.equal("gone", queue:update_progress(fixtures.id(), "50"))
  end)

  it("adds to a job's log and reads it", function()
    local queue = fixtures.queue()
    local id = assert(queue:enqueue("x"))
    assert.same({}, queue:logs(id))
    assert.equal(1, queue:add_log(id, "line-1"))
    assert.equal(2, queue:add_log(id, "line-2"))
    assert.same({"line-1", "line-2"}, queue:logs(id))
    assert.equal(2, queue:add_log(id, "line-3", {keep = 2}))
    assert.same({"line-2", "line-3"}, queue:logs(id))
    assert.equal(3, queue:add_log(id, "a\0b\xff"))
    assert.equal(4, queue:add_log(id, "", {keep = 1000000}))
    assert.same({"line-2", "line-3", "a\0b\xff", ""}, queue:logs(id))
    assert.same({}, {queue:add_log(fixtures.id(), "line")}) -- nil, and no error
    assert.same({}, {queue:logs(fixtures.id())})
  end)

  it("removes a job, unless a worker has its lock on it", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local free, held = assert(queue:enqueue("free")), assert(queue:enqueue("held"))
    raw("SET", key(queue, "de:dedup-7"), free)
    raw("HSET", row(queue, held), "lock", "worker-1")
    assert(queue:add_log(free, "line"))
    assert.equal(free, queue:dedup("dedup-7"))
    assert.equal("done", queue:remove(free, {dedup = "dedup-7"}))
    assert.equal("absent", queue:state(free))
    assert.is_nil(queue:dedup("dedup-7"))
    assert.equal(0, raw("EXISTS", row(queue, free) .. ":logs"))
    local err = failed("locked", queue:remove(held))
    assert.equal("EMQLOCK job is locked", err.server_text)
    assert.equal("pending", queue:state(held))
    assert.equal("gone", queue:remove(free))
    assert.same({}, queue:check())
  end)

  it("removes a job wherever it is, and no other's deduplication key", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local active, dead = fixtures.claimed(queue), fixtures.claimed(queue)
    assert.equal("dead", dead:retry("boom", {max_attempts = 1}))
    local ids = {
      active.id, dead.id, assert(queue:enqueue("x")), assert(queue:enqueue("x", {delay = 60})),
    }
    raw("SET", key(queue, "de:mine"), active.id)
    for _, id in ipairs(ids) do
      assert.equal("done", queue:remove(id, {dedup = id ~= active.id and "mine" or nil}))
      assert.equal("absent", queue:state(id))
    end
    assert.equal(active.id, queue:dedup("mine"))
    assert.equal("gone", active:complete())
  end)

  it("puts a dead job back, and no other", function()
    local queue = fixtures.queue()
    local dead = fixtures.claimed(queue)
    assert.equal("dead", dead:retry("boom", {max_attempts = 1}))
    local live = assert(queue:enqueue("live"))
    assert.equal("done", queue:reprocess(dead.id))
    local again = queue:job(dead.id)
    assert.same({"pending", "pending", 1}, {queue:state(dead.id), again.state, again.attempts})
    assert.is_nil(again.fields.last_error)
    local err = failed("state", queue:reprocess(live))
    assert.equal("EMQSTATE not dead", err.server_text)
    assert.equal("pending", queue:state(live))
    assert.equal("gone", queue:reprocess(fixtures.id()))
    local job = assert(queue:claim())
    assert.same({dead.id, 2}, {job.id, job.token})
  end)

  it("pauses a queue and resumes it", function()
    local queue = fixtures.queue()
    local id = assert(queue:enqueue("p"))
    assert.same({true, n = 1}, table.pack(queue:pause()))
    assert.is_true(queue:pause())
    assert.is_nil(queue:claim())
    assert.equal(1, queue:counts().pending)
    assert.same({true, n = 1}, table.pack(queue:resume()))
    assert.is_true(queue:resume())
    local job = assert(queue:claim())
    assert.same({id, "p", 1}, {job.id, job.payload, job.token})
  end)

  it("drains what waits, and the scheduled only if told to", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local job = fixtures.claimed(queue)
    local ids = {}
    for index = 1, 3 do
      ids[index] = assert(queue:enqueue("x"))
      assert(queue:add_log(ids[index], "line"))
    end
    local later = assert(queue:enqueue("x", {delay = 60}))
    assert.equal(3, queue:drain())
    assert.same({pending = 0, active = 1, schedule = 1},
                queue:counts("pending", "active", "schedule"))
    assert.equal("active", queue:state(job.id))
    assert.equal(0, raw("EXISTS", row(queue, ids[1]), row(queue, ids[1]) .. ":logs"))
    assert.equal(0, queue:drain({scheduled = false}))
    assert.equal("scheduled", queue:state(later))
    assert(queue:enqueue("x"))
    assert.equal(2, queue:drain({scheduled = true}))
    assert.equal("absent", queue:state(later))
    assert.same({}, queue:check())
  end)

  it("calls with what is checked; else nothing is sent", function()
    local queue = fixtures.queue()
    local id = assert(queue:enqueue("x"))
    local per_job = {
      update_data = "x", update_progress = "x", add_log = "x", logs = false, remove = false,
      reprocess = false,
    }
    fixtures.sends_nothing(function()
      for name, text in pairs(per_job) do
        local call = queue[name]
        for _, bad in ipairs {"", "JOB", "JOBzzzzzzzzzzz", 5, {}, false} do
          refused(call, queue, bad, text or nil)
        end
        refused(call, queue, nil, text or nil)
        refused(call, id, text or nil)
        if text then
          for _, bad in ipairs {5, {}, false} do
            refused(call, queue, id, bad)
          end
          refused(call, queue, id)
        end
      end
      refused(queue.add_log, queue, id, ("x"):rep((1 << 20) + 1))
      refused(queue.update_progress, queue, id, ("x"):rep((1 << 20) + 1))
      for _, keep in ipairs(fixtures.bad_counts) do
        refused(queue.add_log, queue, id, "line", {keep = keep})
      end
      refused(queue.add_log, queue, id, "line", {keep = 1000001})
      refused(queue.add_log, queue, id, "line", 5)
      for _, dedup in ipairs {5, {}, false} do
        refused(queue.remove, queue, id, {dedup = dedup})
      end
      refused(queue.remove, queue, id, "dedup")
      for _, scheduled in ipairs {0, 1, "yes", {}} do
        refused(queue.drain, queue, {scheduled = scheduled})
      end
      refused(queue.drain, queue, true)
      for _, name in ipairs {"pause", "resume", "drain", "obliterate"} do
        refused(queue[name])
      end
    end)
    assert.equal(1, queue:depth())
  end)
end)

describe("obliterate", function()
  after_each(fixtures.clean)

  it("wants a paused queue, and deletes all of it", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local id = assert(queue:enqueue("x"))
    assert(queue:add_log(id, "line"))
    local err = failed("state", queue:obliterate())
    assert.equal("EMQSTATE not paused", err.server_text)
    assert.equal(1, queue:counts().pending)
    assert(queue:pause())
    assert.same({true, n = 1}, table.pack(queue:obliterate()))
    assert.same({pending = 0, active = 0, schedule = 0, dead = 0},
                queue:counts("pending", "active", "schedule", "dead"))
    assert.same({}, raw("KEYS", key(queue, "*")))
  end)

  it("wants force for active jobs", function()
    local queue = fixtures.queue()
    local job = fixtures.claimed(queue)
    assert(queue:pause())
    local err = failed("state", queue:obliterate({force = false}))
    assert.equal("EMQSTATE active jobs present", err.server_text)
    assert.equal("active", queue:state(job.id))
    assert.is_true(queue:obliterate({force = true}))
    assert.equal("gone", job:complete())
    assert.same({}, fixtures.raw()("KEYS", key(queue, "*")))
  end)

  it("goes in steps and says so", function()
    local queue = fixtures.queue()
    for number = 1, 25 do
      assert(queue:enqueue("x", {delay = number % 2 == 0 and 60 or nil}))
    end
    assert(queue:pause())
    local steps, left = {}, {}
    assert.is_true(queue:obliterate({budget = 10, progress = function(step)
      steps[#steps + 1] = step
      local counts = queue:counts("pending", "schedule")
      left[#left + 1] = counts.pending + counts.schedule
    end}))
    assert.same({1, 2, 3}, steps)
    assert.same({15, 5, 0}, left)
  end)

  it("deletes a thousand a step, if nothing else is said", function()
    local queue = fixtures.queue()
    local payloads = {}
    for number = 1, 1001 do
      payloads[number] = "x"
    end
    assert(queue:enqueue_many(payloads))
    assert(queue:pause())
    local left = {}
    assert.is_true(queue:obliterate({progress = function(step) left[step] = queue:depth() end}))
    assert.same({1, 0}, left)
  end)

  it("ends with what progress raises, and can go on", function()
    local queue = fixtures.queue()
    for _ = 1, 5 do
      assert(queue:enqueue("x"))
    end
    assert(queue:pause())
    local mine = {}
    local ok, err = pcall(queue.obliterate, queue, {budget = 2, progress = function()
      error(mine)
    end})
    assert.is_false(ok)
    assert.equal(mine, err)
    assert.equal(3, queue:depth())
    assert.same({}, queue:check())
    assert.is_true(queue:obliterate())
    assert.same({}, fixtures.raw()("KEYS", key(queue, "*")))
  end)

  it("takes options that are checked; else nothing is sent", function()
    local queue = fixtures.queue()
    fixtures.sends_nothing(function()
      for _, budget in ipairs(fixtures.bad_counts) do
        refused(queue.obliterate, queue, {budget = budget})
      end
      refused(queue.obliterate, queue, {budget = 10001})
      for _, progress in ipairs {5, "print", {}, true, false} do
        refused(queue.obliterate, queue, {progress = progress})
      end
      for _, force in ipairs {0, 1, "force", {}} do
        refused(queue.obliterate, queue, {force = force})
      end
      refused(queue.obliterate, queue, true)
      refused(queue.obliterate, queue, {forced = true})
    end)
  end)
end)
