# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require "echomq/bulk"
require "echomq/job"

module EchoMQ
  # A queue of a client; Client#queue makes one.
  #
  # Arguments are checked before anything is sent: InvalidArgumentError for a value, TypeError for
  # a type. Every call can also raise the errors of the connection, the fence and the server's
  # states.
  class Queue
    include Unique

    attr_reader :client, :name

    def initialize(client, handle, name)
      @client = client
      @handle = handle
      @name = name
    end

    # Enqueues a payload and returns the job's id.
    #
    # Without +id+ the client mints one. With an id of the caller's (a valid id of the namespace
    # JOB), returns it, or nil when the queue has a job of that id already: nothing was changed
    # then. After a lost reply that job may be this very one.
    def enqueue(payload, id: nil)
      return Core.emq_enqueue(@handle, @name, payload) if id.nil?

      outcome = Core.emq_enqueue_as(@handle, @name, id, payload)
      id.to_str.dup.force_encoding(Encoding::UTF_8) if OUTCOMES[outcome] == :enqueued
    end

    # Enqueues what +payloads+ yields (an Array, an Enumerator, anything with +each+), in order and
    # in as few round trips as its size allows; returns a Verdict for each.
    #
    # It goes out in chunks, so that an endless source needs little memory. Of an Array all is
    # checked before anything is sent, else what a chunk holds. An exception that ends the call
    # midway has the verdicts of what went out: see Partial.
    def enqueue_many(payloads)
      unless payloads.respond_to?(:each)
        raise TypeError, "payloads must be an Array or have each, not #{payloads.class}"
      end

      Bulk.new(@handle, @name).run(payloads)
    end

    # Claims the oldest pending job for +lease+ seconds of the server's clock; nil when the queue
    # is empty or paused.
    def claim(lease: 30.0)
      milliseconds = Core.emq_milliseconds(lease, 1, Core.emq_lease_max_ms, "lease")
      id, payload, token = Core.emq_claim(@handle, @name, milliseconds)
      id && Job.__send__(:new, self, id, payload, token)
    end

    # Completes a job by the token of its claim: +:done+, or +:gone+ when it has no row any more.
    # +result+ is kept for the job's parent, if it has one; nil: the job's own id.
    # Raises StaleError, with the job as it was.
    def complete(id, token, result = nil)
      OUTCOMES[Core.emq_complete(@handle, @name, id, token, result)]
    end

    # The queue's numbers by name, such as {pending: 3, ...}; without names all six of COUNTS.
    def counts(*names)
      numbers = names.map { |name| Core.emq_count_parse(name.is_a?(Symbol) ? name.name : name) }
      numbers = COUNTS.each_index.to_a if numbers.empty?
      wanted = numbers.reduce(0) { |bits, number| bits | (1 << number) }
      found = Core.emq_count_queue(@handle, @name, wanted)
      numbers.to_h { |number| [COUNTS[number], found[number]] }
    end

    # Where a job is: one of STATES, +:absent+ among them.
    def state(id)
      STATES[Core.emq_state_lookup(@handle, @name, id)]
    end

    # A job's Row as it is in the store; nil when there is none.
    def job(id)
      fields = Core.emq_row_read(@handle, @name, id)
      fields && Row.of(fields)
    end

    def inspect
      "#<#{self.class} #{name.inspect}>"
    end
  end
end
