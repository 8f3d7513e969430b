-- SPDX-License-Identifier: MIT
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local fixtures = require "support.fixtures"
local program = require "support.program"
local system = require "support.system"

-- Starts a program that is in a call when this returns. Its arguments are the URL of a silent
-- server and the object that support/system.lua loads; returned are the program, the server's end
-- of the connection, and the server.
local function waiting(text)
  local silent = fixtures.silent()
  local running = program.start(text, silent.url, system.object)
  local peer = silent:accept()
  assert(peer:value())
  return running, peer, silent
end

-- What it printed, once it has ended with `code` within a second of now.
local function ends(running, code)
  local begun = system.now()
  local ended, said = running:finish()
  local took = system.now() - begun
  assert.equal(code, ended, said)
  assert.is_true(took < 1, ("it took %.1f s"):format(took))
  return said
end

describe("Ctrl-C", function()
  after_each(fixtures.clean)

  it("ends a call with lua's own error", function()
    local running = waiting([[
      local client = assert(require("echomq").connect((...)))
      client:queue("q"):enqueue("x")
      print("never")
    ]])
    running:signal(system.SIGINT)
    local said = ends(running, 1)
    assert.is_truthy(said:find("interrupted!", 1, true), said)
    assert.is_nil(said:find("never", 1, true))
  end)

  it("ends a connect", function()
    local silent = fixtures.silent()
    local running = program.start([[ require("echomq").connect((...)) ]], silent.url)
    system.accept(silent.descriptor, 10)
    running:signal(system.SIGINT)
    assert.is_truthy(ends(running, 1):find("interrupted!", 1, true))
  end)

  local calls = {
    {"enqueue", "queue.enqueue, queue, 'x'"},
    {"enqueue_many", "queue.enqueue_many, queue, {'x'}"},
    {"claim", "queue.claim, queue"},
    {"counts", "queue.counts, queue"},
    {"claim_many", "queue.claim_many, queue, 5"},
    {"complete_many", "queue.complete_many, queue, {{'JOB0KHTOWnGLuC', 1}}"},
    {"extend", "queue.extend, queue, 'JOB0KHTOWnGLuC', 1"},
    {"sweep", "queue.sweep, queue"},
    {"obliterate", "queue.obliterate, queue"},
    {"check", "queue.check, queue"},
  }
  for _, call in ipairs(calls) do
    it("can be caught, in " .. call[1], function()
      local running = waiting(([[
        local client = assert(require("echomq").connect((...)))
        local queue = client:queue("q")
        print(pcall(%s))
        print(client:closed())
      ]]):format(call[2]))
      running:signal(system.SIGINT)
      assert.equal("false\tinterrupted!\nfalse\n", ends(running, 0))
    end)
  end

  it("reaches a call in a coroutine, and one in a coroutine's coroutine", function()
    for _, body in ipairs {
      "work()",
      "coroutine.wrap(function() return work() end)()",
    } do
      local running = waiting(([[
        local client = assert(require("echomq").connect((...)))
        local function work()
          client:queue("q"):enqueue("x")
        end
        local thread = coroutine.create(function() %s end)
        print(coroutine.resume(thread))
        print(coroutine.status(thread))
      ]]):format(body))
      running:signal(system.SIGINT)
      local said = ends(running, 0)
      assert.is_truthy(said:find("^false\t.*interrupted!.*\ndead\n$"), said)
    end
  end)

  it("leaves a client that goes on", function()
    local running, peer, silent = waiting([[
      local echomq = require "echomq"
      local client = assert(echomq.connect((...), {call_timeout = 10}))
      local queue = client:queue("q")
      print(pcall(queue.enqueue, queue, "x"))
      local counts = assert(queue:counts("pending"))
      print(counts.pending)
    ]])
    running:signal(system.SIGINT)
    assert.equal("false\tinterrupted!", running:line())
    -- The late answer goes to a connection that nobody reads; the next call opens one of its own.
    pcall(peer.write, peer, ":1\r\n")
    local second = silent:accept()
    assert(second:value())
    second:write("*1\r\n:7\r\n")
    assert.equal("7\n", ends(running, 0))
  end)
end)

