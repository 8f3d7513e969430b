-- SPDX-License-Identifier: MIT
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local fixtures = require "support.fixtures"
local program = require "support.program"

local failed, refused, key, row = fixtures.failed, fixtures.refused, fixtures.key, fixtures.row

-- A job that was claimed, taken back when its lease had lapsed, and claimed again: as its first
-- and as its second holder see it.
local function two_holders(queue)
  assert(queue:enqueue("x"))
  local first = assert(queue:claim({lease = 0.001}))
  fixtures.await(function() return queue:reap() == 1 end)
  local second = assert(queue:claim())
  assert.equal(first.id, second.id)
  assert.same({1, 2}, {first.token, second.token})
  return first, second
end

-- Fails if a call changes the job's row, its places, or the totals of the queue.
local function leaves_alone(queue, id, call)
  local raw = fixtures.raw()
  local before = {raw:hash(row(queue, id)), queue:locate(id), queue:counts()}
  call()
  assert.same(before, {raw:hash(row(queue, id)), queue:locate(id), queue:counts()})
end

describe("retry", function()
  after_each(fixtures.clean)

  it("brings a job back after its delay", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local job = fixtures.claimed(queue)
    assert.equal("scheduled", job:retry("boom", {delay = 0.01, max_attempts = 3}))
    assert.same({state = "scheduled", attempts = "1", payload = "payload", last_error = "boom"},
                raw:hash(row(queue, job.id)))
    assert.equal(0, raw("ZCARD", key(queue, "active")))
    fixtures.await_score(queue, "schedule", job.id)
    assert.equal(1, queue:promote())
    local again = assert(queue:claim())
    assert.equal(2, again.token)
    assert.equal("done", again:complete())
  end)

  it("waits a second and tries twenty times, if nothing else is said", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local job = fixtures.claimed(queue)
    raw("HSET", row(queue, job.id), "attempts", 19)
    local before = fixtures.server_ms(raw)
    assert.equal("scheduled", queue:retry(job.id, 19, "boom"))
    local after = fixtures.server_ms(raw)
    local due = tonumber(raw("ZSCORE", key(queue, "schedule"), job.id))
    assert.is_true(due >= before + 1000 and due <= after + 1000)
    raw("ZADD", key(queue, "schedule"), 1, job.id)
    assert.equal(1, queue:promote())
    assert.equal("dead", assert(queue:claim()):retry("boom"))
  end)

  it("ends among the dead after so many attempts", function()
    local queue = fixtures.queue()
    local id = assert(queue:enqueue("poison"))
    for attempt = 1, 3 do
      local job = assert(queue:claim())
      assert.equal(attempt, job.token)
      local outcome = job:retry("boom " .. attempt, {delay = 0.001 * attempt, max_attempts = 3})
      assert.equal(attempt == 3 and "dead" or "scheduled", outcome)
      if attempt < 3 then
        fixtures.await(function() return queue:promote() == 1 end)
      end
    end
    assert.equal("dead", queue:state(id))
    local dead = queue:job(id)
    assert.same({"dead", 3, "boom 3"}, {dead.state, dead.attempts, dead.fields.last_error})
    assert.same({id}, queue:browse("dead"))
    assert.equal(1, queue:metric("failed"))
    assert.same({}, queue:check())
  end)

  it("keeps its reason byte for byte, and 4 KiB of it", function()
    local queue = fixtures.queue()
    for _, reason in ipairs {"", "a\0b\xff", ("x"):rep(4096)} do
      local job = fixtures.claimed(queue)
      assert.equal("dead", job:retry(reason, {max_attempts = 1}))
      assert.equal(reason, queue:job(job.id).fields.last_error)
    end
    local job = fixtures.claimed(queue)
    assert.equal("dead", job:retry("x" .. ("\u{e9}"):rep(1 << 19), {max_attempts = 1}))
    assert.equal("x" .. ("\u{e9}"):rep(2047), queue:job(job.id).fields.last_error)
  end)

  it("tells a parent in another queue that its child is dead", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local parent = fixtures.id()
    local job = fixtures.claimed(queue)
    raw("HSET", row(queue, job.id), "parent", parent, "parent_queue", "other")
    assert.equal("dead", job:retry("boom", {max_attempts = 1}))
    assert.equal(table.concat({"", "fail", "other", parent, job.id, "fp", "boom"}, "\0"),
                 raw("LPOP", key(queue, "flow:outbox")))
  end)

  it("knows a job that is gone", function()
    local queue = fixtures.queue()
    local job = fixtures.claimed(queue)
    assert.equal("done", job:complete())
    assert.equal("gone", job:retry("late"))
    assert.equal("gone", queue:retry(fixtures.id(), 1, "never there"))
    assert.equal(0, fixtures.raw()("EXISTS", row(queue, job.id)))
  end)
end)

