-- SPDX-License-Identifier: MIT
-- complete.lua URL: reads an id and its token from each line of standard input, completes that job
-- and prints its id.

local echomq = require "echomq"

local url = ...
io.stdout:setvbuf("line")
local client = assert(echomq.connect(url))
local queue = client:queue("orders")
for line in io.lines() do
  local id, token = line:match("^(%w+) (%d+)$")
  if not id then
    error("not an id and a token: " .. line, 0)
  end
  local outcome, err = queue:complete(id, math.tointeger(token))
  if outcome ~= "done" then
    error(("%s: %s"):format(id, err and err.message or outcome), 0)
  end
  print(id)
end
client:close()
