-- SPDX-License-Identifier: MIT
-- queue_resume (the wire, section 6, operator): claims are served again.
-- KEYS  meta
-- Replies 1, also when it was not paused.

redis.call('HDEL', KEYS[1], 'paused')
return 1
