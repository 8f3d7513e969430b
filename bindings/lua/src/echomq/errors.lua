-- SPDX-License-Identifier: MIT
-- Errors: what the C side makes, and how this package refuses an argument.

local core = require "echomq._echomq"
core.emq_face()

-- The metatable of every error object. `where` is the place of a misuse.
local Error = core.Error

function Error:__tostring()
  return (self.where or "") .. self.message
end

function Error.__concat(left, right)
  return tostring(left) .. tostring(right)
end

local errors = {}

--- Whether a value is an error of this package.
function errors.is_error(value)
  return getmetatable(value) == Error
end

-- The core's table: code -> {code, retriable, text}.
errors.classes = {}
for index = 0, core.emq_error_class_count() - 1 do
  local code = core.emq_error_class_constant(index):lower()
  errors.classes[code] = {
    code = code,
    retriable = core.emq_error_class_retriable(index),
    text = core.emq_error_class_text(index),
  }
end

-- Raises a misuse.
function errors.refuse(message, ...)
  core.emq_raise(core.EMQ_ERR_INVALID_ARGUMENT, message:format(...))
end

-- Raises unless `self` is one of `class`: a method that was called with a dot has something else.
function errors.check_self(self, class, method)
  if getmetatable(self) ~= class then
    errors.refuse("call %s with a colon on an %s", method, class.__name)
  end
end

-- The options of a call: nil or a table that has no other names than those in `allowed`.
function errors.check_options(options, allowed)
  if options == nil then
    return {}
  end
  if type(options) ~= "table" then
    errors.refuse("options must be a table, not %s", type(options))
  end
  for name in pairs(options) do
    if not allowed[name] then
      local names = {}
      for each in pairs(allowed) do
        names[#names + 1] = each
      end
      table.sort(names)
      errors.refuse("there is no option %s here; there are: %s", tostring(name),
                    table.concat(names, ", "))
    end
  end
  return options
end

-- Seconds as the core's milliseconds; nil: `default`.
function errors.check_seconds(seconds, what, default, min_ms, max_ms)
  if seconds == nil then
    seconds = default
  end
  if type(seconds) ~= "number" then
    errors.refuse("%s must be a number of seconds, not %s", what, type(seconds))
  end
  return core.emq_milliseconds(seconds, min_ms, max_ms, what)
end

-- When a job is due, in the core's form: the way the time is given, and milliseconds. It is
-- `delay` seconds from now, or the unix time `at`; nil for neither.
function errors.check_when(delay, at)
  if delay ~= nil and at ~= nil then
    errors.refuse("a time is given by delay or by at, not by both")
  elseif delay ~= nil then
    return core.EMQ_IN, errors.check_seconds(delay, "delay", nil, 0, core.emq_delay_max_ms())
  elseif at ~= nil then
    return core.EMQ_AT, errors.check_seconds(at, "at", nil, 0, core.emq_time_max_ms())
  end
end

-- An integer from 1 to `max`; nil: `default`.
function errors.check_count(number, what, default, max)
  if number == nil and default then
    return default
  end
  local integer = type(number) == "number" and math.tointeger(number)
  if not integer or integer < 1 or integer > max then
    errors.refuse("%s must be an integer from 1 to %d, not %s", what, max, tostring(number))
  end
  return integer
end

-- True or false; nil: false.
function errors.check_flag(flag, what)
  if flag ~= nil and type(flag) ~= "boolean" then
    errors.refuse("%s must be true or false, not %s", what, type(flag))
  end
  return flag == true
end

-- A function, or nil for one that does nothing.
function errors.check_progress(progress)
  if progress ~= nil and type(progress) ~= "function" then
    errors.refuse("progress must be a function, not %s", type(progress))
  end
  return progress or function() end
end

-- A minter's node in the core's form: -1 for none.
function errors.check_node(node)
  if node == nil then
    return -1
  end
  if math.type(node) ~= "integer" or node < 0 or node > core.EMQ_NODE_MAX then
    errors.refuse("node must be an integer from 0 to %d, not %s", core.EMQ_NODE_MAX, tostring(node))
  end
  return node
end

return errors
