-- SPDX-License-Identifier: MIT
-- Other Lua programs, with the same echomq.

local system = require "support.system"
local Raw = require "support.raw"

local SECONDS = 30

local Program = {}
Program.__index = Program

-- The interpreter that runs the specs.
local function interpreter()
  local first = 0
  while arg and arg[first - 1] do
    first = first - 1
  end
  return first < 0 and arg[first] or "lua5.4"
end

-- Starts a program from its text; its arguments are the text's `...`.
function Program.start(text, ...)
  local pid, input, output = system.spawn({interpreter(), "-", ...})
  local head = ("package.path, package.cpath = %q, %q "):format(package.path, package.cpath)
  system.write(input, head .. "io.stdout:setvbuf('line') " .. text)
  system.close(input)
  return setmetatable({pid = pid, output = output, said = Raw.on(output)}, Program)
end

-- The next line that it prints, errors among them.
function Program:line()
  while not self.said.rest:find("\n") do
    self.said:fill()
  end
  return self.said:take(self.said.rest:find("\n")):sub(1, -2)
end

function Program:signal(number)
  system.kill(self.pid, number)
end

-- Waits for its end: its exit code (or minus the signal's number), and what it printed since.
function Program:finish()
  local parts = {self.said.rest}
  repeat
    parts[#parts + 1] = system.read(self.output, SECONDS)
  until parts[#parts] == ""
  system.close(self.output)
  local code = assert(system.wait(self.pid, SECONDS), "the program does not end")
  return code, table.concat(parts)
end

-- Runs a program that must end well, and returns what it printed.
function Program.run(text, ...)
  local code, said = Program.start(text, ...):finish()
  assert(code == 0, ("it ended with %d: %s"):format(code, said))
  return said
end

return Program
