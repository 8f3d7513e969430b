-- SPDX-License-Identifier: MIT
-- enqueue (the wire, section 6, admission): admits a job, once for each id.
-- KEYS  row, pending
-- ARGV  id, payload
-- Replies 1 enqueued; 0 duplicate: a row of that id exists, and nothing is changed.
-- The first write grows memory, so a full server refuses the whole of it.

if string.sub(ARGV[1], 1, 3) ~= 'JOB' then
  return redis.error_reply('EMQKIND job id must be JOB-namespaced')
end
local p = string.sub(KEYS[2], 1, -1 - #'pending')
if KEYS[1] ~= p .. 'job:' .. ARGV[1] or KEYS[2] ~= p .. 'pending' then
  return redis.error_reply('ERR the keys are not those of one queue and job')
end
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end

-- A row whose id then found no room in pending would be a lost job: every retry is a duplicate.
local waiting = redis.pcall('ZCARD', KEYS[2])
if type(waiting) == 'table' then
  return waiting
end

redis.call('HSET', KEYS[1], 'state', 'pending', 'attempts', '0', 'payload', ARGV[2])
redis.call('ZADD', KEYS[2], '0', ARGV[1])
return 1
