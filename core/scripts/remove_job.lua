-- SPDX-License-Identifier: MIT
-- remove_job (the wire, section 6, operator): takes a job out of its queue, row and all.
-- KEYS  row, pending, active, schedule, dead, de:<dedup id>
-- ARGV  id, dedup id or empty
-- Replies 1 done, -1 gone; EMQLOCK while a worker's lock is on the job.
-- Everything is checked before the first write.

local row, id, dedup = KEYS[1], ARGV[1], ARGV[2]
if redis.call('EXISTS', row) == 0 then
  return -1
end
if redis.call('EXISTS', row .. ':lock') == 1 or redis.call('HEXISTS', row, 'lock') == 1 then
  return redis.error_reply('EMQLOCK job is locked')
end
for i = 2, 5 do
  local size = redis.pcall('ZCARD', KEYS[i])
  if type(size) == 'table' then
    return size
  end
end
local parked = dedup ~= '' and redis.pcall('GET', KEYS[6])
if type(parked) == 'table' then
  return parked
end

for i = 2, 5 do
  redis.call('ZREM', KEYS[i], id)
end
if parked == id then
  redis.call('DEL', KEYS[6])
end
redis.call('DEL', row, row .. ':logs')
return 1
