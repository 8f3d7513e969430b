# SPDX-License-Identifier: MIT
# frozen_string_literal: true

module EchoMQ
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

  # What became of one item of Queue#enqueue_many, Queue#complete_many or Queue#extend_many: its id
  # (nil for a payload before one was minted), the outcome (+:enqueued+, +:done+, +:gone+, or nil
  # when there is an error) and the error (an exception that was not raised, or nil).
  Verdict = Struct.new(:id, :outcome, :error)

  # What Queue#sweep did: the ids that are pending again, and those that are dead.
  # <tt>recovered, dead = queue.sweep</tt> takes it apart.
  Swept = Struct.new(:recovered, :dead) { alias_method :to_ary, :to_a }

  # Where a job is (Queue#locate): its state as Queue#state says it; +score_ms+, of an active job
  # its lease's end and of a scheduled one its time in unix ms, else 0; and +sets+, how many of the
  # queue's sets hold it: 1 for a job that is sound.
  Place = Struct.new(:state, :score_ms, :sets)
end
