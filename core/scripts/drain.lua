-- SPDX-License-Identifier: MIT
-- drain (the wire, section 6, operator): deletes what waits. Active jobs stay.
-- KEYS  p, pending, and schedule where that is to go too
-- Replies how many jobs were deleted, rows and logs with them.
-- include checked

belong(KEYS[1], {'', 'pending', 'schedule'})
for i = 2, #KEYS do
  ask('ZCARD', KEYS[i])
end
if refused then
  return refused
end
local deleted = 0
for i = 2, #KEYS do
  for _, id in ipairs(redis.call('ZRANGE', KEYS[i], 0, -1)) do
    redis.call('DEL', KEYS[1] .. 'job:' .. id, KEYS[1] .. 'job:' .. id .. ':logs')
    deleted = deleted + 1
  end
  redis.call('DEL', KEYS[i])
end
return deleted
