-- SPDX-License-Identifier: MIT
--- A job queue on Valkey or Redis.
--
--     local echomq = require "echomq"
--     local client <close> = assert(echomq.connect("redis://localhost"))
--     local queue = client:queue("orders")
--     assert(queue:enqueue("payload"))
--     local job = assert(queue:claim {lease = 30})
--     job:complete()
--
-- Payloads are strings, byte for byte; times are seconds. A call that fails returns nil and an
-- error: a table with `code` (such as "stale"), `message`, `retriable`, and where there is one the
-- server's own `server_text`; of the code "fence" also `found` and `expected`. tostring(err) is the
-- message. Misuse raises such a table, with the code "invalid_argument" or "closed".
--
-- Open next: echomq/client.lua, then echomq/queue.lua and echomq/operator.lua.

local core = require "echomq._echomq"
local client = require "echomq.client"
local errors = require "echomq.errors"

return {
  --- The library's version, such as "0.1.0".
  version = core.emq_version(),
  connect = client.connect,
  --- Every code an error can have: errors.stale is {code, retriable, text}.
  errors = errors.classes,
  is_error = errors.is_error,
  ids = require "echomq.ids",
  keys = require "echomq.keys",
}
