# SPDX-License-Identifier: MIT
# frozen_string_literal: true

module EchoMQ
  # The names that the core has for its numbers, as symbols in the numbers' order.
  words = lambda do |name|
    (0..).lazy.map { |number| Core.public_send(name, number) }.take_while(&:itself)
         .map(&:to_sym).to_a.freeze
  end

  OUTCOMES = words.call(:emq_outcome_name)
  STATES = words.call(:emq_state_name)
  COUNTS = words.call(:emq_count_name)

  EXECUTORS = {
    auto: Core::EMQ_EXECUTOR_AUTO,
    scripted: Core::EMQ_EXECUTOR_SCRIPTED,
    native: Core::EMQ_EXECUTOR_NATIVE,
  }.freeze
  private_constant :EXECUTORS

  # For objects that stand for something outside Ruby: there is one, and it stays here.
  module Unique
    def initialize_copy(_other)
      raise TypeError, "#{self.class} cannot be copied"
    end

    def marshal_dump
      raise TypeError, "#{self.class} cannot be dumped"
    end

    def self.included(klass)
      klass.singleton_class.undef_method(:allocate)
      klass.private_class_method(:new)
    end
  end
  private_constant :Unique
end
