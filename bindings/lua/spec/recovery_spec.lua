-- SPDX-License-Identifier: MIT
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local fixtures = require "support.fixtures"

local refused, key = fixtures.refused, fixtures.key

-- Claims the oldest job for a moment, which is over when this returns.
local function lapsed(queue)
  local job = assert(queue:claim({lease = 0.001}))
  fixtures.await_score(queue, "active", job.id)
  return job
end

describe("reap", function()
  after_each(fixtures.clean)

  it("takes back what its holder lost", function()
    local queue = fixtures.queue()
    local id = assert(queue:enqueue("x"))
    assert(queue:enqueue("y"))
    lapsed(queue)
    local held = assert(queue:claim())
    assert.equal(1, queue:reap())
    assert.equal(0, queue:reap())
    assert.same({"pending", "active"}, {queue:state(id), queue:state(held.id)})
    assert.same({"pending", 1}, {queue:job(id).state, queue:job(id).attempts})
    local job = assert(queue:claim())
    assert.same({id, 2}, {job.id, job.token})
    assert.equal("done", job:complete())
  end)

  it("takes a hundred at a time, and removes ghosts without counting them", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    for _ = 1, 120 do
      assert(queue:enqueue("x"))
    end
    local jobs = assert(queue:claim_many(120, {lease = 0.001}))
    fixtures.await_score(queue, "active", jobs[1].id)
    assert.equal(100, queue:reap())
    raw("ZADD", key(queue, "active"), 1, fixtures.id())
    assert.equal(20, queue:reap())
    assert.equal(120, queue:depth())
    assert.same({}, queue:check())
  end)
end)

describe("sweep", function()
  after_each(fixtures.clean)

  it("takes a job back until it has stalled too often", function()
    local queue = fixtures.queue()
    local id = assert(queue:enqueue("x"))
    lapsed(queue)
    assert.is_nil(queue:job(id).fields.stalled)
    assert.same({{id}, {}, n = 2}, table.pack(queue:sweep({max_stalled = 2})))
    assert.equal("1", queue:job(id).fields.stalled)
    assert.equal("pending", queue:state(id))
    assert.equal(2, lapsed(queue).token)
    assert.same({{}, {id}, n = 2}, table.pack(queue:sweep({max_stalled = 2})))
    local dead = queue:job(id)
    assert.same({"dead", "stalled"}, {dead.state, dead.fields.last_error})
    assert.equal("dead", queue:state(id))
    assert.equal(1, queue:metric("failed"))
  end)

  it("gives up at the first lapse, if nothing else is said", function()
    local queue = fixtures.queue()
    local id = assert(queue:enqueue("x"))
    lapsed(queue)
    assert.same({{}, {id}, n = 2}, table.pack(queue:sweep()))
    assert.same({{}, {}, n = 2}, table.pack(queue:sweep()))
  end)

  it("takes as many as its limit", function()
    local queue = fixtures.queue()
    for _ = 1, 5 do
      assert(queue:enqueue("x"))
    end
    local jobs = assert(queue:claim_many(5, {lease = 0.001}))
    fixtures.await_score(queue, "active", jobs[1].id)
    local back = assert(queue:sweep({max_stalled = 5, limit = 3}))
    assert.equal(3, #back)
    assert.same({pending = 3, active = 2}, queue:counts("pending", "active"))
  end)

  it("takes a thousand, if nothing else is said", function()
    local queue = fixtures.queue()
    local payloads = {}
    for number = 1, 1001 do
      payloads[number] = "x"
    end
    assert(queue:enqueue_many(payloads))
    assert(queue:claim_many(1000, {lease = 0.001}))
    lapsed(queue)
    local back, dead = queue:sweep()
    assert.same({0, 1000}, {#back, #dead})
    assert.same({dead = 1000, active = 1}, queue:counts("dead", "active"))
  end)

  it("takes numbers within bounds; else nothing is sent", function()
    local queue = fixtures.queue()
    fixtures.sends_nothing(function()
      for _, number in ipairs(fixtures.bad_counts) do
        refused(queue.sweep, queue, {max_stalled = number})
        refused(queue.sweep, queue, {limit = number})
      end
      refused(queue.sweep, queue, {limit = 10001})
      refused(queue.sweep, queue, {max_stalled = 1000001})
      refused(queue.sweep, queue, {max = 1})
      refused(queue.sweep, queue, 1)
      refused(queue.sweep)
      refused(queue.reap)
    end)
  end)
end)
