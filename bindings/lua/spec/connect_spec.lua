-- SPDX-License-Identifier: MIT
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local fixtures = require "support.fixtures"
local system = require "support.system"
local echomq = require "echomq"

local failed, refused, raised = fixtures.failed, fixtures.refused, fixtures.raised

describe("connect", function()
  after_each(fixtures.clean)

  it("gives a client that says what it is", function()
    local client = fixtures.client()
    assert.equal("echomq:4.0.0", client:identity())
    assert.equal("scripted", client:executor())
    assert.equal(0, client:ghosts())
    assert.is_false(client:closed())
    assert.equal("echomq.Client: echomq:4.0.0", tostring(client))
  end)

  it("takes each executor by name", function()
    assert.equal("scripted", fixtures.client({executor = "auto"}):executor())
    assert.equal("scripted", fixtures.client({executor = "scripted"}):executor())
    for _, executor in ipairs {"Auto", "", 1, true, {}} do
      refused(echomq.connect, fixtures.url, {executor = executor})
    end
  end)

  it("refuses bad arguments before it connects", function()
    local bad = {
      username = 5, password = {}, client_name = "two words", identity = "",
      node = 1024, connect_timeout = 0, call_timeout = -1,
    }
    local silent = fixtures.silent() -- where a connection would wait to be accepted
    for name, value in pairs(bad) do
      refused(echomq.connect, silent.url, {[name] = value})
    end
    for _, seconds in ipairs {0 / 0, 1 / 0, 86400.1, "5", 1e300, {}, false} do
      refused(echomq.connect, silent.url, {connect_timeout = seconds})
      refused(echomq.connect, silent.url, {call_timeout = seconds})
    end
    for _, node in ipairs {-1, 1.0, 1.5, "1", false} do
      refused(echomq.connect, silent.url, {node = node})
    end
    for _, url in ipairs {"", "localhost", "http://localhost", 6379, {}} do
      refused(echomq.connect, url)
    end
    failed("unsupported", echomq.connect("rediss://localhost"))
    refused(echomq.connect, silent.url, {time_out = 5})
    refused(echomq.connect, silent.url, "auto")
    assert.is_false(pcall(system.accept, silent.descriptor, 0))
  end)

  it("reports at once that nobody listens", function()
    local begun = system.now()
    local err = failed("connection", echomq.connect("unix:///nobody/listens/here"))
    assert.is_true(err.retriable)
    failed("connection", echomq.connect("redis://127.0.0.1:1"))
    assert.is_true(system.now() - begun < 2)
  end)

  it("gives up after its timeout", function()
    local silent = fixtures.silent()
    local begun = system.now()
    failed("timeout", echomq.connect(silent.url, {connect_timeout = 0.2}))
    local took = system.now() - begun
    assert.is_true(took > 0.19 and took < 2, took)
  end)

  it("takes the path of a URL decoded, and its database", function()
    local server = fixtures.server()
    local raw = fixtures.raw(server.url)
    local path = require("support.raw").path_of(server.url)
    local encoded = path:gsub("%l", function(letter) return ("%%%02X"):format(letter:byte()) end)
    local client = fixtures.client(nil, "unix://" .. encoded .. "?db=7")
    assert(client:queue("q"):enqueue("x"))
    raw("SELECT", 7)
    assert.equal(3, raw("DBSIZE"))
  end)

  it("gives the server its name", function()
    local name = fixtures.name()
    fixtures.client({client_name = name})
    assert.is_truthy(fixtures.raw()("CLIENT", "LIST"):find("name=" .. name, 1, true))
  end)

  it("mints with the node it was given", function()
    local id = assert(fixtures.queue(fixtures.client({node = 777})):enqueue("x"))
    assert.equal(777, echomq.ids.decode(id).node)
  end)
end)

describe("credentials", function()
  after_each(fixtures.clean)

  it("are told from each other", function()
    local server = fixtures.server("--requirepass", "s3 cr/t@:#%?")
    failed("auth", echomq.connect(server.url))
    local err = failed("auth", echomq.connect(server.url, {password = "wrong"}))
    assert.is_truthy(err.server_text)
    assert.is_false(err.retriable)
    local client = fixtures.client({password = "s3 cr/t@:#%?"}, server.url)
    assert(client:queue("q"):enqueue("x"))
    local url = server.url .. "&password=s3%20cr%2Ft%40%3A%23%25%3F"
    assert(fixtures.client(nil, url):queue("q"):enqueue("x"))
  end)

  it("of a user with few rights give what he may", function()
    local server = fixtures.server()
    local admin = fixtures.client(nil, server.url)
    assert(admin:queue("orders"):enqueue("x"))
    local raw = fixtures.raw(server.url)
    raw("ACL", "SETUSER", "ann", "on", ">pw", "~emq:{orders}:*", "~{emq}:*", "+@read",
        "+@write", "+evalsha", "+script|load", "+time")
    local client = fixtures.client({username = "ann", password = "pw"}, server.url)
    assert(client:queue("orders"):enqueue("y"))
    failed("permission", client:queue("bills"):enqueue("z"))
  end)
end)

