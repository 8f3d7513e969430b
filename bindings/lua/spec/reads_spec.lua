-- SPDX-License-Identifier: MIT
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local fixtures = require "support.fixtures"

local failed, refused, key, row = fixtures.failed, fixtures.refused, fixtures.key, fixtures.row

-- A queue with jobs in each state: their ids by state, the oldest first.
local function full()
  local queue = fixtures.queue()
  local ids = {pending = {}, active = {}, scheduled = {}, dead = {}}
  for index = 1, 3 do
    local dead = fixtures.claimed(queue)
    assert(dead:retry("boom", {max_attempts = 1}) == "dead")
    ids.dead[index] = dead.id
    -- The oldest has the latest deadline.
    assert(queue:enqueue("s"))
    ids.active[index] = assert(queue:claim({lease = 100 - index})).id
    ids.scheduled[index] = assert(queue:enqueue("x", {delay = 100 - index}))
  end
  for index = 1, 3 do
    ids.pending[index] = assert(queue:enqueue("x"))
  end
  return queue, ids
end

describe("browse", function()
  after_each(fixtures.clean)

  it("gives the ids of a state, the newest first", function()
    local queue, ids = full()
    for state, expected in pairs(ids) do
      assert.same({expected[3], expected[2], expected[1]}, queue:browse(state), state)
      assert.same({expected[3], expected[2]}, queue:browse(state, {limit = 2}), state)
      assert.same({}, fixtures.queue():browse(state))
    end
  end)

  it("gives a hundred, if nothing else is said", function()
    local queue = fixtures.queue()
    for _ = 1, 120 do
      assert(queue:enqueue("x"))
    end
    assert.equal(100, #queue:browse("pending"))
    assert.equal(120, #queue:browse("pending", {limit = 10000}))
  end)

  it("knows four states; else nothing is sent", function()
    local queue = fixtures.queue()
    fixtures.sends_nothing(function()
      local err = refused(queue.browse, queue, "waiting")
      for _, state in ipairs {"pending", "active", "scheduled", "dead"} do
        assert.is_truthy(err.message:find(state, 1, true), err.message)
      end
      for _, state in ipairs {"", "schedule", "absent", "unknown", "completed", 1, {}, true} do
        refused(queue.browse, queue, state)
      end
      refused(queue.browse, queue)
      for _, limit in ipairs(fixtures.bad_counts) do
        for _, state in ipairs {"pending", "active"} do
          refused(queue.browse, queue, state, {limit = limit})
        end
      end
      refused(queue.browse, queue, "active", {limit = 10001})
      refused(queue.browse, queue, "active", 10)
    end)
  end)
end)

describe("the state of a job", function()
  after_each(fixtures.clean)

  it("is where it is", function()
    local queue, ids = full()
    for state, each in pairs(ids) do
      for _, id in ipairs(each) do
        assert.equal(state, queue:state(id))
      end
    end
    assert.equal("absent", queue:state(fixtures.id()))
    local job = queue:job(ids.active[1])
    assert.same({"active", "1", "s"}, {job.state, job.fields.attempts, job.payload})
    assert.is_nil(queue:job(fixtures.id()))
  end)

  it("comes with its score and the number of its sets", function()
    local queue, ids = full()
    local raw = fixtures.raw()
    for state, set in pairs {active = "active", scheduled = "schedule"} do
      local score = math.tointeger(tonumber(raw("ZSCORE", key(queue, set), ids[state][1])))
      assert.same({state = state, score_ms = score, sets = 1}, queue:locate(ids[state][1]))
    end
    for _, state in ipairs {"pending", "dead"} do
      assert.same({state = state, score_ms = 0, sets = 1}, queue:locate(ids[state][1]))
    end
    assert.same({state = "absent", score_ms = 0, sets = 0}, queue:locate(fixtures.id()))
    raw("ZADD", key(queue, "dead"), 0, ids.pending[1])
    assert.same({state = "pending", score_ms = 0, sets = 2}, queue:locate(ids.pending[1]))
    local none = fixtures.id()
    raw("HSET", row(queue, none), "state", "pending", "attempts", "0")
    assert.same({state = "unknown", score_ms = 0, sets = 0}, queue:locate(none))
  end)
end)

describe("numbers of a queue", function()
  after_each(fixtures.clean)

  it("are its depth and its totals", function()
    local queue = fixtures.queue()
    assert.same({0, 0, 0}, {queue:depth(), queue:metric("completed"), queue:metric("failed")})
    local done, dead = fixtures.claimed(queue), fixtures.claimed(queue)
    assert(queue:enqueue("x"))
    assert.equal("done", done:complete())
    assert.equal("dead", dead:retry("boom", {max_attempts = 1}))
    assert.same({1, 1, 1}, {queue:depth(), queue:metric("completed"), queue:metric("failed")})
    for _, number in ipairs {queue:depth(), queue:metric("completed")} do
      assert.equal("integer", math.type(number))
    end
    fixtures.raw()("HSET", key(queue, "metrics:failed"), "count", "9007199254740993")
    assert.equal(9007199254740993, queue:metric("failed"))
  end)

  it("have names that are checked; else nothing is sent", function()
    local queue = fixtures.queue()
    fixtures.sends_nothing(function()
      for _, name in ipairs {"pending", "dead", "", 4, {}, true} do
        refused(queue.metric, queue, name)
      end
      assert.equal('metric must be "completed" or "failed", not nil',
                   refused(queue.metric, queue).message)
    end)
  end)
end)

describe("a deduplication key", function()
  after_each(fixtures.clean)

  it("gives the id that is parked there", function()
    local queue = fixtures.queue()
    local id = assert(queue:enqueue("x"))
    fixtures.raw()("SET", key(queue, "de:order-42"), id)
    assert.equal(id, queue:dedup("order-42"))
    assert.same({}, {queue:dedup("never-parked")}) -- nil, and no error
  end)
end)

describe("check", function()
  after_each(fixtures.clean)

  it("finds nothing in a sound queue", function()
    assert.same({}, fixtures.queue():check())
    assert.same({}, (full()):check())
  end)

  it("has a line for each offender, which starts with its id", function()
    local queue, ids = full()
    local raw = fixtures.raw()
    local ghost, lost = fixtures.id(), fixtures.id()
    raw("ZADD", key(queue, "pending"), 0, ghost)
    raw("HSET", row(queue, lost), "state", "pending", "attempts", "0", "payload", "")
    raw("ZADD", key(queue, "dead"), 0, ids.pending[1])
    raw("HSET", row(queue, ids.active[1]), "state", "pending")
    raw("HSET", row(queue, ids.dead[1]), "attempts", "many")
    raw("ZADD", key(queue, "schedule"), 0, "no id")
    local offenders = {ghost, lost, ids.pending[1], ids.active[1], ids.dead[1], "no id"}
    local lines = assert(queue:check())
    assert.equal(#offenders, #lines, table.concat(lines, "\n"))
    for _, offender in ipairs(offenders) do
      local seen = 0
      for _, line in ipairs(lines) do
        seen = seen + (line:sub(1, #offender) == offender and 1 or 0)
      end
      assert.equal(1, seen, offender)
    end
  end)
end)

describe("reads", function()
  after_each(fixtures.clean)

  it("check their ids before anything is sent", function()
    local queue = fixtures.queue()
    fixtures.sends_nothing(function()
      for _, id in ipairs {"", "JOB", "JOBzzzzzzzzzzz", 5, {}, false} do
        refused(queue.locate, queue, id)
        refused(queue.logs, queue, id)
      end
      for _, dedup in ipairs {"", 5, {}, false} do
        refused(queue.dedup, queue, dedup)
      end
      refused(queue.dedup, queue)
      for _, name in ipairs {"depth", "check", "browse", "locate", "dedup", "metric"} do
        refused(queue[name])
      end
    end)
  end)

  it("give the server's own refusals as errors", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    for _, kind in ipairs {"pending", "active", "schedule", "dead", "metrics:completed"} do
      raw("SET", key(queue, kind), "alien")
    end
    failed("wrong_type", queue:depth())
    failed("wrong_type", queue:browse("pending"))
    failed("wrong_type", queue:browse("active"))
    failed("wrong_type", queue:metric("completed"))
    failed("wrong_type", queue:check())
    failed("wrong_type", queue:promote())
    failed("wrong_type", queue:reap())
    failed("wrong_type", queue:sweep())
    failed("wrong_type", queue:claim_many(5))
    failed("wrong_type", queue:drain())
    failed("wrong_type", queue:enqueue("x", {delay = 5}))
  end)
end)
