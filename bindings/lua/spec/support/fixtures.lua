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

return fixtures
