-- SPDX-License-Identifier: MIT
-- promote (the wire, section 6, recovery): moves what is due from schedule to pending.
-- KEYS  schedule, pending
-- ARGV  p, limit
-- Replies how many were moved. A ghost is taken out and not counted.
-- include checked, lane

local p = ARGV[1]
local limit = natural(ARGV[2])
belong(p, {'schedule', 'pending'})
ask('ZCARD', KEYS[2])
local due = ask('ZRANGEBYSCORE', KEYS[1], '-inf', score(now_ms()), 'LIMIT', 0, limit)
if refused then
  return refused
end

local moved = 0
for _, id in ipairs(due) do
  local row = p .. 'job:' .. id
  local group = ask('HGET', row, 'group')
  if group then
    check_lane(p, group)
  end
  if refused then
    return moved > 0 and moved or refused
  end
  redis.call('ZREM', KEYS[1], id)
  if redis.call('EXISTS', row) == 1 then
    if group then
      redis.call('ZADD', p .. 'g:' .. group .. ':pending', '0', id)
      return_lane(p, group, tonumber(redis.call('HGET', p .. 'gactive', group) or '0'))
    else
      redis.call('ZADD', KEYS[2], '0', id)
    end
    redis.call('HSET', row, 'state', 'pending')
    moved = moved + 1
  end
end
return moved
