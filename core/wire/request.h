/* SPDX-License-Identifier: MIT */
#ifndef EMQ_WIRE_REQUEST_H
#define EMQ_WIRE_REQUEST_H

/* Requests out: a transition and its arguments, checked and composed into the parts of one
 * command. Nothing is allocated; bytes of the caller's are pointed at, not copied. */

#include <echomq/id.h>
#include <echomq/key.h>
#include <echomq/wire.h>

#include "wire/transition.h"

/* What a claim gave its holder, and a settlement wants. */
typedef struct emq_hold {
  emq_bytes id;
  int64_t token;
} emq_hold;

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

  emq_when when;
  int64_t due_ms; /* from now or since 1970, as `when` says */
  int64_t delay_ms;
  int64_t max; /* attempts or stalls */
  int64_t limit;
  int64_t size;
  int64_t budget;
  bool force;
  emq_bytes reason;
  emq_bytes policy; /* of a flow child: id, or anything else for fp */
  const emq_hold *holds;
  size_t hold_count;
  emq_bytes progress;
  emq_bytes line;
  int64_t keep;    /* 0: all */
  emq_state state; /* whose set is browsed */
  int64_t first, last;
  emq_bytes cursor;
  emq_count metric; /* a total */
} emq_args;

/* Of the counts, those that are sets come first; the rest are totals. */
enum { EMQ_COUNTED_SETS = EMQ_COUNT_DEAD + 1 };

enum { EMQ_REQUEST_PARTS = 2 * EMQ_HOLDS_MAX + 8, EMQ_REQUEST_TEXT = 12288 };

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

/* Checks a completion's result, which its plain form does not send.
 * Returns EMQ_OK or EMQ_ERR_INVALID_ARGUMENT. */
emq_status emq_result_check(emq_bytes result, emq_error *err);

/* Checks the arguments and composes the request for an executor (SCRIPTED or NATIVE).
 * Returns EMQ_OK; EMQ_ERR_INVALID_ARGUMENT, with a message that says what and where; or
 * EMQ_ERR_UNSUPPORTED for a transition whose script is not in this build. */
emq_status emq_request_build(emq_request *out, emq_transition transition, emq_executor executor,
                             const emq_args *args, emq_error *err);

#endif
