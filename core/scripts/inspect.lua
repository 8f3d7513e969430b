-- SPDX-License-Identifier: MIT
-- inspect (ours): where one id is, and what its row says, in one moment.
-- KEYS  p
-- ARGV  id
-- Replies its scores in pending, active, schedule, dead and its lane, then its row's state,
-- attempts and group, each or null; then the type of the row's key, none when there is no row.

local p, id = KEYS[1], ARGV[1]
local row = p .. 'job:' .. id
local kind = redis.call('TYPE', row).ok
local fields = {false, false, false}
if kind == 'hash' then
  fields = redis.call('HMGET', row, 'state', 'attempts', 'group')
end
return {
  redis.call('ZSCORE', p .. 'pending', id),
  redis.call('ZSCORE', p .. 'active', id),
  redis.call('ZSCORE', p .. 'schedule', id),
  redis.call('ZSCORE', p .. 'dead', id),
  fields[3] and redis.call('ZSCORE', p .. 'g:' .. fields[3] .. ':pending', id),
  fields[1], fields[2], fields[3], kind,
}
