-- SPDX-License-Identifier: MIT
-- complete (the wire, section 6, settlement): settles a claimed job and deletes its row.
-- Three forms:
--   plain         KEYS  active, row
--                 ARGV  id, token, p
--   flow child    KEYS  active, row, the parent's :dependencies, :processed and row
--                 ARGV  id, token, p, parent id, result
--   of another    KEYS  active, row, p flow:outbox
--   queue's       ARGV  id, token, p, parent id, result, the word xq, parent's queue
--   parent
-- Replies 1 done, 0 gone, EMQSTALE on another token. The plain form of a flow child writes nothing
-- and replies [parent, parent_queue or null]: the caller sends the full form that this calls for.
-- Everything is checked before the first write. That write frees memory, so that a full server
-- lets the script run, and run to its end.
-- include checked, lane

local id, token, p = ARGV[1], ARGV[2], ARGV[3]
local parent, result, foreign = ARGV[4], ARGV[5], ARGV[6] == 'xq'
local completed = p .. 'metrics:completed'
if parent and #ARGV ~= (foreign and 7 or 5) then
  return redis.error_reply('ERR wrong number of arguments')
end

belong(p, {'active', 'job:' .. id})
if refused then
  return refused
end
local row = redis.call('HMGET', KEYS[2], 'attempts', 'group', 'parent', 'parent_queue')
if not row[1] then
  return 0
elseif row[1] ~= token then
  return redis.error_reply('EMQSTALE complete token mismatch')
elseif row[3] and not parent then
  return {row[3], row[4]}
end

local group = row[2]
number(ask('HGET', completed, 'count'))
if group then
  check_lane(p, group)
end
if parent and foreign then
  ask('LLEN', KEYS[3])
elseif parent then
  number(ask('GET', KEYS[3]))
  ask('HLEN', KEYS[4])
  ask('HLEN', KEYS[5])
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
if parent and removed == 1 then
  if foreign then
    redis.call('RPUSH', KEYS[3], ARGV[7] .. '\0' .. parent .. '\0' .. id .. '\0' .. result)
  else
    local left = redis.call('DECR', KEYS[3])
    redis.call('HSET', KEYS[4], id, result)
    if left <= 0 then
      redis.call('ZADD', p .. 'pending', '0', parent)
      redis.call('HSET', KEYS[5], 'state', 'pending')
    end
  end
end
redis.call('DEL', KEYS[2])
redis.call('HINCRBY', completed, 'count', 1)
return 1
