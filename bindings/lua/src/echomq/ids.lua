-- SPDX-License-Identifier: MIT
--- Branded ids: 14 characters, of which three are a namespace and eleven a 63-bit snowflake in
-- base62. Inside one namespace their byte order is the order in which they were minted. What is no
-- id raises an error that says why.

local core = require "echomq._echomq"
local errors = require "echomq.errors"
core.emq_face()

local ids = {
  --- The first millisecond of the snowflake's clock, in unix ms: 2024-01-01 UTC.
  EPOCH_MS = core.emq_id_epoch_ms(),
}

--- Checks an id of any namespace and returns it.
function ids.parse(id)
  return core.emq_id_parse(id)
end

--- Takes an id apart: a table with namespace, snowflake, unix_ms, node, sequence and hash32.
function ids.decode(id)
  return {
    namespace = core.emq_id_parse(id):sub(1, core.EMQ_NAMESPACE_LEN),
    snowflake = core.emq_id_snowflake(id),
    unix_ms = core.emq_id_unix_ms(id),
    node = core.emq_id_node(id),
    sequence = core.emq_id_sequence(id),
    hash32 = core.emq_id_hash32(id),
  }
end

--- The id of a namespace (three letters A-Z) and a snowflake (0 to math.maxinteger).
function ids.encode(namespace, snowflake)
  return core.emq_id_encode(namespace, snowflake)
end

--- Puts a snowflake together: a time in unix ms, a node up to 1023, a sequence up to 4095.
function ids.snowflake(unix_ms, node, sequence)
  return core.emq_snowflake(unix_ms, node, sequence)
end

--- The 32-bit hash of a snowflake.
function ids.hash32(snowflake)
  return core.emq_hash32(snowflake)
end

-- Makes ids, never the same twice, whatever the clock does; in a forked child too.
local Minter = {__name = "echomq.Minter"}
Minter.__index = Minter

--- Makes a minter. node is 0 to 1023; nil: from the environment's ECHOMQ_NODE, else random.
function ids.minter(node)
  local handle, err = core.emq_minter_new(errors.check_node(node))
  if not handle then
    return nil, err
  end
  return setmetatable({_handle = handle}, Minter)
end

--- The next id of a namespace ("JOB").
function Minter:mint(namespace)
  errors.check_self(self, Minter, "mint")
  return core.emq_minter_next(self._handle, namespace == nil and "JOB" or namespace)
end

--- The same at a time of the caller's, in unix ms.
function Minter:mint_at(unix_ms, namespace)
  errors.check_self(self, Minter, "mint_at")
  return core.emq_minter_next_at(self._handle, namespace == nil and "JOB" or namespace, unix_ms)
end

--- The node in use in this process.
function Minter:node()
  errors.check_self(self, Minter, "node")
  return core.emq_minter_node(self._handle)
end

function Minter:__tostring()
  return ("%s: node %d"):format(Minter.__name, self:node())
end

return ids
