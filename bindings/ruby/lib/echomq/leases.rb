# SPDX-License-Identifier: MIT
# frozen_string_literal: true

module EchoMQ
  # One run of Queue#complete_many or Queue#extend_many: fills a set of leases of the core's, has it
  # sent, and reads the verdicts.
  class Leases
    def initialize(queue_name)
      @name = queue_name
      @leases = Core.emq_leases_new
      @ids = []
    end

    # Checks all of +jobs+, yields the core's leases to be sent, and returns the verdicts.
    def run(jobs)
      verdicts = []
      jobs.each { |job| add(job) }
      begin
        yield @leases
      ensure
        verdicts.concat(collect)
      end
      verdicts
    rescue Exception => e # what Timeout raises among them
      Partial.tell(e, verdicts)
      raise
    end

    private

    def add(job)
      id, token = id_and_token(job)
      Core.emq_leases_add(@leases, id, token, nil)
      @ids << id.to_str.dup.force_encoding(Encoding::UTF_8).freeze
    rescue TypeError, InvalidArgumentError => e
      item = "item #{@ids.size}: "
      raise e.class, item + e.message.delete_prefix(item)
    end

    def id_and_token(job)
      case job
      when Job
        return job.id, job.token if job.queue.name == @name

        raise InvalidArgumentError, "the job is of the queue #{job.queue.name.inspect}"
      when Array
        return job if job.size == 2
      end
      raise TypeError, "must be a Job or [id, token], not #{job.class}"
    end

    def collect
      @ids.each_with_index.map do |id, index|
        error = Core.emq_leases_error(@leases, index)
        outcome = OUTCOMES[Core.emq_leases_outcome(@leases, index)] unless error
        Verdict.new(id, outcome, error).freeze
      end
    end
  end
  private_constant :Leases
end
