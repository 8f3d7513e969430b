-- SPDX-License-Identifier: MIT
-- reprocess (the wire, section 6, operator): gives a dead job another life.
-- KEYS  row, dead, pending
-- ARGV  id
-- Replies 1; -1 gone; EMQSTATE when it is not dead. Attempts and stalled stay.
-- include checked

belong(string.sub(KEYS[2], 1, -1 - #'dead'), {'job:' .. ARGV[1], 'dead', 'pending'})
if refused then
  return refused
elseif redis.call('EXISTS', KEYS[1]) == 0 then
  return -1
end
ask('HLEN', KEYS[1])
ask('ZCARD', KEYS[3])
if refused then
  return refused
end
if redis.call('ZREM', KEYS[2], ARGV[1]) ~= 1 then
  return redis.error_reply('EMQSTATE not dead')
end
redis.call('HDEL', KEYS[1], 'last_error')
redis.call('HSET', KEYS[1], 'state', 'pending')
redis.call('ZADD', KEYS[3], '0', ARGV[1])
return 1
