-- SPDX-License-Identifier: MIT
-- What most specs need: the shared server, a queue that no other test uses, and what is undone
-- after each test (every spec file says `after_each(fixtures.clean)`).

local echomq = require "echomq"
local Raw = require "support.raw"
local system = require "support.system"
local servers = require "support.server"

local fixtures = {
  url = assert(os.getenv("ECHOMQ_TEST_URL"), "run these specs under tests/support/server"),
}

local undo = {}

function fixtures.clean()
  while #undo > 0 do
    table.remove(undo)()
  end
end

-- A client of the shared server, or of `url`.
function fixtures.client(options, url)
  local client = assert(echomq.connect(url or fixtures.url, options))
  undo[#undo + 1] = function() client:close() end
  return client
end

local minter = echomq.ids.minter()

function fixtures.name()
  return "spec-" .. minter:mint("TST")
end

function fixtures.queue(client)
  return (client or fixtures.client()):queue(fixtures.name())
end

-- A new job id.
function fixtures.id()
  return minter:mint()
end

-- A plain connection to the shared server, or to `url`.
function fixtures.raw(url)
  local raw = Raw.connect(url or fixtures.url)
  undo[#undo + 1] = function() raw:close() end
  return raw
end

function fixtures.server(...)
  local server = servers.start(...)
  undo[#undo + 1] = function() server:stop() end
  return server
end

-- A server that speaks the fence and answers nothing else.
function fixtures.silent()
  local silent = servers.silent()
  undo[#undo + 1] = function() silent:stop() end
  return silent
end

-- Waits until a function gives true.
function fixtures.await(condition)
  local until_then = system.now() + 10
  while not condition() do
    assert(system.now() < until_then, "it did not come true")
    system.pause(0.01)
  end
end

-- Calls a function that must raise a misuse with that code; returns the error.
function fixtures.raised(code, call, ...)
  local ok, err = pcall(call, ...)
  assert(not ok, "nothing was raised")
  assert(echomq.is_error(err), tostring(err))
  assert(err.code == code, tostring(err))
  return err
end

-- The same for the code "invalid_argument".
function fixtures.refused(call, ...)
  return fixtures.raised("invalid_argument", call, ...)
end

-- The error of a call that gave nil and one with that code.
function fixtures.failed(code, value, err)
  assert(value == nil, tostring(value))
  assert(echomq.is_error(err), tostring(err))
  assert(err.code == code, tostring(err))
  return err
end

-- A fresh job of `queue`: enqueued and claimed.
function fixtures.claimed(queue, payload)
  assert(queue:enqueue(payload or "payload"))
  return assert(queue:claim())
end

-- The key of a set or another part of `queue`.
function fixtures.key(queue, kind)
  return echomq.keys.queue_key(queue.name, kind)
end

-- The key of a job's row.
function fixtures.row(queue, id)
  return echomq.keys.job_key(queue.name, id)
end

-- The server's clock in unix ms.
function fixtures.server_ms(raw)
  local time = raw("TIME")
  return time[1] * 1000 + time[2] // 1000
end

-- Waits until the time in the score of a job in a set has passed by the server's clock.
function fixtures.await_score(queue, set, id)
  local raw = fixtures.raw()
  local score = assert(tonumber(raw("ZSCORE", fixtures.key(queue, set), id)))
  fixtures.await(function() return fixtures.server_ms(raw) > score end)
end

-- Fails if the calls in `body` send anything to the shared server.
function fixtures.sends_nothing(body)
  local raw = fixtures.raw()
  local before = raw:commands()
  body()
  local sent = raw:commands() - before
  assert(sent == 0, ("%d commands were sent"):format(sent))
end

-- What is no number of seconds that any call takes, and what is no whole number of things.
fixtures.bad_seconds = {-1, -0.0001, 0 / 0, 1 / 0, -1 / 0, 1e300, "5", {}, true, false}
fixtures.bad_counts = {0, -1, 1.5, 0 / 0, 1 / 0, math.maxinteger, "5", {}, true, false}

return fixtures
