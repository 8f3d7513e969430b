-- Lanes (the wire, section 6): what a grouped job leaves behind when it changes its place.

-- The keys that lane bookkeeping touches hold what they should, and the counts are numbers.
local function check_lane(p, group)
  ask('ZCARD', p .. 'g:' .. group .. ':pending')
  ask('LLEN', p .. 'ring')
  ask('LLEN', p .. 'wake')
  ask('SISMEMBER', p .. 'paused', group)
  number(ask('HGET', p .. 'gactive', group))
  number(ask('HGET', p .. 'glimit', group))
end

-- RETURN(group): puts the lane back into rotation, given its in-flight count.
local function return_lane(p, group, act)
  local limit = redis.call('HGET', p .. 'glimit', group)
  if redis.call('SISMEMBER', p .. 'paused', group) == 0
      and (not limit or act < tonumber(limit))
      and not redis.call('LPOS', p .. 'ring', group) then
    redis.call('RPUSH', p .. 'ring', group)
    redis.call('LPUSH', p .. 'wake', '1')
    redis.call('LTRIM', p .. 'wake', 0, 63)
  end
end

-- One job of the lane is no longer in flight. Replies how many still are.
local function lower_lane(p, group)
  local act = redis.call('HINCRBY', p .. 'gactive', group, -1)
  if act <= 0 then
    redis.call('HDEL', p .. 'gactive', group)
  end
  return act
end

-- The bookkeeping of a settlement: `removed` tells whether the job was active. Where it was not,
-- it was reaped and waits again, and is taken from there.
local function settle_lane(p, group, id, removed)
  local lane = group and p .. 'g:' .. group .. ':pending'
  if removed == 1 and group then
    local act = lower_lane(p, group)
    if redis.call('ZCARD', lane) > 0 then
      return_lane(p, group, act)
    end
  elseif group then
    redis.call('ZREM', lane, id)
    if redis.call('ZCARD', lane) == 0 then
      redis.call('LREM', p .. 'ring', 0, group)
    end
  elseif removed == 0 then
    redis.call('ZREM', p .. 'pending', id)
  end
end

-- Whether the job lies in schedule or dead: nobody holds it, and its token settles nothing.
local function at_rest(p, id)
  return redis.call('ZSCORE', p .. 'schedule', id) or redis.call('ZSCORE', p .. 'dead', id)
end

