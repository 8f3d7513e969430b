-- SPDX-License-Identifier: MIT
-- The connection.

local core = require "echomq._echomq"
local errors = require "echomq.errors"
local Queue = require "echomq.queue"
core.emq_face()

local EXECUTORS = {
  auto = core.EMQ_EXECUTOR_AUTO,
  scripted = core.EMQ_EXECUTOR_SCRIPTED,
  native = core.EMQ_EXECUTOR_NATIVE,
}

local OPTIONS = {
  username = true, password = true, client_name = true, identity = true, executor = true,
  node = true, connect_timeout = true, call_timeout = true,
}

-- A connection that has passed the fence. One that broke is opened again by the next call; after
-- a fork the child's first call opens a connection of its own.
local Client = {__name = "echomq.Client"}
Client.__index = Client

local function executor_number(executor)
  local number = EXECUTORS[executor == nil and "auto" or executor]
  if not number then
    errors.refuse('executor must be "auto", "scripted" or "native", not %s', tostring(executor))
  end
  return number
end

--- Connects to a server and passes its fence.
--
-- url: redis://[user[:password]@]host[:port][/db], valkey:// likewise, or unix:///path?db=n;
-- percent-decoded once; nil: redis://127.0.0.1:6379/0. options, each of which may be left out:
--
--   username, password  taken literally; they go before the URL's
--   client_name         for the server's list of clients
--   identity            what the fence expects, where a deployment stamps its own
--   executor            "scripted", or "auto" (the default), which is that; "native" is not built
--   node                of the ids minted here, 0 to 1023; else from ECHOMQ_NODE, else random
--   connect_timeout     seconds to connect and pass the fence (5)
--   call_timeout        seconds for one call, reconnecting included (30)
--
-- Returns a client; or nil and an error, among them "fence" (the store speaks another wire, and
-- nothing was written to it), "connection", "timeout", "auth".
local function connect(url, options)
  options = errors.check_options(options, OPTIONS)
  local longest = core.EMQ_TIMEOUT_MAX_MS
  local handle, err = core.emq_connect(
    url, options.username, options.password, options.client_name, options.identity,
    executor_number(options.executor), errors.check_node(options.node),
    errors.check_seconds(options.connect_timeout, "connect_timeout", 5, 1, longest),
    errors.check_seconds(options.call_timeout, "call_timeout", 30, 1, longest))
  if not handle then
    return nil, err
  end
  return setmetatable({_handle = handle}, Client)
end

--- A queue by name: 1 to 512 bytes, without braces and control characters. Nothing is sent.
function Client:queue(name)
  errors.check_self(self, Client, "queue")
  if self:closed() then
    core.emq_raise(core.EMQ_ERR_CLOSED, "the client is closed")
  end
  core.emq_queue_check(name)
  return Queue.new(self, name)
end

--- Closes the connection; every later call raises "closed". Closing twice is harmless. From a
-- signal's handler it ends the call that waits.
function Client:close()
  errors.check_self(self, Client, "close")
  if core.emq_alive(self._handle) then
    core.emq_client_close(self._handle)
  end
end

Client.__close = Client.close

--- Whether close has been called.
function Client:closed()
  errors.check_self(self, Client, "closed")
  return not core.emq_alive(self._handle) or core.emq_client_closed(self._handle)
end

--- The identity that the fence compared, such as "echomq:4.0.0".
function Client:identity()
  errors.check_self(self, Client, "identity")
  return core.emq_client_identity(self._handle)
end

--- Who runs the transitions on the server: "scripted" or "native".
function Client:executor()
  errors.check_self(self, Client, "executor")
  local native = core.emq_client_executor(self._handle) == core.EMQ_EXECUTOR_NATIVE
  return native and "native" or "scripted"
end

--- How many ghosts (members of a set whose row is gone) this client has removed.
function Client:ghosts()
  errors.check_self(self, Client, "ghosts")
  return core.emq_client_ghosts(self._handle)
end

function Client:__tostring()
  return ("%s: %s"):format(Client.__name, self:closed() and "closed" or self:identity())
end

return {connect = connect}
