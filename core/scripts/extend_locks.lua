-- SPDX-License-Identifier: MIT
-- extend_locks (the wire, section 6, settlement): lengthens many leases to one deadline.
-- KEYS  active
-- ARGV  p, lease in ms, then id and token of each job
-- Replies the ids that could not be extended: gone, stale, or no longer active.
-- include checked

local lease = natural(ARGV[2])
belong(ARGV[1], {'active'})
ask('ZCARD', KEYS[1])
if refused then
  return refused
end
local deadline = score(now_ms() + lease)
local left = {}
for i = 3, #ARGV, 2 do
  local id = ARGV[i]
  if redis.pcall('HGET', ARGV[1] .. 'job:' .. id, 'attempts') == ARGV[i + 1]
      and redis.call('ZSCORE', KEYS[1], id) then
    redis.call('ZADD', KEYS[1], deadline, id)
  else
    left[#left + 1] = id
  end
end
return left