describe("the fence", function()
  after_each(fixtures.clean)

  it("refuses another wire and writes nothing", function()
    local server = fixtures.server()
    local raw = fixtures.raw(server.url)
    raw("SET", "{emq}:version", "echomq:6.0.0")
    local err = failed("fence", echomq.connect(server.url, {executor = "scripted"}))
    assert.equal("echomq:6.0.0", err.found)
    assert.equal("echomq:4.0.0", err.expected)
    assert.is_false(err.retriable)
    assert.same({"{emq}:version"}, raw("KEYS", "*"))
    assert.equal("echomq:6.0.0", raw("GET", "{emq}:version"))
  end)

  it("claims an empty store, and takes an identity of the deployment's", function()
    local server = fixtures.server()
    local client = fixtures.client({identity = "echomq:3.0.0"}, server.url)
    assert.equal("echomq:3.0.0", client:identity())
    assert.equal("echomq:3.0.0", fixtures.raw(server.url)("GET", "{emq}:version"))
    local err = failed("fence", echomq.connect(server.url))
    assert.equal("echomq:3.0.0", err.found)
  end)

  it("stands at every reconnect", function()
    local server = fixtures.server()
    local client = fixtures.client(nil, server.url)
    local raw = fixtures.raw(server.url)
    raw("SET", "{emq}:version", "another:1.0.0")
    raw("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    local err = failed("fence", client:queue("q"):enqueue("x"))
    assert.equal("another:1.0.0", err.found)
    assert.equal(1, raw("DBSIZE"))
  end)
end)

describe("a closed client", function()
  after_each(fixtures.clean)

  it("raises at every use", function()
    local client = fixtures.client()
    local queue = fixtures.queue(client)
    local job = fixtures.claimed(queue)
    client:close()
    assert.is_true(client:closed())
    assert.equal("echomq.Client: closed", tostring(client))
    for _, call in ipairs {
      function() client:queue("q") end,
      function() queue:enqueue("x") end,
      function() queue:enqueue("x", {id = fixtures.id()}) end,
      function() queue:enqueue_many({"x"}) end,
      function() queue:claim() end,
      function() queue:complete(job.id, 1) end,
      function() job:complete() end,
      function() queue:counts() end,
      function() queue:state(job.id) end,
      function() queue:job(job.id) end,
      function() queue:enqueue("x", {delay = 5}) end,
      function() queue:enqueue("x", {delay = 5, id = fixtures.id()}) end,
      function() queue:claim_many(5) end,
      function() job:retry("boom") end,
      function() job:delay(5) end,
      function() job:extend() end,
      function() queue:complete_many({job}) end,
      function() queue:extend_many({job}) end,
      function() queue:promote() end,
      function() queue:reap() end,
      function() queue:sweep() end,
      function() queue:update_data(job.id, "x") end,
      function() queue:update_progress(job.id, "x") end,
      function() queue:add_log(job.id, "x") end,
      function() queue:logs(job.id) end,
      function() queue:remove(job.id) end,
      function() queue:reprocess(job.id) end,
      function() queue:pause() end,
      function() queue:resume() end,
      function() queue:drain() end,
      function() queue:obliterate() end,
      function() queue:browse("active") end,
      function() queue:depth() end,
      function() queue:dedup("x") end,
      function() queue:metric("failed") end,
      function() queue:locate(job.id) end,
      function() queue:check() end,
    } do
      local err = raised("closed", call)
      assert.equal("the client is closed", err.message)
    end
  end)

  it("may be closed again", function()
    local client = fixtures.client()
    client:close()
    client:close()
    assert.is_true(client:closed())
  end)

  it("has given its connection back", function()
    local name = fixtures.name()
    local raw = fixtures.raw()
    local client = fixtures.client({client_name = name})
    assert.is_truthy(raw("CLIENT", "LIST"):find(name, 1, true))
    client:close()
    fixtures.await(function() return not raw("CLIENT", "LIST"):find(name, 1, true) end)
  end)

  it("is what leaving a block gives, by an error too", function()
    local kept = {}
    do
      local client <close> = fixtures.client()
      kept[1] = client
      assert.is_false(client:closed())
    end
    local ok, err = pcall(function()
      local client <close> = fixtures.client()
      kept[2] = client
      error("mine", 0)
    end)
    assert.same({false, "mine"}, {ok, err})
    assert.is_true(kept[1]:closed())
    assert.is_true(kept[2]:closed())
  end)
end)
