# SPDX-License-Identifier: MIT
# frozen_string_literal: true

module EchoMQ
  # A claimed job, its holder's until the lease ends; Queue#claim and Queue#claim_many give them.
  #
  # What settles or extends it raises StaleError, with the job as it was, when it has been claimed
  # again since, and StateError when it was put off or given up.
  class Job
    include Unique

    # The Queue, the id (text), the payload (binary) and the fencing token of this claim: how often
    # the job has been claimed.
    attr_reader :queue, :id, :payload, :token

    def initialize(queue, id, payload, token)
      @queue = queue
      @id = id.force_encoding(Encoding::UTF_8)
      @payload = payload
      @token = token
      @settled = false
    end

    # Completes the job: +:done+, or +:gone+ (Queue#complete).
    def complete(result = nil)
      queue.complete(id, token, result).tap { @settled = true }
    end

    # Says that the job failed: +:scheduled+, +:dead+ or +:gone+ (Queue#retry).
    def retry(reason, delay: 1.0, max_attempts: 20)
      queue.retry(id, token, reason, delay: delay, max_attempts: max_attempts)
           .tap { @settled = true }
    end

    # Puts the job off, without counting a failure: +:done+, or +:gone+ (Queue#delay).
    def delay(seconds = nil, at: nil)
      queue.delay(id, token, seconds, at: at).tap { @settled = true }
    end

    # Lets the lease end +lease+ seconds from now: +:done+, or +:gone+ (Queue#extend). With modules,
    # Ruby's own Object#extend.
    def extend(*modules, lease: 30.0)
      return super(*modules) unless modules.empty?

      queue.extend(id, token, lease: lease)
    end

    # Yields the job and settles it, unless the block has: for Queue#claim.
    def settling # :nodoc:
      begin
        yield self
      rescue StandardError => e
        self.retry("#{e.class}: ".b + e.message.b) unless @settled
        raise
      end
      complete unless @settled
    end

    def inspect
      "#<#{self.class} #{id} token=#{token}>"
    end
  end
end
