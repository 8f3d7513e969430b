-- SPDX-License-Identifier: MIT
-- Servers of a test's own: a real one, to stop and to break, and one that keeps silent.

local system = require "support.system"
local Raw = require "support.raw"

local SECONDS = 10

local Server = {}
Server.__index = Server

-- Starts a server, with arguments of the server's own.
function Server.start(...)
  local launcher = assert(os.getenv("ECHOMQ_TEST_SERVER"))
  local kind = assert(os.getenv("ECHOMQ_TEST_KIND"))
  local pid, input, output = system.spawn({launcher, "--kind", kind, ...})
  local said = Raw.on(output)
  while not said.rest:find("\n.*\n") do
    said:fill()
  end
  local url, server = said.rest:match("(%S+)\n(%d+)\n")
  return setmetatable({
    url = assert(url, said.rest),
    pid = math.tointeger(tonumber(server)),
    launcher = pid, input = input, output = output,
  }, Server)
end

-- A connection of the test's own.
function Server:raw()
  return Raw.connect(self.url)
end

function Server:freeze()
  system.kill(self.pid, system.SIGSTOP)
end

function Server:thaw()
  system.kill(self.pid, system.SIGCONT)
end

-- Ends the server; returns when nobody listens any more.
function Server:kill()
  system.kill(self.pid, system.SIGKILL)
  assert(system.wait(self.launcher, SECONDS), "the launcher did not end")
  self.launcher = nil
end

function Server:stop()
  if self.launcher then
    self:thaw()
    system.close(self.input)
    assert(system.wait(self.launcher, SECONDS), "the launcher did not end")
  end
  system.close(self.output)
end

-- A server that speaks the fence and answers nothing else.
local Silent = {}
Silent.__index = Silent

function Silent.start()
  local path = os.tmpname()
  os.remove(path)
  return setmetatable({
    path = path,
    url = "unix://" .. path,
    descriptor = system.listen(path),
    connections = {},
  }, Silent)
end

-- Takes a client's connection and lets it pass the fence.
function Silent:accept()
  local peer = Raw.on(system.accept(self.descriptor, SECONDS))
  self.connections[#self.connections + 1] = peer
  local command = peer:value()
  assert(command[1] == "GET" and command[2] == "{emq}:version", command[1])
  peer:write("$12\r\nechomq:4.0.0\r\n")
  return peer
end

-- Closes the newest connection.
function Silent:drop(peer)
  assert(table.remove(self.connections) == peer)
  peer:close()
end

function Silent:stop()
  for _, peer in ipairs(self.connections) do
    peer:close()
  end
  system.close(self.descriptor)
  os.remove(self.path)
end

return {start = Server.start, silent = Silent.start}
