-- SPDX-License-Identifier: MIT
-- schedule (the wire, section 6, admission): admits a job that is due later, once for each id.
-- KEYS  row, schedule
-- ARGV  id, payload, the word in or at, ms (from the server's now, or unix ms)
-- Replies 1 scheduled; 0 duplicate: a row of that id exists, and nothing is changed.
-- include checked

if string.sub(ARGV[1], 1, 3) ~= 'JOB' then
  return redis.error_reply('EMQKIND job id must be JOB-namespaced')
end
belong(string.sub(KEYS[2], 1, -1 - #'schedule'), {'job:' .. ARGV[1], 'schedule'})
if refused then
  return refused
elseif redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
local due = natural(ARGV[4])
ask('ZCARD', KEYS[2])
if refused then
  return refused
end

if ARGV[3] == 'in' then
  due = now_ms() + due
end
redis.call('HSET', KEYS[1], 'state', 'scheduled', 'attempts', '0', 'payload', ARGV[2])
redis.call('ZADD', KEYS[2], score(due), ARGV[1])
return 1
