/* SPDX-License-Identifier: MIT */
#ifndef ECHOMQ_WIRE_H
#define ECHOMQ_WIRE_H

/* The words of the wire that a caller meets: identities, outcomes, states, names of counts, and
 * the bounds of what may be sent. */

#include <echomq/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The identity in `{emq}:version` (the wire, section 1). */
#define EMQ_IDENTITY_SCRIPTED "echomq:4.0.0"
#define EMQ_IDENTITY_NATIVE "echomq:6.0.0"

/* Who runs the transitions on the server. */
typedef enum emq_executor {
  EMQ_EXECUTOR_AUTO = 0, /* the one that this build has: scripted */
  EMQ_EXECUTOR_SCRIPTED, /* Lua scripts by EVALSHA */
  EMQ_EXECUTOR_NATIVE,   /* the server module's EMQ.* commands: EMQ_ERR_UNSUPPORTED in this build */
} emq_executor;

/* How a call ended. Data, never errors: a duplicate or an empty queue is an ordinary answer. */
typedef enum emq_outcome {
  EMQ_OUTCOME_NONE = 0,  /* no answer yet */
  EMQ_OUTCOME_ENQUEUED,  /* the job is in the queue */
  EMQ_OUTCOME_DUPLICATE, /* a row of that id exists: nothing was changed */
  EMQ_OUTCOME_CLAIMED,   /* a job was claimed */
  EMQ_OUTCOME_EMPTY,     /* nothing waits, or the queue is paused */
  EMQ_OUTCOME_DONE,      /* settled: the job completed */
  EMQ_OUTCOME_GONE,      /* no row of that id: completed before, removed, or never there */
  EMQ_OUTCOME_SCHEDULED, /* the job waits for its time */
  EMQ_OUTCOME_DEAD,      /* the job failed for the last time */
} emq_outcome;

/* The outcome's name, such as "enqueued"; NULL for a number that is none. Static. */
EMQ_API const char *emq_outcome_name(emq_outcome outcome);

/* Where a job is (state_lookup). */
typedef enum emq_state {
  EMQ_STATE_ABSENT = 0, /* no set holds the id and there is no row */
  EMQ_STATE_PENDING,
  EMQ_STATE_ACTIVE,
  EMQ_STATE_SCHEDULED,
  EMQ_STATE_DEAD,
  EMQ_STATE_AWAITING_CHILDREN,
  EMQ_STATE_UNKNOWN, /* a row that no set of the queue holds */
} emq_state;

/* The state's name, such as "awaiting_children"; NULL for a number that is none. Static. */
EMQ_API const char *emq_state_name(emq_state state);

/* Reads the name of a state whose set can be browsed: pending, active, scheduled or dead.
 * Returns EMQ_OK or EMQ_ERR_INVALID_ARGUMENT (naming them). */
EMQ_API emq_status emq_state_parse(emq_state *out, const char *name, size_t name_len,
                                   emq_error *err);

/* How a time is given. */
typedef enum emq_when {
  EMQ_IN = 0, /* ms from the server's now */
  EMQ_AT,     /* unix ms, on the server's clock */
} emq_when;

/* What `counts` can count: four sets and two totals. */
typedef enum emq_count {
  EMQ_COUNT_PENDING = 0,
  EMQ_COUNT_ACTIVE,
  EMQ_COUNT_SCHEDULE,
  EMQ_COUNT_DEAD,
  EMQ_COUNT_COMPLETED,
  EMQ_COUNT_FAILED,
} emq_count;

enum { EMQ_COUNTS = 6, EMQ_COUNTS_ALL = (1 << 6) - 1 };

/* The count's name, such as "schedule"; NULL for a number that is none. Static. */
EMQ_API const char *emq_count_name(emq_count count);

/* Reads a count's name. Returns EMQ_OK or EMQ_ERR_INVALID_ARGUMENT (naming the ones there are). */
EMQ_API emq_status emq_count_parse(emq_count *out, const char *name, size_t name_len,
                                   emq_error *err);

/* Bounds, checked before anything is sent. */
#define EMQ_LEASE_MAX_MS INT64_C(31536000000)    /* 365 days */
#define EMQ_DELAY_MAX_MS EMQ_LEASE_MAX_MS        /* from now to a job's time */
#define EMQ_TIME_MAX_MS INT64_C(253402300799999) /* a job's time: the end of the year 9999 */
#define EMQ_NUMBER_MAX INT64_C(1000000)          /* attempts, stalls, lines of a log */
#define EMQ_LIMIT_MAX INT64_C(10000)             /* jobs that one call moves, deletes or lists */
#define EMQ_CLAIM_MAX INT64_C(1000)              /* jobs in one claim */
#define EMQ_REASON_MAX ((size_t)4096)            /* an error's text: what is longer is cut */
#define EMQ_LINE_MAX ((size_t)1 << 20)           /* a log line, a progress: 1 MiB */
#define EMQ_PAYLOAD_MAX ((size_t)512 << 20)      /* 512 MiB, the servers' own bound on a string */

#ifdef __cplusplus
}
#endif

#endif
