-- SPDX-License-Identifier: MIT
-- retry (the wire, section 6, settlement): a claimed job failed; it comes back later, or is dead.
-- Three forms:
--   plain         KEYS  active, schedule, dead, row
--                 ARGV  id, token, delay in ms, max attempts, error, p
--   flow child    KEYS  and the parent's :failed, :unsuccessful, :dependencies and row
--                 ARGV  and sq:fp or sq:id, parent id
--   of another    KEYS  and p flow:outbox
--   queue's       ARGV  and xq:fp or xq:id, parent's queue, parent id
--   parent
-- Replies scheduled or dead; EMQSTALE when the row is gone or has another token. The plain form of
-- a flow child that would die writes nothing and replies [parent, parent_queue or null,
-- parent_policy or null]: the caller sends the full form that this calls for.
-- Everything is checked before the first write, which frees memory.
-- include checked, lane

local id, token, reason, p, flow = ARGV[1], ARGV[2], ARGV[5], ARGV[6], ARGV[7]
local foreign = flow == 'xq:fp' or flow == 'xq:id'
if flow and not (foreign and #ARGV == 9 or (flow == 'sq:fp' or flow == 'sq:id') and #ARGV == 8) then
  return redis.error_reply('ERR wrong number of arguments')
end
belong(p, {'active', 'schedule', 'dead', 'job:' .. id})
if refused then
  return refused
end
local row = redis.call('HMGET', KEYS[4], 'attempts', 'group', 'parent', 'parent_queue',
  'parent_policy')
if not row[1] then
  return redis.error_reply('EMQSTALE job gone')
elseif row[1] ~= token then
  return redis.error_reply('EMQSTALE retry token mismatch')
end

local delay, max = natural(ARGV[3]), natural(ARGV[4])
local dies = number(row[1]) >= max
local group, failed = row[2], p .. 'metrics:failed'
ask('ZCARD', KEYS[2])
ask('ZCARD', KEYS[3])
number(ask('HGET', failed, 'count'))
if group then
  check_lane(p, group)
end
if refused then
  return refused
elseif dies and row[3] and not flow then
  return {row[3], row[4], row[5]}
end
if dies and foreign then
  ask('LLEN', KEYS[5])
elseif dies and flow then
  ask('HLEN', KEYS[5])
  ask('HLEN', KEYS[6])
  number(ask('GET', KEYS[7]))
  ask('HLEN', KEYS[8])
  ask('ZCARD', p .. 'pending')
end
if refused then
  return refused
end

local removed = redis.call('ZREM', KEYS[1], id)
if removed == 0 and at_rest(p, id) then
  return redis.error_reply('EMQSTATE not active')
end
settle_lane(p, group, id, removed)
redis.call('HSET', KEYS[4], 'last_error', reason)
if not dies then
  redis.call('HSET', KEYS[4], 'state', 'scheduled')
  redis.call('ZADD', KEYS[2], score(now_ms() + delay), id)
  return 'scheduled'
end

redis.call('HSET', KEYS[4], 'state', 'dead')
redis.call('ZADD', KEYS[3], '0', id)
redis.call('HINCRBY', failed, 'count', 1)
if flow == 'sq:fp' then
  local parent = ARGV[8]
  redis.call('HSET', KEYS[5], id, reason)
  redis.call('HSET', KEYS[8], 'state', 'dead')
  redis.call('ZADD', KEYS[3], '0', parent)
  redis.call('ZREM', p .. 'pending', parent)
elseif flow == 'sq:id' then
  redis.call('HSET', KEYS[6], id, reason)
  if redis.call('DECR', KEYS[7]) <= 0 then
    redis.call('ZADD', p .. 'pending', '0', ARGV[8])
    redis.call('HSET', KEYS[8], 'state', 'pending')
  end
elseif foreign then
  redis.call('RPUSH', KEYS[5], '\0fail\0' .. ARGV[8] .. '\0' .. ARGV[9] .. '\0' .. id .. '\0'
    .. string.sub(flow, 4) .. '\0' .. reason)
end
return 'dead'
