-- SPDX-License-Identifier: MIT
-- reap (the wire, section 6, recovery): takes back up to 100 jobs whose lease has lapsed.
-- KEYS  active, pending
-- ARGV  p
-- Replies how many came back. Attempts stay. A ghost is taken out and not counted.
-- include checked, lane

local p = ARGV[1]
belong(p, {'active', 'pending'})
ask('ZCARD', KEYS[2])
local lapsed = ask('ZRANGEBYSCORE', KEYS[1], '-inf', score(now_ms()), 'LIMIT', 0, 100)
if refused then
  return refused
end

local back = 0
for _, id in ipairs(lapsed) do
  local row = p .. 'job:' .. id
  local group = ask('HGET', row, 'group')
  if group then
    check_lane(p, group)
  end
  if refused then
    return back > 0 and back or refused
  end
  redis.call('ZREM', KEYS[1], id)
  if redis.call('EXISTS', row) == 1 then
    if group then
      local act = lower_lane(p, group)
      redis.call('ZADD', p .. 'g:' .. group .. ':pending', '0', id)
      return_lane(p, group, act)
    else
      redis.call('ZADD', KEYS[2], '0', id)
    end
    redis.call('HSET', row, 'state', 'pending')
    back = back + 1
  end
end
return back
