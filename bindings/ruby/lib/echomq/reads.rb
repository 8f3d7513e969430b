# SPDX-License-Identifier: MIT
# frozen_string_literal: true

module EchoMQ
  # How one looks at a Queue and at its jobs. Nothing here writes.
  module Reads
    # ---- the queue ----

    # The queue's numbers by name, such as {pending: 3, ...}; without names all six of COUNTS.
    def counts(*names)
      numbers = names.map { |name| Core.emq_count_parse(word(name)) }
      numbers = COUNTS.each_index.to_a if numbers.empty?
      wanted = numbers.reduce(0) { |bits, number| bits | (1 << number) }
      found = Core.emq_count_queue(@handle, @name, wanted)
      numbers.to_h { |number| [COUNTS[number], found[number]] }
    end

    # How many jobs are pending.
    def depth
      Core.emq_depth(@handle, @name)
    end

    # A total of the queue: how many jobs have +:completed+, or +:failed+ for the last time.
    def metric(name)
      Core.emq_metric(@handle, @name, Core.emq_count_parse(word(name)))
    end

    # The ids of the jobs that are +:pending+, +:active+, +:scheduled+ or +:dead+, newest first, at
    # most +limit+ (1 to 10,000) of them.
    def browse(state, limit: 100)
      texts(Core.emq_browse(@handle, @name, Core.emq_state_parse(word(state)), limit))
    end

    # The id of the job that a deduplication id stands for, or nil.
    def dedup(dedup_id)
      raise TypeError, "dedup_id must be a String, not NilClass" if dedup_id.nil?

      texts(Core.emq_dedup_read(@handle, @name, dedup_id)).first
    end

    # Looks at every job for what should never be: an id in no set or in several, a row that
    # disagrees with its set, a member without a row, a row without a set, attempts that are no
    # number, an id that is none. Returns a line for each, starting with the id; none for a sound
    # queue. Each job is judged in one moment, so the queue may be worked meanwhile.
    def check
      texts(Core.emq_check_queue(@handle, @name))
    end

    # ---- one job ----

    # Where a job is: one of STATES, +:absent+ among them.
    def state(id)
      STATES[Core.emq_state_lookup(@handle, @name, id)]
    end

    # Where a job is, until when, and in how many sets, all in one moment: its Place.
    def locate(id)
      state, score_ms, sets = Core.emq_locate(@handle, @name, id)
      Place.new(STATES[state], score_ms, sets).freeze
    end

    # A job's Row as it is in the store; nil when there is none.
    def job(id)
      fields = Core.emq_row_read(@handle, @name, id)
      fields && Row.of(fields)
    end
  end
end
