# SPDX-License-Identifier: MIT
# frozen_string_literal: true

module EchoMQ
  # What an exception of Queue#enqueue_many, Queue#complete_many or Queue#extend_many carries beside
  # itself.
  module Partial
    # The Verdict of every item that went out before the failure, in order; nil on the exceptions
    # of other calls. An item without an answer has an error in its verdict.
    attr_accessor :verdicts

    # Puts the verdicts on the exception that ends a call.
    def self.tell(error, verdicts) # :nodoc:
      return if error.frozen?

      error.extend(self) unless error.is_a?(self)
      error.verdicts = verdicts
    end
  end

  # The base of all exceptions of this library. The subclasses are made from the core's own table:
  # StaleError, FenceError, ConnectionError and so on; Error.classes has them all.
  class Error < StandardError
    include Partial

    # The server's own words, where it spoke; else nil.
    attr_reader :server_text
    # Of a FenceError: the identity in the store and this client's own; else nil.
    attr_reader :found, :expected

    def initialize(message = self.class::TEXT, server_text: nil, found: nil, expected: nil)
      super(message)
      @server_text = server_text
      @found = found
      @expected = expected
    end

    # The error's name as a symbol, such as +:stale+; nil for a plain Error.
    def code
      self.class::CODE
    end

    # Whether the same call may succeed later without anybody changing anything.
    def retriable?
      self.class::RETRIABLE
    end

    CODE = nil
    TEXT = "an error of echomq"
    RETRIABLE = false

    # Every class by the core's status.
    STATUSES = Array.new(Core.emq_error_class_count) do |index|
      klass = EchoMQ.const_set("#{Core.emq_error_class_name(index)}Error", Class.new(self))
      klass.const_set(:CODE, Core.emq_error_class_constant(index).downcase.to_sym)
      klass.const_set(:TEXT, Core.emq_error_class_text(index).freeze)
      klass.const_set(:RETRIABLE, Core.emq_error_class_retriable(index))
      [Core.emq_error_class_code(index), klass]
    end.to_h.freeze
    private_constant :STATUSES

    # The exception of a failed call of the core; for the C side.
    def self.of(status, message, server_text, found, expected)
      klass = STATUSES.fetch(status, Error)
      message = klass::TEXT if message.empty?
      klass.new(message, server_text: server_text, found: found, expected: expected)
    end
    private_class_method :of

    # Every class by its code: +:stale+ => StaleError.
    def self.classes
      STATUSES.values.to_h { |klass| [klass::CODE, klass] }
    end
  end
end
