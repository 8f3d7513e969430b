-- SPDX-License-Identifier: MIT
-- bclaim (the wire, section 6, claim): leases up to `size` of the oldest pending jobs under one
-- deadline.
-- KEYS  pending, active, meta
-- ARGV  the text <p>job:, lease in ms, size
-- Replies [[id, payload or null, attempts], ...] in mint order; [] when nothing waits or the queue
-- is paused. A null payload names a ghost.
-- A row that cannot be claimed ends the batch before it; at the head it is the refusal itself.
-- include checked

local lease, size = natural(ARGV[2]), natural(ARGV[3])
belong(string.sub(ARGV[1], 1, -1 - #'job:'), {'pending', 'active', 'meta'})
local paused = KEYS[3] and ask('HEXISTS', KEYS[3], 'paused')
ask('ZCARD', KEYS[2])
if refused then
  return refused
elseif paused == 1 or size == 0 then
  return {}
end
local ids = ask('ZRANGE', KEYS[1], 0, size - 1)
if refused then
  return refused
end

local payloads, able = {}, 0
for i, id in ipairs(ids) do
  local held = ask('HMGET', ARGV[1] .. id, 'attempts', 'payload')
  number(held and held[1])
  if refused then
    if i == 1 then
      return refused
    end
    break
  end
  payloads[i] = held[2]
  able = i
end

local reply = {}
local deadline = score(now_ms() + lease)
for i = 1, able do
  local id = ids[i]
  local row = ARGV[1] .. id
  redis.call('ZREM', KEYS[1], id)
  local attempts = redis.call('HINCRBY', row, 'attempts', 1)
  redis.call('HSET', row, 'state', 'active')
  redis.call('ZADD', KEYS[2], deadline, id)
  reply[i] = {id, payloads[i], attempts}
end
return reply
