-- SPDX-License-Identifier: MIT
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local fixtures = require "support.fixtures"
local echomq = require "echomq"

local failed, refused = fixtures.failed, fixtures.refused

describe("a queue", function()
  after_each(fixtures.clean)

  it("takes a job through its life", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local id = assert(queue:enqueue("cargo"))
    local key = echomq.keys.job_key(queue.name, id)
    assert.same({"state", "pending", "attempts", "0", "payload", "cargo"}, raw("HGETALL", key))
    assert.equal("pending", queue:state(id))

    local job = assert(queue:claim({lease = 60}))
    assert.equal(queue, job.queue)
    assert.equal(id, job.id)
    assert.equal("cargo", job.payload)
    assert.equal(1, job.token)
    assert.equal("active", queue:state(id))

    assert.equal("done", job:complete())
    assert.equal("absent", queue:state(id))
    assert.equal(0, raw("EXISTS", key))
    assert.same({pending = 0, active = 0, schedule = 0, dead = 0, completed = 1, failed = 0},
                queue:counts())
  end)

  it("gives jobs in the order in which they came", function()
    local queue = fixtures.queue()
    for number = 1, 20 do
      assert(queue:enqueue(tostring(number)))
    end
    for number = 1, 20 do
      assert.equal(tostring(number), queue:claim().payload)
    end
  end)

  it("gives nil alone when it is empty or paused", function()
    local queue = fixtures.queue()
    assert.same({n = 2}, table.pack(queue:claim()))
    assert(queue:enqueue("x"))
    fixtures.raw()("HSET", echomq.keys.queue_key(queue.name, "meta"), "paused", 1)
    assert.same({n = 2}, table.pack(queue:claim()))
    assert.equal(1, queue:counts("pending").pending)
  end)

  it("holds a job for its lease, by the server's clock", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    assert(queue:enqueue("x"))
    local function now()
      local time = raw("TIME")
      return time[1] * 1000 + time[2] // 1000
    end
    local before = now()
    local job = assert(queue:claim({lease = 0.75}))
    local after = now()
    local due = tonumber(raw("ZSCORE", echomq.keys.queue_key(queue.name, "active"), job.id))
    assert.is_true(due >= before + 750 and due <= after + 750)
  end)

  it("takes an id of the caller's once", function()
    local queue = fixtures.queue()
    local id = fixtures.id()
    assert.equal(id, queue:enqueue("first", {id = id}))
    assert.same({false, "duplicate", n = 2}, table.pack(queue:enqueue("second", {id = id})))
    assert.equal("first", queue:job(id).payload)
    local job = assert(queue:claim())
    assert.same({false, "duplicate", n = 2}, table.pack(queue:enqueue("third", {id = id})))
    assert.equal("done", job:complete())
    assert.equal(id, queue:enqueue("fourth", {id = id}))
  end)

  it("takes no id of another namespace", function()
    local queue = fixtures.queue()
    local err = failed("kind", queue:enqueue("x", {id = "USR0KHTOWnGLuC"}))
    assert.is_false(err.retriable)
    assert.equal(0, queue:counts().pending)
  end)

  it("refuses a stale token and leaves the job as it was", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local job = fixtures.claimed(queue)
    local key = echomq.keys.job_key(queue.name, job.id)
    local active = echomq.keys.queue_key(queue.name, "active")
    local row, deadline = raw:hash(key), raw("ZSCORE", active, job.id)
    local err = failed("stale", queue:complete(job.id, job.token + 1))
    assert.is_false(err.retriable)
    assert.equal("EMQSTALE complete token mismatch", err.server_text)
    assert.same(row, raw:hash(key))
    assert.equal(deadline, raw("ZSCORE", active, job.id))
    assert.equal("done", job:complete())
  end)

  it("knows a job that is gone", function()
    local queue = fixtures.queue()
    local job = fixtures.claimed(queue)
    assert.equal("done", job:complete())
    assert.equal("gone", job:complete())
    assert.equal("gone", queue:complete(fixtures.id(), 1))
    assert.equal(1, queue:counts().completed)
  end)

  it("keeps the result for a parent in another queue", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local parent = fixtures.id()
    for _, result in ipairs {"a\0b", false} do
      local id = assert(queue:enqueue("x"))
      raw("HSET", echomq.keys.job_key(queue.name, id), "parent", parent, "parent_queue", "other")
      local job = assert(queue:claim())
      assert.equal("done", job:complete(result or nil))
      local entry = raw("LPOP", echomq.keys.queue_key(queue.name, "flow:outbox"))
      assert.equal(table.concat({"other", parent, id, result or id}, "\0"), entry)
    end
  end)

  it("survives that the server forgets its scripts", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local function forget()
      raw("SCRIPT", "FLUSH")
      return queue
    end
    local id = assert(forget():enqueue("x"))
    local job = assert(forget():claim())
    assert.equal(id, job.id)
    assert.equal("active", forget():state(id))
    assert.equal(1, forget():counts().active)
    forget()
    assert.equal("done", job:complete())
  end)

  it("removes a ghost, counts it, and goes on", function()
    local client = fixtures.client()
    local queue = fixtures.queue(client)
    local ghost = "JOB00000000001" -- older than any other
    fixtures.raw()("ZADD", echomq.keys.queue_key(queue.name, "pending"), 0, ghost)
    local id = assert(queue:enqueue("x"))
    assert.equal(id, queue:claim().id)
    assert.equal(1, client:ghosts())
    assert.equal("absent", queue:state(ghost))
  end)
end)