describe("delay", function()
  after_each(fixtures.clean)

  it("puts a job off without counting a failure", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local job = fixtures.claimed(queue)
    assert.equal("done", job:delay(0.04))
    assert.same({state = "scheduled", attempts = "1", payload = "payload"},
                raw:hash(row(queue, job.id)))
    assert.is_nil(raw("ZSCORE", key(queue, "active"), job.id))
    assert.is_nil(queue:claim())
    fixtures.await_score(queue, "schedule", job.id)
    assert.equal(1, queue:promote())
    local again = assert(queue:claim())
    assert.equal(2, again.token)
    assert.equal("done", again:complete())
    assert.equal(0, queue:metric("failed"))
  end)

  it("takes a time instead", function()
    local queue = fixtures.queue()
    local job = fixtures.claimed(queue)
    local at = os.time() + 3600
    assert.equal("done", queue:delay(job.id, job.token, {at = at}))
    assert.same({state = "scheduled", score_ms = at * 1000, sets = 1}, queue:locate(job.id))
  end)

  it("is refused to who lost the job, and not to who has it", function()
    local queue = fixtures.queue()
    fixtures.raw()("SCRIPT", "FLUSH")
    local first, second = two_holders(queue)
    leaves_alone(queue, first.id, function()
      local err = failed("stale", first:delay(1))
      assert.equal("EMQSTALE delay token mismatch", err.server_text)
    end)
    assert.equal("active", queue:state(first.id))
    assert.equal("done", second:delay(1))
    assert.same({"scheduled", 1}, {queue:state(first.id), queue:locate(first.id).sets})
    assert.equal("gone", queue:delay(fixtures.id(), 1, 1))
  end)
end)

describe("extend", function()
  after_each(fixtures.clean)

  it("keeps a job from being taken back", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    assert(queue:enqueue("x"))
    local job = assert(queue:claim({lease = 0.05}))
    local first = tonumber(raw("ZSCORE", key(queue, "active"), job.id))
    assert.equal("done", job:extend({lease = 60}))
    fixtures.await(function() return fixtures.server_ms(raw) > first end)
    assert.equal(0, queue:reap())
    assert.equal("active", queue:state(job.id))
    failed("stale", queue:extend(job.id, 2))
    assert.equal("gone", queue:extend(fixtures.id(), 1))
  end)

  it("counts from the server's now, thirty seconds if nothing else is said", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local job = fixtures.claimed(queue)
    for seconds, ms in pairs {[0] = 30000, [0.001] = 1, [5.5] = 5500, [31536000] = 31536000000} do
      local before = fixtures.server_ms(raw)
      assert.equal("done", job:extend(seconds > 0 and {lease = seconds} or nil))
      local after = fixtures.server_ms(raw)
      local ends = tonumber(raw("ZSCORE", key(queue, "active"), job.id))
      assert.is_true(ends >= before + ms and ends <= after + ms, seconds)
    end
  end)

  it("is too late when the job was taken back", function()
    local queue = fixtures.queue()
    assert(queue:enqueue("x"))
    local job = assert(queue:claim({lease = 0.001}))
    fixtures.await(function() return queue:reap() == 1 end)
    leaves_alone(queue, job.id, function()
      local err = failed("stale", job:extend())
      assert.equal("EMQSTALE lease lapsed", err.server_text)
    end)
  end)
end)

