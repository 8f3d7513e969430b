-- SPDX-License-Identifier: MIT
-- update_progress (the wire, section 6, operator): keeps a job's progress and tells who listens.
-- KEYS  row
-- ARGV  progress, id, p
-- Replies 1; -1 gone. Publishes a JSON object on p events: event, job, progress.

if redis.call('EXISTS', KEYS[1]) == 0 then
  return -1
end
local channel = ARGV[3] .. 'events'
local event = '{"event":"progress","job":' .. cjson.encode(ARGV[2])
  .. ',"progress":' .. cjson.encode(ARGV[1]) .. '}'
-- First, since a user may lack the channel: nothing is written then. Nobody hears it before the end.
local heard = redis.pcall('PUBLISH', channel, event)
if type(heard) == 'table' then
  return heard
end
redis.call('HSET', KEYS[1], 'progress', ARGV[1])
return 1
