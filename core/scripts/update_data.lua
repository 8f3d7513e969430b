-- SPDX-License-Identifier: MIT
-- update_data (the wire, section 6, operator): replaces a job's payload.
-- KEYS  row
-- ARGV  payload
-- Replies 1; -1 gone.

if redis.call('EXISTS', KEYS[1]) == 0 then
  return -1
end
redis.call('HSET', KEYS[1], 'payload', ARGV[1])
return 1
