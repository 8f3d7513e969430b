# SPDX-License-Identifier: MIT
# frozen_string_literal: true

module EchoMQ
  # Times as callers give them, as the whole milliseconds that the core takes: rounded up.
  module Times
    module_function

    # Seconds within bounds; +what+ names them in a refusal.
    def milliseconds(seconds, least, most, what)
      unless seconds.is_a?(Numeric) && !seconds.is_a?(Complex)
        raise TypeError, "#{what} must be a number of seconds, not #{seconds.class}"
      end

      Core.emq_milliseconds(seconds, least, most, what)
    end

    # A lease in seconds.
    def lease(seconds)
      milliseconds(seconds, 1, Core.emq_lease_max_ms, "lease")
    end

    # A delay in seconds.
    def delay(seconds)
      milliseconds(seconds, 0, Core.emq_delay_max_ms, "delay")
    end

    # A delay or a point in time, of which exactly one is given: [the core's emq_when, ms].
    def due(seconds, at)
      unless seconds.nil? || at.nil?
        raise InvalidArgumentError, "a delay and a time are given: one of them is allowed"
      end
      return [Core::EMQ_IN, delay(seconds)] unless seconds.nil?
      raise InvalidArgumentError, "neither a delay nor a time is given" if at.nil?

      [Core::EMQ_AT, at.is_a?(Time) ? time(at) : unix(at)]
    end

    def unix(seconds)
      unless seconds.is_a?(Numeric)
        raise TypeError, "at must be a Time or unix seconds, not #{seconds.class}"
      end

      Core.emq_milliseconds(seconds, 0, Core.emq_time_max_ms, "at")
    end

    def time(at)
      milliseconds = (at.to_r * 1000).ceil
      return milliseconds if milliseconds.between?(0, Core.emq_time_max_ms)

      raise InvalidArgumentError, "at is #{at.inspect}: the years 1970 to 9999 (UTC) are allowed"
    end
  end
  private_constant :Times
end