describe("a signal's handler of the script's own", function()
  after_each(fixtures.clean)

  local head = [[
    local url, object = ...
    local system = assert(package.loadlib(object, "luaopen_spec_system"))()
    local client = assert(require("echomq").connect(url, {call_timeout = 10}))
    local queue = client:queue("q")
  ]]

  it("runs while a call waits, which then goes on", function()
    for _, call in ipairs {"queue:enqueue('x')", "coroutine.wrap(queue.enqueue)(queue, 'x')"} do
      local running, peer = waiting(head .. ([[
        system.handle(10, function(number) print("handled", number) end)
        print(%s ~= nil)
      ]]):format(call))
      for _ = 1, 3 do
        running:signal(system.SIGUSR1)
        assert.equal("handled\t10", running:line())
      end
      peer:write(":1\r\n")
      assert.equal("true\n", ends(running, 0))
    end
  end)

  it("may end the call with an error of its own", function()
    local running = waiting(head .. [[
      system.handle(10, function() error({mine = true}) end)
      local ok, err = pcall(queue.enqueue, queue, "x")
      print(ok, err.mine)
    ]])
    running:signal(system.SIGUSR1)
    assert.equal("false\ttrue\n", ends(running, 0))
  end)

  it("may end the call by closing its client", function()
    local running = waiting(head .. [[
      system.handle(10, function() client:close() end)
      local ok, err = pcall(queue.enqueue, queue, "x")
      print(ok, err.code)
    ]])
    running:signal(system.SIGUSR1)
    assert.equal("false\tclosed\n", ends(running, 0))
  end)

  it("needs a client of its own for calls of its own", function()
    local running, peer = waiting(head .. [[
      local other = assert(require("echomq").connect(os.getenv("ECHOMQ_TEST_URL")))
      system.handle(10, function()
        local none, err = queue:claim()
        print(none, err.code)
        print(other:queue("q-of-nobody"):state("JOB00000000001"))
        print(pcall(queue.claim, queue, {lease = -1}) == false)
      end)
      print(queue:enqueue("x") ~= nil)
    ]])
    running:signal(system.SIGUSR1)
    assert.equal("nil\tunsupported", running:line())
    assert.equal("absent", running:line())
    assert.equal("true", running:line())
    peer:write(":1\r\n")
    assert.equal("true\n", ends(running, 0))
  end)

  it("is left alone by loading and by use", function()
    assert.equal("handled\nhandled\n", program.run([[
      local url, object = ...
      local system = assert(package.loadlib(object, "luaopen_spec_system"))()
      system.handle(10, function() print("handled") end)
      local client = assert(require("echomq").connect(url))
      system.kill(system.pid(), 10)
      client:queue("q-of-nobody"):claim()
      system.kill(system.pid(), 10)
      client:close()
    ]], fixtures.url, system.object))
  end)
end)

describe("a debugger's hook", function()
  after_each(fixtures.clean)

  it("does not end a call", function()
    local queue = fixtures.queue()
    local calls = 0
    debug.sethook(function() calls = calls + 1 end, "crl", 1)
    local id, err = queue:enqueue("x")
    debug.sethook()
    assert(id, err)
    assert.is_true(calls > 0)
  end)
end)

describe("coroutines", function()
  after_each(fixtures.clean)

  it("may share a client", function()
    local client = fixtures.client()
    local queue = fixtures.queue(client)
    local threads = {}
    for index = 1, 20 do
      threads[index] = coroutine.wrap(function()
        for number = 1, 10 do
          local payload = index .. "/" .. number
          local id = assert(queue:enqueue(payload))
          coroutine.yield()
          assert(queue:job(id).payload == payload)
        end
        return true
      end)
    end
    for _ = 1, 10 do
      for _, thread in ipairs(threads) do
        thread()
      end
    end
    for _, thread in ipairs(threads) do
      assert.is_true(thread())
    end
    assert.equal(200, queue:counts().pending)
  end)
end)