describe("a settlement", function()
  after_each(fixtures.clean)

  local calls = {
    complete = function(queue, id, token) return queue:complete(id, token) end,
    retry = function(queue, id, token) return queue:retry(id, token, "boom") end,
    delay = function(queue, id, token) return queue:delay(id, token, 5) end,
    extend = function(queue, id, token) return queue:extend(id, token) end,
  }

  it("with another claim's token leaves the job as it was", function()
    local queue = fixtures.queue()
    local first, second = two_holders(queue)
    leaves_alone(queue, first.id, function()
      for name, call in pairs(calls) do
        for _, token in ipairs {first.token, second.token + 1, math.maxinteger} do
          local err = failed("stale", call(queue, first.id, token))
          assert.is_false(err.retriable)
          assert.equal(("EMQSTALE %s token mismatch"):format(name), err.server_text)
        end
      end
    end)
    assert.equal("done", second:complete())
  end)

  it("of what nobody holds leaves it as it was", function()
    local queue = fixtures.queue()
    local scheduled, dead = fixtures.claimed(queue), fixtures.claimed(queue)
    assert.equal("scheduled", scheduled:retry("boom", {delay = 60}))
    assert.equal("dead", dead:retry("boom", {max_attempts = 1}))
    for _, job in ipairs {scheduled, dead} do
      leaves_alone(queue, job.id, function()
        for name, call in pairs(calls) do
          local code = name == "extend" and "stale" or "state"
          local err = failed(code, call(queue, job.id, job.token))
          assert.is_false(err.retriable)
        end
      end)
    end
    assert.same({}, queue:check())
  end)

  it("is still its last holder's after the lease, until another claim", function()
    local queue = fixtures.queue()
    for name, expected in pairs {complete = "absent", retry = "scheduled", delay = "scheduled"} do
      assert(queue:enqueue("x"))
      local job = assert(queue:claim({lease = 0.001}))
      fixtures.await(function() return queue:reap() == 1 end)
      assert(calls[name](queue, job.id, job.token))
      assert.equal(expected, queue:state(job.id))
      assert.same({}, queue:check())
    end
  end)

  it("checks what it is given; else nothing is sent", function()
    local queue = fixtures.queue()
    local job = fixtures.claimed(queue)
    fixtures.sends_nothing(function()
      for _, call in pairs(calls) do
        for _, id in ipairs {"", "JOB", "job0KHTOWnGLuC", "JOBzzzzzzzzzzz", 5, {}, false} do
          refused(call, queue, id, 1)
        end
        refused(call, queue, nil, 1)
        for _, token in ipairs {0, -1, 1.5, 0 / 0, "1", {}, false} do
          refused(call, queue, job.id, token)
        end
        refused(call, queue, job.id, nil)
      end
      for _, seconds in ipairs(fixtures.bad_seconds) do
        refused(job.retry, job, "boom", {delay = seconds})
        refused(job.extend, job, {lease = seconds})
        refused(job.delay, job, {at = seconds})
        refused(job.delay, job, seconds)
      end
      refused(job.extend, job, {lease = 0})
      refused(job.extend, job, 30)
      refused(job.delay, job)
      refused(job.delay, job, {})
      refused(job.delay, job, {delay = 5})
      refused(job.delay, job, {at = 5, delay = 5})
      refused(job.delay, job, 31536000.001)
      refused(job.retry, job, "boom", {delay = 31536000.001})
      refused(job.retry, job, "boom", 5)
      refused(job.retry, job, "boom", {delays = 5})
      for _, reason in ipairs {5, {}, false} do
        refused(job.retry, job, reason)
      end
      refused(job.retry, job)
      for _, most in ipairs(fixtures.bad_counts) do
        refused(job.retry, job, "boom", {max_attempts = most})
      end
      refused(job.retry, job, "boom", {max_attempts = 1000001})
      for _, name in ipairs {"retry", "delay", "extend"} do
        refused(job[name])
        refused(queue[name], job.id, 1)
      end
    end)
    assert.equal("done", job:complete())
  end)

  it("whose reply was lost is not sent again; an extension is", function()
    local silent = fixtures.silent()
    local running = program.start([[
      local client = assert(require("echomq").connect((...), {call_timeout = 10}))
      local queue = client:queue("q")
      local id = "JOB0KHTOWnGLuC"
      print(select(2, queue:retry(id, 1, "boom")).code)
      print(select(2, queue:delay(id, 1, 5)).code)
      print(select(2, queue:complete_many({{id, 1}})).verdicts[1].error.code)
      print(queue:extend(id, 1))
    ]], silent.url)
    for _ = 1, 4 do -- each is read and not answered
      local peer = silent:accept()
      assert.equal("EVALSHA", peer:value()[1])
      silent:drop(peer)
    end
    local peer = silent:accept()
    assert.equal("EVALSHA", peer:value()[1])
    peer:write(":1\r\n")
    local code, said = running:finish()
    assert.equal(("unknown_outcome\n"):rep(3) .. "done\n", said)
    assert.equal(0, code)
  end)
end)
