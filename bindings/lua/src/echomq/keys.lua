-- SPDX-License-Identifier: MIT
--- The keys of a queue and their cluster slots, for those who look at the store themselves. A name
-- that no queue may have, or an id that is none, raises an error that says why.

local core = require "echomq._echomq"
core.emq_face()

return {
  --- queue_key(queue, type): emq:{queue}:type.
  queue_key = function(queue, kind)
    return core.emq_compose_queue_key(queue, kind)
  end,
  --- job_key(queue, id): emq:{queue}:job:id.
  job_key = function(queue, id)
    return core.emq_compose_job_key(queue, id)
  end,
  --- reserve_key(name): {emq}:name, a key of the deployment and of no queue.
  reserve_key = function(name)
    return core.emq_compose_reserve_key(name)
  end,
  --- version_key(): the fence's key, {emq}:version.
  version_key = core.emq_version_key,
  --- hashtag(key): the part of a key that chooses its slot.
  hashtag = core.emq_hashtag,
  --- slot(key): a key's cluster slot, 0 to 16383.
  slot = core.emq_slot,
}
