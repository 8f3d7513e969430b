-- SPDX-License-Identifier: MIT
-- The server's own protocol on a plain socket, to see and do what echomq does not.

local system = require "support.system"

local Raw = {}
Raw.__index = Raw

local SECONDS = 10

function Raw.path_of(url)
  local path = assert(url:match("^unix://([^?]+)"), url)
  return (path:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end))
end

function Raw.connect(url)
  return Raw.on(assert(system.connect(Raw.path_of(url))))
end

-- A connection that is there already.
function Raw.on(descriptor)
  return setmetatable({descriptor = descriptor, rest = ""}, Raw)
end

function Raw:write(bytes)
  system.write(self.descriptor, bytes)
end

function Raw:fill()
  local more = system.read(self.descriptor, SECONDS)
  if more == "" then
    error("the peer closed the connection", 0)
  end
  self.rest = self.rest .. more
end

function Raw:take(size)
  while #self.rest < size do
    self:fill()
  end
  local bytes = self.rest:sub(1, size)
  self.rest = self.rest:sub(size + 1)
  return bytes
end

function Raw:line()
  local from = self.rest:find("\r\n", 1, true)
  while not from do
    self:fill()
    from = self.rest:find("\r\n", 1, true)
  end
  return self:take(from + 1):sub(1, -3)
end

-- The next value: a reply, or at a server's end a command. An error reply is raised.
function Raw:value()
  local line = self:line()
  local kind, text = line:sub(1, 1), line:sub(2)
  if kind == "+" then
    return text
  elseif kind == ":" then
    return math.tointeger(tonumber(text))
  elseif kind == "-" then
    error(text, 0)
  elseif text == "-1" then
    return nil
  elseif kind == "$" then
    return self:take(tonumber(text) + 2):sub(1, -3)
  elseif kind == "*" then
    local list = {}
    for index = 1, tonumber(text) do
      list[index] = self:value()
    end
    return list
  end
  error("no reply: " .. line)
end

-- Sends a command and returns its reply.
function Raw:__call(...)
  local parts = {("*%d\r\n"):format(select("#", ...))}
  for index = 1, select("#", ...) do
    local word = tostring((select(index, ...)))
    parts[#parts + 1] = ("$%d\r\n%s\r\n"):format(#word, word)
  end
  self:write(table.concat(parts))
  return self:value()
end

-- A row as a table.
function Raw:hash(key)
  local flat, fields = self("HGETALL", key), {}
  for index = 1, #flat, 2 do
    fields[flat[index]] = flat[index + 1]
  end
  return fields
end

-- How many commands the server has carried out, without this one.
function Raw:commands()
  local sum = 0
  for name, calls in self("INFO", "commandstats"):gmatch("cmdstat_(%S-):calls=(%d+)") do
    if name ~= "info" then
      sum = sum + tonumber(calls)
    end
  end
  return sum
end

function Raw:close()
  system.close(self.descriptor)
end

return Raw
