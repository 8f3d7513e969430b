-- SPDX-License-Identifier: MIT
-- remove_job (the wire, section 6, operator): takes a job out of its queue, row and all.
-- KEYS  row, pending, active, schedule, dead, de:<dedup id>
-- ARGV  id, dedup id or empty
-- Replies 1 done, -1 gone; EMQLOCK while a worker's lock is on the job.
-- Everything is checked before the first write.
-- include checked

local row, id, dedup = KEYS[1], ARGV[1], ARGV[2]
belong(string.sub(KEYS[2], 1, -1 - #'pending'), {'job:' .. id, 'pending', 'active', 'schedule',
  'dead', dedup ~= '' and 'de:' .. dedup})
if refused then
  return refused
elseif redis.call('EXISTS', row) == 0 then
  return -1
end
if redis.call('EXISTS', row .. ':lock') == 1 or redis.call('HEXISTS', row, 'lock') == 1 then
  return redis.error_reply('EMQLOCK job is locked')
end
for i = 2, 5 do
  ask('ZCARD', KEYS[i])
end
local parked = dedup ~= '' and ask('GET', KEYS[6])
if refused then
  return refused
end

for i = 2, 5 do
  redis.call('ZREM', KEYS[i], id)
end
if parked == id then
  redis.call('DEL', KEYS[6])
end
redis.call('DEL', row, row .. ':logs')
return 1
