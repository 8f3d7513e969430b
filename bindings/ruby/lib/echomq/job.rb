# SPDX-License-Identifier: MIT
# frozen_string_literal: true

module EchoMQ
  # A claimed job; Queue#claim gives one.
  class Job
    include Unique

    # The Queue, the id (text), the payload (binary) and the fencing token of this claim.
    attr_reader :queue, :id, :payload, :token

    def initialize(queue, id, payload, token)
      @queue = queue
      @id = id.force_encoding(Encoding::UTF_8)
      @payload = payload
      @token = token
    end

    # Completes the job: see Queue#complete.
    def complete(result = nil)
      queue.complete(id, token, result)
    end

    def inspect
      "#<#{self.class} #{id} token=#{token}>"
    end
  end

  # A job's row as it is in the store. +fields+ has all of it, names as text and values as bytes;
  # +state+, +attempts+ and +payload+ are the three that every row has. (+attempts+ is nil where
  # the field is no number.)
  Row = Struct.new(:state, :attempts, :payload, :fields) do
    def self.of(pairs) # :nodoc:
      fields = pairs.to_h do |name, value|
        name.force_encoding(Encoding::UTF_8)
        name.force_encoding(Encoding::BINARY) unless name.valid_encoding?
        [name, value]
      end
      attempts = fields["attempts"]
      new(fields["state"]&.dup&.force_encoding(Encoding::UTF_8),
          attempts&.match?(/\A\d+\z/) ? Integer(attempts, 10) : nil,
          fields["payload"], fields.freeze).freeze
    end

    def inspect
      "#<#{self.class} state=#{state.inspect} attempts=#{attempts.inspect}>"
    end
    alias_method :to_s, :inspect
  end

  # What became of one payload of Queue#enqueue_many: its id (nil before one was minted), the
  # outcome (+:enqueued+, +:duplicate+, or nil when there is an error) and the error (an exception
  # that was not raised, or nil).
  Verdict = Struct.new(:id, :outcome, :error)
end
