-- SPDX-License-Identifier: MIT
-- extend_lock (the wire, section 6, settlement): the holder lengthens its lease.
-- KEYS  active, row
-- ARGV  id, token, lease in ms
-- Replies 1; -1 gone; EMQSTALE on another token, or when the lease has lapsed and the job was
-- taken back.
-- include checked

belong(string.sub(KEYS[1], 1, -1 - #'active'), {'active', 'job:' .. ARGV[1]})
if refused then
  return refused
end
local attempts = redis.call('HGET', KEYS[2], 'attempts')
if not attempts then
  return -1
elseif attempts ~= ARGV[2] then
  return redis.error_reply('EMQSTALE extend token mismatch')
end
local lease = natural(ARGV[3])
local held = ask('ZSCORE', KEYS[1], ARGV[1])
if refused then
  return refused
elseif not held then
  return redis.error_reply('EMQSTALE lease lapsed')
end
redis.call('ZADD', KEYS[1], score(now_ms() + lease), ARGV[1])
return 1
