-- SPDX-License-Identifier: MIT
-- queue_pause (the wire, section 6, operator): from now on every claim answers empty.
-- KEYS  meta
-- Replies 1, also when it was paused.

redis.call('HSET', KEYS[1], 'paused', '1')
return 1
