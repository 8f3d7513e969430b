-- SPDX-License-Identifier: MIT
local here = debug.getinfo(1, "S").source:match("^@(.*/)")
package.path = here .. "?.lua;" .. package.path
local fixtures = require "support.fixtures"
local echomq = require "echomq"

local failed, refused = fixtures.failed, fixtures.refused

describe("the table of errors", function()
  it("is the core's", function()
    local header = assert(io.open(here .. "../../../core/include/echomq/error.h")):read("a")
    local rows = {}
    for name, retriable, text in
      header:gmatch('\n  X%(([%u_]+), *%-%d+, *%a+, *(%a+), *"([^"]+)"%)') do
      local code = name:lower()
      rows[code] = {code = code, retriable = retriable == "true", text = text}
    end
    assert.is_true(rows.stale ~= nil and rows.refused ~= nil)
    assert.same(rows, echomq.errors)
  end)
end)

describe("an error", function()
  after_each(fixtures.clean)

  local function stale()
    local job = fixtures.claimed(fixtures.queue())
    return failed("stale", job.queue:complete(job.id, 99))
  end

  it("is a table with what is known", function()
    local err = stale()
    assert.same({
      code = "stale", retriable = false,
      message = "the token is not the job's current one: EMQSTALE complete token mismatch",
      server_text = "EMQSTALE complete token mismatch",
    }, setmetatable(err, nil))
  end)

  it("is its message as text", function()
    local err = stale()
    assert.equal(err.message, tostring(err))
    assert.equal("no: " .. err.message .. "!", "no: " .. err .. "!")
    local ok, raised = pcall(error, err)
    assert.is_false(ok)
    assert.equal(err, raised)
  end)

  it("is told from other values", function()
    assert.is_true(echomq.is_error(stale()))
    for _, value in ipairs {"stale", 5, {code = "stale"}, true} do
      assert.is_false(echomq.is_error(value))
    end
    assert.is_false(echomq.is_error(nil))
  end)

  it("of misuse says where", function()
    local queue = fixtures.queue()
    local line = debug.getinfo(1, "l").currentline
    local function misuse()
      queue:enqueue(5)
    end
    local err = refused(misuse)
    assert.equal("payload must be a string, not number", err.message)
    assert.is_truthy(tostring(err):find(("errors_spec.lua:%d: payload must"):format(line + 2), 1,
                                        true), tostring(err))
    err = refused(function() queue:enqueue_many({"x", 5}) end)
    assert.is_truthy(tostring(err):find(("errors_spec.lua:%d: item 2"):format(line + 8), 1, true),
                     tostring(err))
    err = refused(function() queue:claim({leese = 5}) end)
    assert.is_truthy(tostring(err):find(("errors_spec.lua:%d: there is"):format(line + 11), 1,
                                        true), tostring(err))
    err = refused(coroutine.wrap(function() queue:claim({leese = 5}) end))
    assert.is_truthy(tostring(err):find(("errors_spec.lua:%d: there is"):format(line + 14), 1,
                                        true), tostring(err))
  end)

  it("that nobody catches is printed by lua", function()
    local program = require "support.program"
    local code, said = program.start([[
      local echomq = require "echomq"
      local client = assert(echomq.connect((...)))
      client:queue("a{b")
    ]], fixtures.url):finish()
    assert.equal(1, code)
    assert.is_truthy(said:find("stdin:3: queue name has a brace at byte 1\n", 1, true), said)
    code, said = program.start([[
      assert(require("echomq").connect("unix:///nobody/listens"))
    ]]):finish()
    assert.equal(1, code)
    assert.is_truthy(said:find(": cannot connect to /nobody/listens: No such file", 1, true), said)
  end)
end)

describe("a state of the server", function()
  after_each(fixtures.clean)

  local function on_server(...)
    local server = fixtures.server(...)
    local client = fixtures.client({connect_timeout = 0.3, call_timeout = 0.3}, server.url)
    return client:queue("q"), server:raw(), server
  end

  it("wrong type", function()
    local queue, raw = on_server()
    raw("SET", echomq.keys.queue_key("q", "pending"), "alien")
    local err = failed("wrong_type", queue:enqueue("x"))
    assert.is_truthy(err.server_text:find("WRONGTYPE", 1, true))
    failed("wrong_type", queue:claim())
    failed("wrong_type", queue:counts())
    raw("DEL", echomq.keys.queue_key("q", "pending"))
    assert.equal("table", type(queue:counts()))
  end)

  it("out of memory", function()
    local queue, raw = on_server("--maxmemory-policy", "noeviction")
    assert(queue:enqueue("x"))
    raw("CONFIG", "SET", "maxmemory", 1)
    local err = failed("server_memory", queue:enqueue("x"))
    assert.is_true(err.retriable)
    assert.equal(1, raw("ZCARD", echomq.keys.queue_key("q", "pending")))
    raw("CONFIG", "SET", "maxmemory", 0)
    assert(queue:enqueue("x"))
  end)

  it("read-only", function()
    local queue, raw = on_server()
    assert(queue:enqueue("x"))
    raw("REPLICAOF", "127.0.0.1", 1)
    failed("readonly", queue:enqueue("x"))
  end)

  it("misconfigured", function()
    local queue, raw = on_server("--save", "3600 1", "--dbfilename", "taken")
    assert(queue:enqueue("x"))
    -- Even root cannot put a file where a folder is.
    assert(os.execute(("mkdir '%s/taken'"):format(raw("CONFIG", "GET", "dir")[2])))
    raw("BGSAVE")
    fixtures.await(function()
      return raw("INFO", "persistence"):find("rdb_last_bgsave_status:err", 1, true)
    end)
    failed("misconfigured", queue:enqueue("x"))
  end)

  it("busy", function()
    local queue, _, server = on_server("--busy-reply-threshold", "50")
    local other = server:raw()
    other:write("*3\r\n$4\r\nEVAL\r\n$21\r\nwhile true do end    \r\n$1\r\n0\r\n")
    local raw = server:raw()
    fixtures.await(function() return not pcall(raw, "PING") end)
    local err = failed("busy", queue:enqueue("x"))
    assert.is_true(err.retriable)
    raw("SCRIPT", "KILL")
    fixtures.await(function() return queue:enqueue("x") end)
  end)

  it("silent", function()
    local queue, _, server = on_server()
    server:freeze()
    local err = failed("timeout", queue:counts())
    assert.is_true(err.retriable)
    server:thaw()
    assert.equal(0, queue:counts().pending) -- and not the answer that comes late
    server:freeze()
    failed("unknown_outcome", queue:claim())
  end)

  it("gone", function()
    local queue, _, server = on_server()
    server:kill()
    failed("connection", queue:enqueue("x"))
    failed("connection", queue:counts())
  end)
end)
