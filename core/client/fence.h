/* SPDX-License-Identifier: MIT */
#ifndef EMQ_CLIENT_FENCE_H
#define EMQ_CLIENT_FENCE_H

/* What the replies of a boot mean (the wire, section 5). Pure: the session asks, this decides. */

#include "wire/reply.h"

typedef enum emq_fence {
  EMQ_FENCE_PASS,    /* the store has the own identity */
  EMQ_FENCE_ABSENT,  /* the store has none */
  EMQ_FENCE_REFUSED, /* another identity, or no answer to the question: `status` and `err` say */
} emq_fence;

/* Reads the reply to GET {emq}:version. Refusals: EMQ_ERR_FENCE with found and expected; an error
 * reply's class; EMQ_ERR_PROTOCOL. */
emq_fence emq_fence_verdict(const emq_reply *reply, emq_bytes own, emq_status *status,
                            emq_error *err);

/* Reads the reply to SET {emq}:version <own> NX: set, or beaten to it. */
emq_status emq_fence_claimed(const emq_reply *reply, emq_error *err);

/* Reads a reply that can only be +OK. */
emq_status emq_boot_expect_ok(const emq_reply *reply, const char *command, emq_error *err);

#endif