describe("a broken connection", function()
  after_each(fixtures.clean)

  it("ends no process", function()
    assert.equal("1\t2\t3\t4\t5\nalive\n", program.run([[
      local url = ...
      local echomq = require "echomq"
      local client = assert(echomq.connect(url))
      local queue = client:queue(echomq.ids.minter():mint("TST"))
      local raw = assert(package.loadlib(select(2, ...), "luaopen_spec_system"))()
      local seen = {}
      for number = 1, 5 do
        local fd = assert(raw.connect((url:match("unix://([^?]+)"))))
        raw.write(fd, "CLIENT KILL TYPE normal SKIPME yes\r\n")
        assert(raw.read(fd, 5):find("^:"))
        assert(queue:enqueue(("x"):rep(number == 3 and 1 << 22 or 5)))
        seen[number] = queue:counts().pending
        raw.close(fd)
      end
      print(table.unpack(seen))
      print("alive")
    ]], fixtures.url, system.object))
  end)

  it("in the middle of a request is an error, and no signal", function()
    local running = waiting([[
      local client = assert(require("echomq").connect((...), {
        connect_timeout = 0.2, call_timeout = 2,
      }))
      local queue = client:queue("q")
      local _, err = queue:claim()
      print(err.code)
      _, err = queue:enqueue(("x"):rep(1 << 22))
      print(err.code)
    ]])
    fixtures.clean() -- takes the connection and its server away
    assert.equal("unknown_outcome\nconnection\n", ends(running, 0))
  end)
end)

describe("fork", function()
  after_each(fixtures.clean)

  it("leaves parent and child a connection each", function()
    local said = program.run([[
      local url, object = ...
      local system = assert(package.loadlib(object, "luaopen_spec_system"))()
      local echomq = require "echomq"
      local client = assert(echomq.connect(url))
      local queue = client:queue(echomq.ids.minter():mint("TST"))
      local minter = echomq.ids.minter()
      assert(queue:enqueue("before"))
      local children = {}
      local function work(mark)
        for number = 1, 200 do
          local payload = mark .. number
          local id = assert(queue:enqueue(payload))
          assert(queue:job(id).payload == payload)
        end
      end
      for index = 1, 4 do
        local pid = system.fork()
        if pid == 0 then
          local ok, err = pcall(work, "child " .. index .. " ")
          if not ok then io.stderr:write(tostring(err), "\n") end
          client:close()
          system.exit(ok and 0 or 1)
        end
        children[index] = pid
      end
      work("parent ")
      for _, pid in ipairs(children) do
        assert(system.wait(pid, 20) == 0)
      end
      work("parent again ")
      print(queue:counts().pending)
    ]], fixtures.url, system.object)
    assert.equal("1201\n", said)
  end)

  it("leaves minters that never meet", function()
    local said = program.run([[
      local system = assert(package.loadlib((...), "luaopen_spec_system"))()
      local minter = require("echomq").ids.minter(9)
      minter:mint()
      local seen = {}
      for child = 1, 4 do
        local name = os.tmpname()
        local pid = system.fork()
        if pid == 0 then
          local file = io.open(name, "w")
          for _ = 1, 5000 do file:write(minter:mint(), "\n") end
          file:close()
          system.exit(0)
        end
        assert(system.wait(pid, 20) == 0)
        for id in io.lines(name) do
          assert(not seen[id], id)
          seen[id] = true
        end
        os.remove(name)
      end
      for _ = 1, 5000 do
        assert(not seen[minter:mint()])
      end
      print("none met")
    ]], system.object)
    assert.equal("none met\n", said)
  end)
end)
