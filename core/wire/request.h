/* SPDX-License-Identifier: MIT */
#ifndef EMQ_WIRE_REQUEST_H
#define EMQ_WIRE_REQUEST_H

/* Requests out: a transition and its arguments, checked and composed into the parts of one
 * command. Nothing is allocated; bytes of the caller's are pointed at, not copied. */

#include <echomq/id.h>
#include <echomq/key.h>
#include <echomq/wire.h>

#include "wire/transition.h"

/* The arguments of any transition; each reads those that its row of the table names. */
typedef struct emq_args {
  emq_bytes queue;
  emq_bytes id;
  emq_bytes payload;
  int64_t token;
  int64_t lease_ms;
  emq_bytes parent;
  emq_bytes parent_queue;
  emq_bytes result; /* {NULL, 0}: the id */
  emq_bytes dedup;  /* {NULL, 0}: none */
  unsigned counted; /* bits (1 << emq_count) */
} emq_args;

/* Of the counts, those that are sets come first; the rest are totals. */
enum { EMQ_COUNTED_SETS = EMQ_COUNT_DEAD + 1 };

enum { EMQ_REQUEST_PARTS = 24, EMQ_REQUEST_TEXT = 8192 };

/* One command: `count` parts, which point into `text`, into the arguments, or at static text. A
 * request must not be moved once built, and its arguments must outlive it. */
typedef struct emq_request {
  emq_transition transition;
  size_t count;
  const char *parts[EMQ_REQUEST_PARTS];
  size_t lengths[EMQ_REQUEST_PARTS];
  size_t used; /* of `text` */
  char text[EMQ_REQUEST_TEXT];
} emq_request;

/* Checks the arguments and composes the request for an executor (SCRIPTED or NATIVE).
 * Returns EMQ_OK; EMQ_ERR_INVALID_ARGUMENT, with a message that says what and where; or
 * EMQ_ERR_UNSUPPORTED for a transition whose script is not in this build. */
emq_status emq_request_build(emq_request *out, emq_transition transition, emq_executor executor,
                             const emq_args *args, emq_error *err);

#endif
