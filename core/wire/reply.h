/* SPDX-License-Identifier: MIT */
#ifndef EMQ_WIRE_REPLY_H
#define EMQ_WIRE_REPLY_H

/* Replies in: a reply of the server as a tree of plain values, and what it means to a
 * transition. */

#include <echomq/client.h>

#include "wire/request.h"

typedef enum emq_reply_type {
  EMQ_REPLY_IS_NIL = 0,
  EMQ_REPLY_IS_INTEGER,
  EMQ_REPLY_IS_STATUS, /* +OK */
  EMQ_REPLY_IS_STRING, /* bulk */
  EMQ_REPLY_IS_ERROR,
  EMQ_REPLY_IS_ARRAY,
} emq_reply_type;

/* Who makes the tree frees it (the client does, with emq_reply_free). */
typedef struct emq_reply {
  emq_reply_type type;
  int64_t integer;            /* of an integer */
  char *text;                 /* of a status, string or error: `len` bytes and a NUL */
  size_t len;                 /* of `text` */
  struct emq_reply *elements; /* of an array: `count` of them, in one piece */
  size_t count;
} emq_reply;

/* The elements of an inspection. */
enum {
  EMQ_PLACE_PENDING,
  EMQ_PLACE_ACTIVE,
  EMQ_PLACE_SCHEDULE,
  EMQ_PLACE_DEAD,
  EMQ_PLACE_LANE,
  EMQ_PLACE_STATE,
  EMQ_PLACE_ATTEMPTS,
  EMQ_PLACE_GROUP,
  EMQ_PLACE_TYPE,
  EMQ_PLACES,
};

/* What a reply means. Views point into the reply. */
typedef struct emq_result {
  emq_outcome outcome;    /* of the settling and admitting transitions, and of a claim */
  emq_bytes id;           /* of a claim */
  emq_bytes payload;      /* of a claim; {NULL, 0}: a ghost, its row was gone */
  int64_t token;          /* of a claim */
  emq_bytes parent;       /* of a settlement that must be asked again: the row's `parent` */
  emq_bytes parent_queue; /* and its `parent_queue`; {NULL, 0} when absent */
  emq_bytes policy;       /* and its `parent_policy`; likewise */
  int64_t number;         /* of what counts something */
  emq_bytes text;         /* of a read of one text; {NULL, 0} when absent. A scan's cursor */
  emq_counts counts;
  emq_state state;
  const emq_reply *row;  /* of a row that is there: an even number of strings */
  const emq_reply *list; /* of what answers with an array, in the table's shape */
} emq_result;

/* Reads the reply to a request of that transition and those arguments.
 * Returns EMQ_OK; the class of an error reply (emq_error_classify); or EMQ_ERR_PROTOCOL for a
 * reply of another shape than the table's, with a message that says what came. */
emq_status emq_result_read(emq_result *out, emq_transition transition, const emq_args *args,
                           const emq_reply *reply, emq_error *err);

/* Reads one element of a batch claim's list, which emq_result_read has found to be in shape. */
emq_status emq_result_read_job(emq_result *out, const emq_reply *job);

/* Fills `err` from a server's error text, whichever way a server words it: with the code first,
 * behind `ERR Error running script (...): ... @user_script: 1: -CODE`, with a script's suffix, or
 * from a failed redis.call. Returns the class. */
emq_status emq_error_classify(emq_error *err, const char *text, size_t len);

#endif
