-- SPDX-License-Identifier: MIT
-- sweep_stalled (the wire, section 6, recovery): takes back jobs whose lease has lapsed, and
-- gives up those that stalled too often.
-- KEYS  active, pending, dead
-- ARGV  p, max stalled, limit
-- Replies [[ids that came back], [ids that are dead]]. A ghost is taken out and in neither.
-- include checked, lane

local p = ARGV[1]
local max, limit = natural(ARGV[2]), natural(ARGV[3])
belong(p, {'active', 'pending', 'dead'})
ask('ZCARD', KEYS[2])
ask('ZCARD', KEYS[3])
number(ask('HGET', p .. 'metrics:failed', 'count'))
local lapsed = ask('ZRANGEBYSCORE', KEYS[1], '-inf', score(now_ms()), 'LIMIT', 0, limit)
if refused then
  return refused
end

local back, dead = {}, {}
for _, id in ipairs(lapsed) do
  local row = p .. 'job:' .. id
  local held = ask('HMGET', row, 'group', 'stalled') or {}
  local group = held[1]
  number(held[2])
  if group then
    check_lane(p, group)
  end
  if refused then
    return #back + #dead > 0 and {back, dead} or refused
  end
  redis.call('ZREM', KEYS[1], id)
  if redis.call('EXISTS', row) == 1 then
    local stalled = redis.call('HINCRBY', row, 'stalled', 1)
    if group then
      lower_lane(p, group)
    end
    if stalled >= max then
      redis.call('HSET', row, 'state', 'dead')
      redis.call('HSET', row, 'last_error', 'stalled')
      redis.call('ZADD', KEYS[3], '0', id)
      redis.call('HINCRBY', p .. 'metrics:failed', 'count', 1)
      dead[#dead + 1] = id
    else
      if group then
        redis.call('ZADD', p .. 'g:' .. group .. ':pending', '0', id)
        return_lane(p, group, tonumber(redis.call('HGET', p .. 'gactive', group) or '0'))
      else
        redis.call('ZADD', KEYS[2], '0', id)
      end
      redis.call('HSET', row, 'state', 'pending')
      back[#back + 1] = id
    end
  end
end
return {back, dead}
