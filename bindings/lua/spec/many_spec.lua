-- SPDX-License-Identifier: MIT
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local fixtures = require "support.fixtures"
local echomq = require "echomq"

local failed, refused = fixtures.failed, fixtures.refused

-- An iterator over "1", "2" and so on.
local function numbers(count)
  local number = 0
  return function()
    number = number + 1
    return number <= count and tostring(number) or nil
  end
end

local function list_of(iterator)
  local list = {}
  for item in iterator do
    list[#list + 1] = item
  end
  return list
end

describe("enqueue_many", function()
  after_each(fixtures.clean)

  local function check_order(queue, verdicts, count)
    assert.equal(count, #verdicts)
    local last = ""
    for number, verdict in ipairs(verdicts) do
      assert.equal("enqueued", verdict.outcome)
      assert.is_nil(verdict.error)
      assert.is_true(verdict.id > last)
      last = verdict.id
      if number % 97 == 1 then
        assert.equal(tostring(number), queue:job(verdict.id).payload)
      end
    end
    assert.equal(count, queue:counts().pending)
  end

  it("takes a list", function()
    local queue = fixtures.queue()
    check_order(queue, assert(queue:enqueue_many(list_of(numbers(2500)))), 2500)
  end)

  it("takes an iterator", function()
    local queue = fixtures.queue()
    check_order(queue, assert(queue:enqueue_many(numbers(2500))), 2500)
  end)

  it("takes what a generic for takes", function()
    local queue = fixtures.queue()
    local function step(most, last)
      return last < most and last + 1 or nil
    end
    refused(queue.enqueue_many, queue, step, 3, 0) -- numbers are no payloads
    check_order(queue, assert(queue:enqueue_many(("1 2 3"):gmatch("%d"))), 3)
    local yielding = coroutine.wrap(function()
      coroutine.yield("4")
      coroutine.yield("5")
    end)
    assert.equal(2, #assert(queue:enqueue_many(yielding)))
  end)

  it("takes nothing, and then sends nothing", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local before = raw:commands()
    assert.same({}, queue:enqueue_many({}))
    assert.same({}, queue:enqueue_many(numbers(0)))
    assert.equal(before, raw:commands())
  end)

  it("checks a whole list before it sends any of it", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local list = list_of(numbers(3000))
    list[2750] = 2750
    local before = raw:commands()
    local err = refused(queue.enqueue_many, queue, list)
    assert.equal("item 2750: payload must be a string, not number", err.message)
    assert.same({}, err.verdicts)
    for _, payloads in ipairs {"text", 5, true} do
      refused(queue.enqueue_many, queue, payloads)
    end
    refused(queue.enqueue_many, queue)
    assert.equal(before, raw:commands())
  end)

  it("checks an iterator's items before each flush, and tells what went out", function()
    local queue = fixtures.queue()
    local step = numbers(1e9)
    local err = refused(queue.enqueue_many, queue, function()
      local payload = step()
      return payload == "2750" and {} or payload
    end)
    assert.equal("item 2750: payload must be a string, not table", err.message)
    check_order(queue, err.verdicts, 2000)
  end)

  it("lets an iterator's own error through", function()
    local queue = fixtures.queue()
    local mine = {}
    local ok, err = pcall(queue.enqueue_many, queue, function() error(mine) end)
    assert.is_false(ok)
    assert.equal(mine, err)
  end)

  it("survives that the server forgets its scripts", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    for _ = 1, 3 do
      raw("SCRIPT", "FLUSH")
      assert.equal(100, #assert(queue:enqueue_many(numbers(100))))
    end
    -- And in the middle of a batch: the flush of the first thousand is over by then.
    local step = numbers(1100)
    local verdicts = assert(queue:enqueue_many(function()
      local payload = step()
      if payload == "1050" then
        raw("SCRIPT", "FLUSH")
      end
      return payload
    end))
    assert.equal(1100, #verdicts)
    assert.equal(1400, queue:counts().pending)
    for _, verdict in ipairs(verdicts) do
      assert.equal("enqueued", verdict.outcome)
    end
  end)

  it("gives the server's refusals as verdicts", function()
    local queue = fixtures.queue()
    fixtures.raw()("SET", echomq.keys.queue_key(queue.name, "pending"), "alien")
    local verdicts = assert(queue:enqueue_many({"a", "b"}))
    assert.equal(2, #verdicts)
    for _, verdict in ipairs(verdicts) do
      assert.is_nil(verdict.outcome)
      assert.is_true(echomq.is_error(verdict.error))
      assert.equal("wrong_type", verdict.error.code)
    end
  end)

  it("tells what is known when the connection fails midway", function()
    local server = fixtures.server()
    local client = fixtures.client({connect_timeout = 0.2, call_timeout = 2}, server.url)
    local queue = fixtures.queue(client)
    local step = numbers(3000)
    local err = failed("connection", queue:enqueue_many(function()
      local payload = step()
      if payload == "1500" then
        server:kill()
      end
      return payload
    end))
    assert.equal(2000, #err.verdicts)
    for number, verdict in ipairs(err.verdicts) do
      assert.equal(number <= 1000 and "enqueued" or nil, verdict.outcome)
      assert.equal(number > 1000 and "connection" or nil, verdict.error and verdict.error.code)
    end
  end)

  it("tells that an outcome is not known when the replies are lost", function()
    local silent = fixtures.silent()
    local program = require("support.program").start([[
      local echomq = require "echomq"
      local client = assert(echomq.connect((...), {call_timeout = 0.3}))
      local none, err = client:queue("q"):enqueue_many({"a", "b"})
      print(none, err.code, #err.verdicts)
      for _, verdict in ipairs(err.verdicts) do
        print(verdict.id and #verdict.id, verdict.outcome, verdict.error.code)
      end
    ]], silent.url)
    silent:accept()
    local code, said = program:finish()
    assert.equal("nil\tunknown_outcome\t2\n" .. ("14\tnil\tunknown_outcome\n"):rep(2), said)
    assert.equal(0, code)
  end)

  it("holds no more than a flush in memory", function()
    local queue = fixtures.queue()
    local payload = ("x"):rep(1 << 20)
    local function resident()
      local file = assert(io.open("/proc/self/statm"))
      local pages = file:read("a"):match("%d+ (%d+)")
      file:close()
      return pages * 4096
    end
    local count, most, before = 0, 0, resident()
    local verdicts = assert(queue:enqueue_many(function()
      count = count + 1
      most = math.max(most, resident() - before)
      return count <= 48 and payload or nil
    end))
    assert.equal(48, #verdicts)
    assert.is_true(most < 24 << 20, ("it grew by %d bytes"):format(most))
  end)
end)
