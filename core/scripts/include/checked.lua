-- What the scripts with many keys share: reads before the first write whose refusals are kept.

local refused -- the first refusal: where it is set before a write, it is the script's own reply

-- Asks the server something. An error is a refusal, and the answer is then false.
local function ask(...)
  local reply = redis.pcall(...)
  if type(reply) == 'table' and reply.err then
    refused = refused or reply
    return false
  end
  return reply
end

-- A number of the store as a number. Text that the server would not count on is a refusal, and so
-- is one that has more digits than Lua keeps.
local function number(text)
  local value = tonumber(text or '0')
  if text and text ~= '0' and not string.find(text, '^%-?[1-9]%d*$')
      or math.abs(value) >= 9007199254740991 then
    refused = refused or redis.error_reply('ERR value is not an integer or out of range')
    return 0
  end
  return value
end

-- An argument that counts something: whole, not negative, with digits that Lua keeps.
local function natural(text)
  if text and string.find(text, '^%d+$') and #text <= 15 then
    return tonumber(text)
  end
  refused = refused or redis.error_reply('ERR value is not an integer or out of range')
  return 0
end

-- The server's time in whole milliseconds.
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- A number as a score: no exponent, no digit lost.
local function score(ms)
  return string.format('%.0f', ms)
end

-- The keys are those of one queue, given its base and what follows it in each. A key that the
-- caller left out is no refusal here.
local function belong(p, names)
  for i, key in ipairs(KEYS) do
    if names[i] and key ~= (p or '') .. names[i] then
      refused = refused or redis.error_reply('ERR the keys are not those of one queue and job')
    end
  end
end

