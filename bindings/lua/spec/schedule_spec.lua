-- SPDX-License-Identifier: MIT
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local fixtures = require "support.fixtures"

local failed, refused, key, row = fixtures.failed, fixtures.refused, fixtures.key, fixtures.row

describe("a scheduled job", function()
  after_each(fixtures.clean)

  it("waits for its time, and is claimed after", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local id = assert(queue:enqueue("later", {delay = 0.03}))
    assert.same({state = "scheduled", attempts = "0", payload = "later"},
                raw:hash(row(queue, id)))
    assert.equal("scheduled", queue:state(id))
    assert.is_nil(queue:claim())
    fixtures.await_score(queue, "schedule", id)
    assert.is_nil(queue:claim()) -- it takes a promotion
    assert.equal(1, queue:promote({limit = 10}))
    assert.equal(0, queue:promote())
    assert.equal("pending", queue:state(id))
    local job = assert(queue:claim())
    assert.same({id, "later", 1}, {job.id, job.payload, job.token})
    assert.equal("done", job:complete())
  end)

  it("is due so many seconds from the server's now", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    for seconds, ms in pairs {[0] = 0, [0.0004] = 1, [0.07] = 70, [60] = 60000,
                              [31536000] = 31536000000} do
      local before = fixtures.server_ms(raw)
      local id = assert(queue:enqueue("x", {delay = seconds}))
      local after = fixtures.server_ms(raw)
      local due = tonumber(raw("ZSCORE", key(queue, "schedule"), id))
      assert.is_true(due >= before + ms and due <= after + ms, seconds)
    end
  end)

  it("may be due at a time", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local soon = os.time() + 60
    for at, ms in pairs {[0] = 0, [1700000000.07] = 1700000000070, [soon] = soon * 1000,
                         [253402300799.999] = 253402300799999} do
      local id = assert(queue:enqueue("x", {at = at}))
      assert.equal(ms, math.tointeger(tonumber(raw("ZSCORE", key(queue, "schedule"), id))))
    end
    assert.equal(2, queue:promote()) -- those of the past
    assert.equal(2, queue:depth())
  end)

  it("counts as scheduled", function()
    local queue = fixtures.queue()
    fixtures.claimed(queue)
    for _ = 1, 3 do
      assert(queue:enqueue("x"))
    end
    assert(queue:enqueue("x", {delay = 60}))
    assert.same({pending = 3, active = 1, schedule = 1, dead = 0},
                queue:counts("pending", "active", "schedule", "dead"))
    refused(queue.counts, queue, "wait")
  end)

  it("takes an id of the caller's once", function()
    local queue = fixtures.queue()
    local id = fixtures.id()
    assert.equal(id, queue:enqueue("first", {id = id, delay = 60}))
    for _, options in ipairs {{id = id, delay = 1}, {id = id, at = 5}, {id = id}} do
      assert.same({false, "duplicate", n = 2}, table.pack(queue:enqueue("second", options)))
    end
    assert.equal("first", queue:job(id).payload)
    failed("kind", queue:enqueue("x", {id = "USR0KHTOWnGLuC", delay = 1}))
    assert.equal(1, queue:counts().schedule)
  end)

  it("keeps its payload byte for byte", function()
    local queue = fixtures.queue()
    for _, payload in ipairs {"", "a\0b", "\xff\xfe", ("x"):rep(1 << 20)} do
      local id = assert(queue:enqueue(payload, {delay = 60}))
      assert.is_true(payload == queue:job(id).payload)
    end
  end)

  it("has one time, which is a number within bounds; else nothing is sent", function()
    local queue = fixtures.queue()
    fixtures.sends_nothing(function()
      for _, seconds in ipairs(fixtures.bad_seconds) do
        refused(queue.enqueue, queue, "x", {delay = seconds})
        refused(queue.enqueue, queue, "x", {at = seconds})
        refused(queue.enqueue, queue, "x", {id = fixtures.id(), delay = seconds})
      end
      local err = refused(queue.enqueue, queue, "x", {delay = 31536000.001})
      assert.equal("delay is 31536000.001 s, 0 to 31536000 are allowed", err.message)
      refused(queue.enqueue, queue, "x", {at = 253402300800})
      err = refused(queue.enqueue, queue, "x", {delay = 1, at = 1})
      assert.equal("a time is given by delay or by at, not by both", err.message)
      refused(queue.enqueue, queue, 5, {delay = 1})
      refused(queue.enqueue, queue, "x", {id = "JOB", delay = 1})
    end)
  end)
end)

describe("promote", function()
  after_each(fixtures.clean)

  it("moves as many as its limit, the earliest first", function()
    local queue = fixtures.queue()
    local ids = {}
    for number = 1, 5 do
      ids[number] = assert(queue:enqueue("x", {at = 10 - number}))
    end
    assert.equal(2, queue:promote({limit = 2}))
    assert.equal("pending", queue:state(ids[5]))
    assert.equal("pending", queue:state(ids[4]))
    assert.equal("scheduled", queue:state(ids[3]))
    assert.equal(3, queue:promote({limit = 10000}))
  end)

  it("moves a thousand, if nothing else is said", function()
    local queue = fixtures.queue()
    for _ = 1, 1001 do
      assert(queue:enqueue("x", {at = 1}))
    end
    assert.equal(1000, queue:promote())
    assert.equal(1, queue:promote())
  end)

  it("removes a ghost and does not count it", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    raw("ZADD", key(queue, "schedule"), 1, fixtures.id())
    assert(queue:enqueue("x", {at = 1}))
    assert.equal(1, queue:promote())
    assert.same({}, queue:check())
    assert.equal(0, raw("EXISTS", key(queue, "schedule")))
  end)

  it("takes a limit within bounds; else nothing is sent", function()
    local queue = fixtures.queue()
    fixtures.sends_nothing(function()
      for _, limit in ipairs(fixtures.bad_counts) do
        refused(queue.promote, queue, {limit = limit})
      end
      local err = refused(queue.promote, queue, {limit = 10001})
      assert.equal("limit must be an integer from 1 to 10000, not 10001", err.message)
      refused(queue.promote, queue, 10)
      refused(queue.promote, queue, {most = 10})
    end)
    assert.equal(0, queue:promote({limit = 10.0})) -- a whole number, as everywhere in Lua
  end)
end)
