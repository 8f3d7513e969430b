-- SPDX-License-Identifier: MIT
-- counts (the wire, section 6, reads): the sizes of sets and the totals of metrics.
-- KEYS  p, then the sets to count
-- ARGV  names of metrics
-- Replies one number for each set, then one for each metric, in the order asked.

local reply = {}
for i = 2, #KEYS do
  reply[#reply + 1] = redis.call('ZCARD', KEYS[i])
end
for i = 1, #ARGV do
  local count = redis.call('HGET', KEYS[1] .. 'metrics:' .. ARGV[i], 'count') or '0'
  -- As an integer where Lua keeps every digit, else as the text that it is: nil would cut the
  -- reply short, and the numbers after it would answer to other names.
  reply[#reply + 1] = string.find(count, '^%d+$') and #count <= 15 and tonumber(count) or count
end
return reply
