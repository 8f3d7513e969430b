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

  it("takes iterators of the libraries", function()
    local queue = fixtures.queue()
    check_order(queue, assert(queue:enqueue_many(("1 2 3"):gmatch("%d"))), 3)
    local yielding = coroutine.wrap(function()
      coroutine.yield("4")
      coroutine.yield("5")
    end)
    assert.equal(2, #assert(queue:enqueue_many(yielding)))
    local name = os.tmpname()
    local file = assert(io.open(name, "w"))
    assert(file:write("6\n7\n8\n"))
    file:close()
    assert.equal(3, #assert(queue:enqueue_many(io.lines(name)))) -- which gives four values
    os.remove(name)
  end)

  it("tells how far it is after each flush", function()
    local queue = fixtures.queue()
    local function run(payloads)
      local calls = {}
      assert(queue:enqueue_many(payloads, {progress = function(...)
        calls[#calls + 1] = table.pack(...)
        assert(queue:depth() >= calls[#calls][1])
      end}))
      return calls
    end
    assert.same({{1000, 2500, n = 2}, {2000, 2500, n = 2}, {2500, 2500, n = 2}},
                run(list_of(numbers(2500))))
    assert.same({{1000, n = 2}, {2000, n = 2}, {2500, n = 2}}, run(numbers(2500)))
    assert.same({{2000, 2000, n = 2}}, {run(list_of(numbers(2000)))[2]})
    assert.same({}, run({}))
  end)

  it("ends with what progress raises", function()
    local queue = fixtures.queue()
    local mine = {}
    local ok, err = pcall(queue.enqueue_many, queue, numbers(2500), {progress = function()
      error(mine)
    end})
    assert.is_false(ok)
    assert.equal(mine, err)
    assert.equal(1000, queue:depth())
    -- An error of this package's own has the verdicts so far.
    err = refused(queue.enqueue_many, queue, numbers(2500), {progress = function()
      queue:claim({lease = -1})
    end})
    assert.equal(1000, #err.verdicts)
    assert.equal(2, #assert(queue:enqueue_many({"a", "b"}))) -- and the client goes on
  end)

  it("may yield from progress", function()
    local queue = fixtures.queue()
    local thread = coroutine.wrap(function()
      return #assert(queue:enqueue_many(numbers(1500), {progress = coroutine.yield}))
    end)
    assert.equal(1000, thread())
    assert.equal(1500, thread())
    assert.equal(1500, thread())
  end)

  it("takes options that are checked; else nothing is sent", function()
    local queue = fixtures.queue()
    fixtures.sends_nothing(function()
      for _, progress in ipairs {5, "print", {}, true, false} do
        refused(queue.enqueue_many, queue, {"a"}, {progress = progress})
      end
      refused(queue.enqueue_many, queue, {"a"}, print)
      refused(queue.enqueue_many, queue, {"a"}, {delay = 5})
    end)
  end)

  it("refuses a table that is no list, which would be nothing to do", function()
    local queue = fixtures.queue()
    fixtures.sends_nothing(function()
      refused(queue.enqueue_many, queue, {first = "a"})
      refused(queue.enqueue_many, queue, setmetatable({}, {__call = numbers(3)}))
    end)
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
