-- SPDX-License-Identifier: MIT
-- claim (the wire, section 6, claim): leases the oldest pending job.
-- KEYS  pending, active, meta (left out by a speaker that reads the pause gate itself)
-- ARGV  the text <p>job:, lease in ms
-- Replies [id, payload or null, attempts]; [] when nothing waits or the queue is paused. A null
-- payload names a ghost: its row was gone and now is a phantom.
-- Everything is checked before the first write. That write frees memory, so that a full server
-- lets the script run, and run to its end.

local lease = ARGV[2]
if not string.find(lease, '^%d+$') or #lease > 15 then
  return redis.error_reply('ERR value is not an integer or out of range')
end
local p = string.sub(ARGV[1], 1, -1 - #'job:')
if KEYS[1] ~= p .. 'pending' or KEYS[2] ~= p .. 'active' or KEYS[3] and KEYS[3] ~= p .. 'meta' then
  return redis.error_reply('ERR the keys are not those of one queue and job')
end
if KEYS[3] then
  local paused = redis.pcall('HEXISTS', KEYS[3], 'paused')
  if type(paused) == 'table' then
    return paused
  elseif paused == 1 then
    return {}
  end
end

local head = redis.pcall('ZRANGE', KEYS[1], 0, 0)
if head.err or #head == 0 then
  return head
end
local leased = redis.pcall('ZCARD', KEYS[2])
if type(leased) == 'table' then
  return leased
end
local id = head[1]
local row = ARGV[1] .. id
local held = redis.pcall('HMGET', row, 'attempts', 'payload')
if held.err then
  return held
end
local attempts, payload = held[1], held[2]
if attempts then
  if attempts ~= '0' and not string.find(attempts, '^%-?[1-9]%d*$') then
    return redis.error_reply('ERR hash value is not an integer')
  elseif tonumber(attempts) >= 9007199254740991 then -- a larger token would lose digits in Lua
    return redis.error_reply('ERR increment or decrement would overflow')
  end
end

redis.call('ZPOPMIN', KEYS[1])
attempts = redis.call('HINCRBY', row, 'attempts', 1)
redis.call('HSET', row, 'state', 'active')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[2], string.format('%.0f', now + tonumber(lease)), id)
return {id, payload, attempts}
