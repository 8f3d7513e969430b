# SPDX-License-Identifier: MIT
# frozen_string_literal: true

module EchoMQ
  # One run of Queue#enqueue_many: fills a batch of the core's, sends it when it is full, and keeps
  # the verdicts.
  class Bulk
    CHUNK_ITEMS = 1_000
    CHUNK_BYTES = 4 * 1024 * 1024

    def initialize(handle, name, progress)
      @handle = handle
      @name = name
      @progress = progress
      @total = nil
      @batch = Core.emq_batch_new
      @count = 0
      @bytes = 0
      @verdicts = []
    end

    # Sends what +payloads+ yields and returns the verdicts.
    def run(payloads)
      if payloads.is_a?(Array)
        payloads = payloads.dup # what was checked is what is sent
        @total = payloads.size
        payloads.each_with_index { |payload, index| check(payload, index) }
      end
      payloads.each { |payload| add(payload) }
      flush if @count.positive?
      @verdicts
    rescue Exception => e # the caller's own and what Timeout raises among them
      Partial.tell(e, @verdicts)
      raise
    end

    private

    # Raises for a payload that may not be sent; returns it as a String.
    def check(payload, index)
      Core.emq_payload_check(payload)
      payload.to_str
    rescue TypeError, InvalidArgumentError => e
      raise e.class, "item #{index}: #{e.message.delete_prefix("item 0: ")}"
    end

    def add(payload)
      payload = check(payload, @verdicts.size + @count)
      full = @count == CHUNK_ITEMS || @bytes + payload.bytesize > CHUNK_BYTES
      flush if full && @count.positive?
      Core.emq_batch_add(@batch, payload)
      @count += 1
      @bytes += payload.bytesize
    end

    def flush
      begin
        Core.emq_enqueue_many(@handle, @name, @batch)
      ensure
        collect
      end
      @progress&.call(@verdicts.size, @total)
    end

    def collect
      @count.times do |index|
        error = Core.emq_batch_error(@batch, index)
        outcome = OUTCOMES[Core.emq_batch_outcome(@batch, index)] unless error
        id = Core.emq_batch_id(@batch, index)&.force_encoding(Encoding::UTF_8)
        @verdicts << Verdict.new(id, outcome, error).freeze
      end
      Core.emq_batch_clear(@batch)
      @count = 0
      @bytes = 0
    end
  end
  private_constant :Bulk
end
