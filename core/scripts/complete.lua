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
-- What could fail is checked before the first write, except for the count of completions, which
-- comes last, when the job is done. The first write frees memory, so that a full server lets the
-- script run, and run to its end.

local id, token, p = ARGV[1], ARGV[2], ARGV[3]
local parent, result, foreign = ARGV[4], ARGV[5], ARGV[6] == 'xq'
local pending, completed = p .. 'pending', p .. 'metrics:completed'
if parent and #ARGV ~= (foreign and 7 or 5) then
  return redis.error_reply('ERR wrong number of arguments')
end

local row = redis.call('HMGET', KEYS[2], 'attempts', 'group', 'parent', 'parent_queue')
local group = row[2]
if not row[1] then
  return 0
elseif row[1] ~= token then
  return redis.error_reply('EMQSTALE complete token mismatch')
elseif row[3] and not parent then
  return {row[3], row[4]}
end

local lane, ring, wake, gactive = nil, p .. 'ring', p .. 'wake', p .. 'gactive'
local returns = false -- whether the lane goes back into rotation

if group or parent then
  -- Asks the server something; the first refusal is kept, and is then the script's own reply.
  local refused
  local function ask(...)
    local reply = redis.pcall(...)
    if type(reply) == 'table' and reply.err then
      refused = refused or reply
      return false
    end
    return reply
  end

  -- A number of the store as a number. Text that the server would not count on is a refusal, and
  -- so is one that has more digits than Lua keeps.
  local function number(text)
    text = text or '0'
    if text ~= '0' and not string.find(text, '^%-?[1-9]%d*$') or #text > 15 then
      refused = refused or redis.error_reply('ERR value is not an integer or out of range')
      return 0
    end
    return tonumber(text)
  end

  local held = ask('ZSCORE', KEYS[1], id)
  if group then
    lane = p .. 'g:' .. group .. ':pending'
    local act = number(ask('HGET', gactive, group)) - 1
    local waiting = ask('ZCARD', lane)
    local ringed = ask('LPOS', ring, group)
    if held then
      local limit = ask('HGET', p .. 'glimit', group)
      ask('LLEN', wake)
      returns = ask('SISMEMBER', p .. 'paused', group) == 0 and waiting ~= 0
        and (not limit or act < number(limit)) and not ringed
    end
  end
  if parent and held then
    if foreign then
      ask('LLEN', KEYS[3])
    else
      number(ask('GET', KEYS[3]))
      ask('HLEN', KEYS[4])
      ask('HLEN', KEYS[5])
      ask('ZCARD', pending)
    end
  end
  if refused then
    return refused
  end
end

local removed = redis.call('ZREM', KEYS[1], id)
if group and removed == 1 then
  if redis.call('HINCRBY', gactive, group, -1) <= 0 then
    redis.call('HDEL', gactive, group)
  end
  if returns then
    redis.call('RPUSH', ring, group)
    redis.call('LPUSH', wake, '1')
    redis.call('LTRIM', wake, 0, 63)
  end
elseif group then
  redis.call('ZREM', lane, id)
  if redis.call('ZCARD', lane) == 0 then
    redis.call('LREM', ring, 0, group)
  end
elseif removed == 0 then
  redis.call('ZREM', pending, id)
end

if parent and removed == 1 then
  if foreign then
    redis.call('RPUSH', KEYS[3], table.concat({ARGV[7], parent, id, result}, '\0'))
  else
    local left = redis.call('DECR', KEYS[3])
    redis.call('HSET', KEYS[4], id, result)
    if left <= 0 then
      redis.call('ZADD', pending, '0', parent)
      redis.call('HSET', KEYS[5], 'state', 'pending')
    end
  end
end

redis.call('DEL', KEYS[2])
redis.call('HINCRBY', completed, 'count', 1)
return 1
