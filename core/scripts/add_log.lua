-- SPDX-License-Identifier: MIT
-- add_log (the wire, section 6, operator): adds a line to a job's log.
-- KEYS  row, row:logs
-- ARGV  line, how many of the newest lines to keep or empty for all
-- Replies how many lines there are then; -1 gone.
-- include checked

if redis.call('EXISTS', KEYS[1]) == 0 then
  return -1
end
local keep = ARGV[2] ~= '' and natural(ARGV[2])
if keep == 0 then
  refused = refused or redis.error_reply('ERR value is not an integer or out of range')
end
ask('LLEN', KEYS[2])
if refused then
  return refused
end
local count = redis.call('RPUSH', KEYS[2], ARGV[1])
if keep then
  redis.call('LTRIM', KEYS[2], score(-keep), -1)
  if keep < count then
    return keep
  end
end
return count
