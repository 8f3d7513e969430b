# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require "echomq/bulk"
require "echomq/job"
require "echomq/leases"
require "echomq/operator"
require "echomq/reads"
require "echomq/times"
require "echomq/values"

module EchoMQ
  # A queue of a client; Client#queue makes one. Here are admission, claims, settlement and
  # recovery; the operator's calls are in operator.rb, those that only look in reads.rb.
  #
  # Arguments are checked before anything is sent: InvalidArgumentError for a value, TypeError for
  # a type. Every call can also raise the errors of the connection, the fence and the server's
  # states. Times are seconds, by the server's clock.
  class Queue
    include Unique
    include Operator
    include Reads

    attr_reader :client, :name

    def initialize(client, handle, name)
      @client = client
      @handle = handle
      @name = name
    end

    # ---- admission ----

    # Enqueues a payload and returns the job's id.
    #
    # Without +id+ the client mints one. With an id of the caller's (a valid id of the namespace
    # JOB), returns it, or nil when the queue has a job of that id already: nothing was changed
    # then. After a lost reply that job may be this very one.
    #
    # With +delay+ (seconds from now, up to 365 days) or +at+ (a Time, or unix seconds), not both,
    # the job is scheduled: pending once that time has come and somebody calls #promote.
    def enqueue(payload, id: nil, delay: nil, at: nil)
      due = Times.due(delay, at) unless delay.nil? && at.nil?
      if id.nil?
        return Core.emq_schedule(@handle, @name, payload, *due) if due

        return Core.emq_enqueue(@handle, @name, payload)
      end
      outcome = if due
                  Core.emq_schedule_as(@handle, @name, id, payload, *due)
                else
                  Core.emq_enqueue_as(@handle, @name, id, payload)
                end
      id.to_str.dup.force_encoding(Encoding::UTF_8) unless OUTCOMES[outcome] == :duplicate
    end

    # Enqueues what +payloads+ yields (an Array, an Enumerator, anything with +each+), in order and
    # in as few round trips as its size allows; returns a Verdict for each.
    #
    # It goes out in chunks, so that an endless source needs little memory. After each chunk a block
    # is told how many went out so far, and how many there are (nil unless +payloads+ is an Array).
    # Of an Array all is checked before anything is sent, else what a chunk holds. An exception that
    # ends the call midway has the verdicts of what went out: see Partial.
    def enqueue_many(payloads, &progress) # :yields: done, total
      unless payloads.respond_to?(:each)
        raise TypeError, "payloads must be an Array or have each, not #{payloads.class}"
      end

      Bulk.new(@handle, @name, progress).run(payloads)
    end

    # ---- claim ----

    # Claims the oldest pending job for +lease+ seconds (up to 365 days); nil when the queue is
    # empty or paused. When the lease has ended, somebody else may be given the job.
    #
    # With a block, yields the Job, if there is one, and settles it afterwards unless the block did:
    # completes it, or on a StandardError, which goes on, has it tried again (Job#retry as it is
    # without options). What else leaves the block (+break+, an Interrupt) leaves the job claimed.
    def claim(lease: 30.0)
      id, payload, token = Core.emq_claim(@handle, @name, Times.lease(lease))
      return unless id

      job = Job.__send__(:new, self, id, payload, token)
      job.settling { yield job } if block_given?
      job
    end

    # Claims up to +size+ (1 to 1,000) of the oldest pending jobs in one step, under one deadline.
    # The Array is short when fewer are pending, and empty when none is.
    def claim_many(size, lease: 30.0)
      Core.emq_claim_many(@handle, @name, size, Times.lease(lease)).map do |id, payload, token|
        Job.__send__(:new, self, id, payload, token)
      end
    end

    # ---- settle, by the id and the token of its claim; a Job does the same for itself ----

    # Completes a job: +:done+, or +:gone+ when it has no row any more. +result+ is kept for the
    # job's parent, if it has one; nil: the job's own id.
    # Raises StaleError and StateError, with the job as it was.
    def complete(id, token, result = nil)
      OUTCOMES[Core.emq_complete(@handle, @name, id, token, result)]
    end

    # Says that a claimed job failed: +:scheduled+ when it comes back after +delay+ seconds (0 to
    # 365 days), +:dead+ when its attempts have reached +max_attempts+ (1 to 1,000,000), +:gone+
    # when it has no row any more. +reason+ is kept as +last_error+, its first 4,096 bytes.
    # Raises StaleError and StateError, with the job as it was.
    def retry(id, token, reason, delay: 1.0, max_attempts: 20)
      OUTCOMES[Core.emq_retry(@handle, @name, id, token, Times.delay(delay), max_attempts, reason)]
    end

    # Puts a claimed job off, by +seconds+ or until +at+ (a Time, or unix seconds), without counting
    # a failure: +:done+, or +:gone+. Raises StaleError and StateError, with the job as it was.
    def delay(id, token, seconds = nil, at: nil)
      OUTCOMES[Core.emq_delay(@handle, @name, id, token, *Times.due(seconds, at))]
    end

    # Lets a claimed job's lease end +lease+ seconds from now: +:done+, or +:gone+.
    # Raises StaleError: another's token, or the lease ended and the job was taken back.
    #
    #   queue.extend(id, token, lease: 60)
    #
    # With modules, Ruby's own Object#extend.
    def extend(*id_and_token, lease: 30.0)
      return super(*id_and_token) if id_and_token.first.is_a?(Module)

      unless id_and_token.size == 2
        raise ArgumentError, "wrong number of arguments (given #{id_and_token.size}, expected 2)"
      end

      OUTCOMES[Core.emq_extend(@handle, @name, *id_and_token, Times.lease(lease))]
    end

    # Completes many jobs, each a Job or [id, token], in as few round trips as their number allows;
    # returns a Verdict for each, in order: +:done+, +:gone+, or an error such as a StaleError.
    # All are checked before anything is sent. An exception that ends the call midway has the
    # verdicts: see Partial.
    def complete_many(jobs)
      leases_of(jobs) { |leases| Core.emq_complete_many(@handle, @name, leases) }
    end

    # Lets the leases of many jobs end +lease+ seconds from now. As #complete_many, but a job that
    # is gone has a StaleError, too.
    def extend_many(jobs, lease: 30.0)
      milliseconds = Times.lease(lease)
      leases_of(jobs) { |leases| Core.emq_extend_many(@handle, @name, leases, milliseconds) }
    end

    # ---- recovery: any client may run it, at any time ----

    # Moves up to +limit+ (1 to 10,000) scheduled jobs whose time has come to pending; returns how
    # many.
    def promote(limit: 1000)
      Core.emq_promote(@handle, @name, limit)
    end

    # Puts up to 100 jobs whose lease has ended back to pending; returns how many.
    def reap
      Core.emq_reap(@handle, @name)
    end

    # As #reap, for up to +limit+ (1 to 10,000) jobs, counting how often each has stalled: one that
    # has stalled +max_stalled+ (1 to 1,000,000) times is dead. Returns what was Swept.
    def sweep(max_stalled: 1, limit: 1000)
      ids = Core.emq_sweep_stalled(@handle, @name, max_stalled, limit)
      Swept.new(*ids.map { |list| texts(list) }).freeze
    end

    def inspect
      "#<#{self.class} #{name.inspect}>"
    end

    private

    # For the modules too: strings of the core's as text, and the name of a word.
    def texts(list)
      list.each { |text| text.force_encoding(Encoding::UTF_8) }
    end

    def word(name)
      name.is_a?(Symbol) ? name.name : name
    end

    def leases_of(jobs, &send)
      unless jobs.respond_to?(:each)
        raise TypeError, "jobs must be an Array or have each, not #{jobs.class}"
      end

      Leases.new(name).run(jobs, &send)
    end
  end
end
