-- SPDX-License-Identifier: MIT
-- obliterate (the wire, section 6, operator): deletes a paused queue, a budget of members at a
-- time.
-- KEYS  meta, p
-- ARGV  the word force or empty, budget (1000 when it is missing)
-- Replies 1 when the budget was used up: call again; 0 when nothing is left. EMQSTATE when the
-- queue is not paused, or has active jobs and no force came.
-- include checked

local p = KEYS[2]
belong(p, {'meta'})
if refused then
  return refused
end
local budget = natural(ARGV[2] or '1000')
if redis.call('HEXISTS', KEYS[1], 'paused') == 0 then
  return redis.error_reply('EMQSTATE not paused')
elseif (ask('ZCARD', p .. 'active') or 0) > 0 and ARGV[1] ~= 'force' then
  return redis.error_reply('EMQSTATE active jobs present')
elseif budget == 0 then
  natural(nil)
end
local sets = {p .. 'active', p .. 'pending', p .. 'schedule', p .. 'dead'}
local lanes = ask('LRANGE', p .. 'ring', 0, -1) or {}
for _, group in ipairs(ask('SMEMBERS', p .. 'paused') or {}) do
  lanes[#lanes + 1] = group
end
for _, group in ipairs(lanes) do
  sets[#sets + 1] = p .. 'g:' .. group .. ':pending'
end
for _, set in ipairs(sets) do
  ask('ZCARD', set)
end
local names = ask('ZRANGE', p .. 'repeat', 0, -1) or {}
if refused then
  return refused
end

for _, set in ipairs(sets) do
  for _, id in ipairs(redis.call('ZRANGE', set, 0, budget - 1)) do
    local row = p .. 'job:' .. id
    redis.call('DEL', row, row .. ':logs', row .. ':lock')
    redis.call('ZREM', set, id)
    budget = budget - 1
  end
  if budget == 0 then
    return 1
  end
end
for _, name in ipairs(names) do
  redis.call('DEL', p .. 'repeat:' .. name)
end
for _, key in ipairs({'metrics:completed', 'metrics:completed:data', 'metrics:failed',
  'metrics:failed:data', 'gactive', 'glimit', 'ring', 'wake', 'paused', 'repeat', 'limiter',
  'meta'}) do
  redis.call('DEL', p .. key)
end
return 0
