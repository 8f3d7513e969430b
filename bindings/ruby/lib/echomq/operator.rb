# SPDX-License-Identifier: MIT
# frozen_string_literal: true

module EchoMQ
  # What an operator does to a Queue and to its jobs. A call on a job gives +:done+, or +:gone+ when
  # the job has no row (any more).
  module Operator
    # ---- one job ----

    # Replaces a job's payload. Who has claimed the job keeps the one it was given.
    def update_data(id, payload)
      OUTCOMES[Core.emq_update_data(@handle, @name, id, payload)]
    end

    # Keeps a job's progress, any text up to 1 MiB, in its row, and publishes it on the queue's
    # events channel.
    def update_progress(id, progress)
      OUTCOMES[Core.emq_update_progress(@handle, @name, id, progress)]
    end

    # Adds a line, up to 1 MiB, to a job's log; with +keep+ (1 to 1,000,000) only that many of the
    # newest lines stay. Returns how many there are then, or nil when the job is gone.
    def add_log(id, line, keep: nil)
      if keep == 0
        raise InvalidArgumentError,
              "keep is 0, 1 to #{Core.emq_number_max} are allowed (nil keeps all)"
      end

      count = Core.emq_add_log(@handle, @name, id, line, keep.nil? ? 0 : keep)
      count unless count.negative?
    end

    # A job's log, oldest line first, as binary Strings; nil when the job is gone.
    def logs(id)
      Core.emq_read_logs(@handle, @name, id)
    end

    # Takes a job out of the queue with its log, wherever it is. +dedup+ is a deduplication id that
    # goes with it, if it still stands for this job.
    # Raises LockedError, with the job as it was, while a worker's lock is on it.
    def remove(id, dedup: nil)
      OUTCOMES[Core.emq_remove_job(@handle, @name, id, dedup)]
    end

    # Puts a dead job back to pending. Its attempts stay, so that Job#retry may find them used up.
    # Raises StateError, with the job as it was, when it is not dead.
    def reprocess(id)
      OUTCOMES[Core.emq_reprocess_job(@handle, @name, id)]
    end

    # ---- the whole queue ----

    # Until #resume, every claim finds the queue empty. May be said twice.
    def pause
      Core.emq_queue_pause(@handle, @name)
      nil
    end

    # Ends a pause. May be said twice.
    def resume
      Core.emq_queue_resume(@handle, @name)
      nil
    end

    # Deletes the jobs that are pending, and with +scheduled+ those that are scheduled too; returns
    # how many. Active and dead jobs stay.
    def drain(scheduled: false)
      Core.emq_queue_drain(@handle, @name, scheduled)
    end

    # Deletes a paused queue with all that is in it, in steps of at most +budget+ (1 to 10,000)
    # jobs, between which the server serves others. After each step a block is told how many there
    # were; what it raises ends the call, with the queue paused and partly deleted.
    # Raises StateError, with nothing deleted, when the queue is not paused, or when it has active
    # jobs and +force+ is not given.
    def obliterate(force: false, budget: 1000) # :yields: steps
      (1..).each do |steps|
        more = Core.emq_queue_obliterate(@handle, @name, force, budget)
        yield steps if block_given?
        return unless more
      end
    end
  end
end
