-- SPDX-License-Identifier: MIT
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local fixtures = require "support.fixtures"
local program = require "support.program"
local system = require "support.system"
local echomq = require "echomq"

describe("memory", function()
  after_each(fixtures.clean)

  it("stays flat over many jobs", function()
    -- In a program of its own, where nothing else comes and goes.
    local grown = program.run([[
      local echomq = require "echomq"
      local client = assert(echomq.connect((...)))
      local queue = client:queue(echomq.ids.minter():mint("TST"))
      local payload = ("x"):rep(10000)
      local function round(count)
        for _ = 1, count do
          assert(queue:enqueue(payload))
          local job = assert(queue:claim())
          assert(queue:job(job.id))
          assert(job:complete() == "done")
          assert(queue:enqueue_many({payload, payload}))
          assert(queue:claim():complete() == "done")
          assert(queue:claim():complete() == "done")
          assert(not queue:enqueue("x", {id = "USR0KHTOWnGLuC"}))
          assert(not pcall(queue.enqueue, queue, 5))
        end
        collectgarbage()
        return tonumber(io.open("/proc/self/statm"):read("a"):match("%d+ (%d+)")) * 4096
      end
      local before = round(500)
      print(round(2000) - before) -- some 200 MB of payloads go by
    ]], fixtures.url)
    assert.is_true(tonumber(grown) < 1 << 20, ("it grew by %d bytes"):format(grown))
  end)

  it("stays flat over many lists", function()
    local grown = program.run([[
      local echomq = require "echomq"
      local client = assert(echomq.connect((...)))
      local queue = client:queue(echomq.ids.minter():mint("TST"))
      local payload = ("x"):rep(10000)
      local payloads = {}
      for index = 1, 50 do payloads[index] = payload end
      local function round(count)
        for _ = 1, count do
          assert(queue:enqueue_many(payloads))
          local id = assert(queue:enqueue(payload, {at = 1}))
          assert(queue:promote() == 1)
          local jobs = assert(queue:claim_many(100))
          assert(jobs[51].id == id and queue:add_log(id, payload) == 1)
          assert(#queue:logs(id) == 1 and #queue:browse("active") == 51)
          assert(queue:extend_many(jobs)[51].outcome == "done")
          jobs[52] = {id, 5}
          local verdicts = assert(queue:complete_many(jobs))
          assert(verdicts[51].outcome == "done" and verdicts[52].outcome == "gone")
          assert(queue:remove(id) == "gone")
          local back, dead = queue:sweep()
          assert(#back == 0 and #dead == 0 and queue:locate(id).sets == 0)
          assert(not pcall(queue.complete_many, queue, {{id, 1}, {id, 0}}))
          assert(not queue:obliterate())
        end
        collectgarbage()
        return tonumber(io.open("/proc/self/statm"):read("a"):match("%d+ (%d+)")) * 4096
      end
      local before = round(50)
      print(round(150) - before) -- some 75 MB of payloads go by
    ]], fixtures.url)
    assert.is_true(tonumber(grown) < 1 << 20, ("it grew by %d bytes"):format(grown))
  end)

  it("of clients and their connections comes back by the collector", function()
    local raw = fixtures.raw()
    local name = fixtures.name()
    for _ = 1, 50 do
      local client = assert(echomq.connect(fixtures.url, {client_name = name}))
      client:queue("q")
    end
    collectgarbage()
    fixtures.await(function() return not raw("CLIENT", "LIST"):find(name, 1, true) end)
  end)

  it("of a job outlives its client", function()
    local job
    do
      local client = assert(echomq.connect(fixtures.url))
      job = fixtures.claimed(client:queue(fixtures.name()), "kept")
      assert.equal("done", job:complete())
      client:close()
    end
    collectgarbage()
    assert.equal("kept", job.payload)
    fixtures.raised("closed", job.complete, job)
  end)

  it("is whole when the collector runs at every step", function()
    collectgarbage("generational")
    local queue = fixtures.queue()
    local hook = debug.gethook()
    debug.sethook(function() collectgarbage("step") end, "c")
    local ok, err = pcall(function()
      for number = 1, 50 do
        local payload = ("%d"):format(number):rep(100)
        assert(queue:enqueue(payload))
        local job = assert(queue:claim())
        assert(job.payload == payload)
        assert(job:complete() == "done")
      end
      assert(#queue:enqueue_many({"a", "b", "c"}) == 3)
    end)
    debug.sethook(hook)
    collectgarbage("incremental")
    assert(ok, err)
  end)
end)

describe("handles", function()
  after_each(fixtures.clean)

  it("keep their metatable, with what frees, to themselves", function()
    assert.is_false(getmetatable(fixtures.client()._handle))
  end)

  it("of the wrong kind are refused", function()
    local core = require "echomq._echomq"
    local client, minter = fixtures.client(), core.emq_minter_new(-1)
    local err = fixtures.refused(core.emq_client_close, minter)
    assert.equal("client must be a handle of emq_client, not userdata", err.message)
    for _, other in ipairs {5, "x", {}, io.stdout, client} do
      fixtures.refused(core.emq_client_ghosts, other)
    end
    fixtures.refused(core.emq_client_ghosts, nil)
    assert.is_false(pcall(core.emq_client_ghosts)) -- too few
  end)

  it("that the collector has freed are closed", function()
    -- A finalizer that is older than the client's own runs after it, at the end of the program.
    assert.equal("true\tclosed\tclosed\ttrue\n", program.run([[
      local echomq = require "echomq"
      local client, queue
      setmetatable({}, {__gc = function()
        local closed = client:closed()
        client:close()
        local _, a = pcall(queue.enqueue, queue, "x")
        local _, b = pcall(client.identity, client)
        print(closed, a.code, b.code, (tostring(client):find("closed") ~= nil))
      end})
      client = assert(echomq.connect((...)))
      queue = client:queue("q")
    ]], fixtures.url))
  end)
end)

describe("the end of a program", function()
  after_each(fixtures.clean)

  it("closes what is open, however it comes", function()
    for _, ending in ipairs {
      "", "os.exit(true, true)", "os.exit(true)", "os.exit(0, true)",
      "coroutine.wrap(function() os.exit(true, true) end)()",
      "local c <close> = client  return",
    } do
      assert.equal("", program.run([[
        local echomq = require "echomq"
        local client = assert(echomq.connect((...)))
        local queue = client:queue("spec-end")
        jobs = {queue = queue, client = client, again = assert(echomq.connect((...)))}
        assert(queue:enqueue("x"))
        jobs.job = queue:claim()
        minter = echomq.ids.minter()
      ]] .. ending, fixtures.url))
    end
    fixtures.raw()("DEL", echomq.keys.queue_key("spec-end", "pending"))
  end)

  it("may come from a signal's handler while a call waits", function()
    local silent = fixtures.silent()
    local running = program.start([[
      local system = assert(package.loadlib(...))()
      system.handle(10, function() os.exit(true, true) end)
      local client = assert(require("echomq").connect((select(3, ...))))
      client:queue("q"):enqueue("x")
      print("never")
    ]], system.object, "luaopen_spec_system", silent.url)
    silent:accept():value()
    running:signal(system.SIGUSR1)
    assert.same({0, ""}, {running:finish()})
  end)
end)

describe("a Lua state without memory", function()
  it("fails with Lua's own error, at any allocation", function()
    local rounds = system.starve([[
      local url = ...
      local echomq = require "echomq"
      local minter = echomq.ids.minter()
      local name = minter:mint("TST")
      local ready = assert(echomq.connect(url)):queue(name)
      return function()
        local client <close> = assert(echomq.connect(url))
        local queue = client:queue(name)
        local id = assert(queue:enqueue("some payload"))
        assert(queue:job(id))
        assert(queue:enqueue_many({"a", "b"}))
        assert(queue:counts())
        local job = assert(queue:claim())
        local none, err = queue:complete(job.id, 5)
        assert(err.code == "stale")
        assert(job:complete() == "done")
        local ok, refusal = pcall(queue.enqueue, queue, 5)
        assert(not ok)
        if refusal ~= "not enough memory" then
          assert(refusal.code == "invalid_argument")
        end
      end
    ]], fixtures.url)
    assert.is_true(rounds > 30, rounds)
  end)

  it("does so in the calls that give lists, too", function()
    local rounds = system.starve([[
      local url = ...
      local echomq = require "echomq"
      local name = echomq.ids.minter():mint("TST")
      local queue = assert(echomq.connect(url)):queue(name)
      return function()
        local id = assert(queue:enqueue("some payload", {at = 1}))
        assert(queue:add_log(id, "some line") == 1)
        assert(queue:promote())
        local jobs = assert(queue:claim_many(1000))
        assert(#jobs > 0 and #queue:logs(id) == 1 and #queue:browse("active") > 0)
        assert(queue:extend_many(jobs)[1].outcome == "done")
        assert(queue:locate(id).state == "active")
        local back, dead = queue:sweep()
        assert(#back == 0 and #dead == 0 and #queue:check() == 0)
        assert(queue:complete_many({{id, 5}, {id, 1}})[1].error.code == "stale")
        assert(queue:dedup("none") == nil)
        assert(queue:retry(jobs[1].id, jobs[1].token, "boom", {max_attempts = 1}))
        assert(queue:pause() and queue:obliterate({force = true}))
      end
    ]], fixtures.url)
    assert.is_true(rounds > 30, rounds)
  end)
end)

describe("several Lua states in one process", function()
  after_each(fixtures.clean)

  it("each work, one after the other and in threads at once", function()
    local code = [[
      local url, name = (...):match("(%S+) (%S+)")
      local echomq = require "echomq"
      local client = assert(echomq.connect(url))
      local queue = client:queue(("%s %p"):format(name, client)) -- no two states share it
      for number = 1, 200 do
        local payload = "payload " .. number
        local id = assert(queue:enqueue(payload))
        local job = assert(queue:claim())
        assert(job.id == id and job.payload == payload)
        assert(job:complete() == "done")
      end
      local ok, err = pcall(queue.enqueue, queue, 5)
      assert(not ok and err.code == "invalid_argument")
      return queue:counts().completed
    ]]
    local function run(count)
      return system.states(count, code, fixtures.url .. " " .. fixtures.name())
    end
    assert.same({"200"}, run(1))
    assert.same({"200"}, run(1))
    local many = {}
    for index = 1, 16 do
      many[index] = "200"
    end
    assert.same(many, run(16))
    assert(fixtures.queue():enqueue("and this one, too"))
  end)
end)
