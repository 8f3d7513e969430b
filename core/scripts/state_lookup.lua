-- SPDX-License-Identifier: MIT
-- state_lookup (the wire, section 6, reads): where a job is. The set that holds it is the truth.
-- KEYS  pending, active, schedule, dead, row
-- ARGV  id
-- Replies pending, active, scheduled or dead; awaiting_children for a held flow parent; unknown
-- for a row that no set holds; absent.

local names = {'pending', 'active', 'scheduled', 'dead'}
for i = 1, 4 do
  if redis.call('ZSCORE', KEYS[i], ARGV[1]) then
    return names[i]
  end
end
local state = redis.call('HGET', KEYS[5], 'state')
if state == 'awaiting_children' then
  return state
end
return state and 'unknown' or 'absent'
