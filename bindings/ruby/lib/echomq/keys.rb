# SPDX-License-Identifier: MIT
# frozen_string_literal: true

module EchoMQ
  # The keys of a queue and their cluster slots, for those who look at the store themselves. Keys
  # are bytes: a queue's name may be any UTF-8.
  module Keys
    module_function

    # <tt>emq:{queue}:type</tt>. Raises InvalidArgumentError for a name that no queue may have.
    def queue_key(queue, type)
      Core.emq_compose_queue_key(queue, type)
    end

    # <tt>emq:{queue}:job:id</tt>. Raises InvalidArgumentError for such a name, or an id that is
    # none.
    def job_key(queue, id)
      Core.emq_compose_job_key(queue, id)
    end

    # <tt>{emq}:name</tt>, a key of the deployment and of no queue.
    def reserve_key(name)
      Core.emq_compose_reserve_key(name)
    end

    # The fence's key, <tt>{emq}:version</tt>.
    def version_key
      Core.emq_version_key
    end

    # The part of a key that chooses its slot.
    def hashtag(key)
      Core.emq_hashtag(key)
    end

    # A key's cluster slot, 0 to 16383.
    def slot(key)
      Core.emq_slot(key)
    end
  end
end
