-- SPDX-License-Identifier: MIT
-- delay (the wire, section 6, settlement): the holder puts a claimed job off; no failure.
-- KEYS  row, active, schedule
-- ARGV  id, token, the word in or at, ms (from the server's now, or unix ms)
-- Replies 1; EMQSTALE when the row is gone or has another token; EMQSTATE when it is not held.
-- include checked, lane

local id = ARGV[1]
if string.sub(id, 1, 3) ~= 'JOB' then
  return redis.error_reply('EMQKIND job id must be JOB-namespaced')
end
-- The base that active was composed from: a job that was reaped waits under it.
local p = string.sub(KEYS[2], 1, -1 - #'active')
belong(p, {'job:' .. id, 'active', 'schedule'})
if refused then
  return refused
end
local row = redis.call('HMGET', KEYS[1], 'attempts', 'group')
if not row[1] then
  return redis.error_reply('EMQSTALE job gone')
elseif row[1] ~= ARGV[2] then
  return redis.error_reply('EMQSTALE delay token mismatch')
end
local due, group = natural(ARGV[4]), row[2]
ask('ZCARD', KEYS[2])
ask('ZCARD', KEYS[3])
if group then
  check_lane(p, group)
end
if refused then
  return refused
end

local removed = redis.call('ZREM', KEYS[2], id)
if removed == 0 and at_rest(p, id) then
  return redis.error_reply('EMQSTATE not active')
end
settle_lane(p, group, id, removed)
redis.call('HSET', KEYS[1], 'state', 'scheduled')
redis.call('ZADD', KEYS[3], score(ARGV[3] == 'in' and now_ms() + due or due), id)
return 1