describe("reads", function()
  after_each(fixtures.clean)

  it("count what is asked for", function()
    local queue = fixtures.queue()
    for _ = 1, 3 do
      assert(queue:enqueue("x"))
    end
    assert(queue:claim())
    assert.same({pending = 2, active = 1}, queue:counts("pending", "active"))
    assert.same({pending = 2}, queue:counts("pending", "pending"))
    -- What only other speakers of the wire do:
    local raw = fixtures.raw()
    raw("ZADD", echomq.keys.queue_key(queue.name, "schedule"), 1, fixtures.id())
    raw("ZADD", echomq.keys.queue_key(queue.name, "dead"), 0, fixtures.id())
    raw("HSET", echomq.keys.queue_key(queue.name, "metrics:failed"), "count", "9007199254740993")
    assert.same({pending = 2, active = 1, schedule = 1, dead = 1, completed = 0,
                 failed = 9007199254740993}, queue:counts())
  end)

  it("refuse another count before anything is sent", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local before = raw:commands()
    local err = refused(queue.counts, queue, "pending", "waiting")
    for _, name in ipairs {"pending", "active", "schedule", "dead", "completed", "failed"} do
      assert.is_truthy(err.message:find(name, 1, true))
    end
    refused(queue.counts, queue, 1)
    refused(queue.counts, queue, nil)
    assert.equal(before, raw:commands())
  end)

  it("find a job wherever it is", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local id = fixtures.id()
    assert.equal("absent", queue:state(id))
    raw("HSET", echomq.keys.job_key(queue.name, id), "state", "pending", "attempts", "0")
    assert.equal("unknown", queue:state(id))
    raw("HSET", echomq.keys.job_key(queue.name, id), "state", "awaiting_children")
    assert.equal("awaiting_children", queue:state(id))
    for set, state in pairs {schedule = "scheduled", dead = "dead", active = "active",
                             pending = "pending"} do
      raw("ZADD", echomq.keys.queue_key(queue.name, set), 1, id)
      assert.equal(state, queue:state(id))
      raw("ZREM", echomq.keys.queue_key(queue.name, set), id)
    end
  end)

  it("give a row as it is", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    assert.same({n = 2}, table.pack(queue:job(fixtures.id())))
    local job = fixtures.claimed(queue, "a\0b")
    raw("HSET", echomq.keys.job_key(queue.name, job.id), "last_error", "\xff\0", "x\0y", "")
    local row = queue:job(job.id)
    assert.same({
      state = "active", attempts = 1, payload = "a\0b",
      fields = {state = "active", attempts = "1", payload = "a\0b", last_error = "\xff\0",
                ["x\0y"] = ""},
    }, row)
    for _, attempts in ipairs {"many", "-1", "9223372036854775808", ""} do
      raw("HSET", echomq.keys.job_key(queue.name, job.id), "attempts", attempts)
      row = queue:job(job.id)
      assert.is_nil(row.attempts)
      assert.equal(attempts, row.fields.attempts)
    end
  end)
end)

describe("arguments", function()
  after_each(fixtures.clean)

  it("of a lease are seconds within bounds, and nothing is sent otherwise", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local before = raw:commands()
    for _, lease in ipairs {0, -1, 0 / 0, 1 / 0, 31536000.1, 1e300, "30", {}, false} do
      refused(queue.claim, queue, {lease = lease})
    end
    assert.equal(before, raw:commands())
    assert.is_nil(queue:claim({lease = 31536000}))
    assert.is_nil(queue:claim({lease = 0.0001})) -- rounded up to a millisecond
    assert.is_nil(queue:claim({}))
  end)

  it("may have no other options", function()
    local queue = fixtures.queue()
    local err = refused(queue.claim, queue, {leese = 3})
    assert.equal("there is no option leese here; there are: lease", err.message)
    refused(queue.claim, queue, 30)
    refused(queue.enqueue, queue, "x", fixtures.id())
    refused(queue.enqueue, queue, "x", {priority = 5})
  end)

  it("begin with the object: a dot for a colon is told", function()
    local queue = fixtures.queue()
    local job = fixtures.claimed(queue)
    assert.equal("call enqueue with a colon on an echomq.Queue",
                 refused(queue.enqueue, "x").message)
    refused(queue.claim)
    refused(queue.counts, "pending")
    refused(job.complete)
    refused(queue.client.close)
    refused(queue.client.queue, "orders")
  end)
end)
