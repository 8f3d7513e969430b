/* SPDX-License-Identifier: MIT */
#ifndef EMQ_WIRE_TRANSITION_H
#define EMQ_WIRE_TRANSITION_H

/* The table of transitions.def as an enum and as rows, and the scripts by transition. */

#include <echomq/base.h>

typedef enum emq_transition {
#define EMQ_TRANSITION(NAME, name, script, command, keys, args, reply, repeat) EMQ_T_##NAME,
#include "wire/transitions.def"
  EMQ_TRANSITIONS
} emq_transition;

/* What a declared key is; `p` is the queue's base, the key with an empty type. */
typedef enum emq_key_role {
  EMQ_KEY_NONE = 0,
  EMQ_KEY_ROW,                 /* p job:<id> */
  EMQ_KEY_PENDING,             /* p pending */
  EMQ_KEY_ACTIVE,              /* p active */
  EMQ_KEY_SCHEDULE,            /* p schedule */
  EMQ_KEY_DEAD,                /* p dead */
  EMQ_KEY_META,                /* p meta */
  EMQ_KEY_BASE,                /* p itself */
  EMQ_KEY_DEDUP,               /* p de:<dedup id> */
  EMQ_KEY_OUTBOX,              /* p flow:outbox */
  EMQ_KEY_PARENT_DEPENDENCIES, /* p job:<parent>:dependencies */
  EMQ_KEY_PARENT_PROCESSED,    /* p job:<parent>:processed */
  EMQ_KEY_PARENT_ROW,          /* p job:<parent> */
  EMQ_KEY_COUNTED_SETS,        /* the sets asked for, in the order of emq_count */
} emq_key_role;

/* What an argument is. */
typedef enum emq_arg_role {
  EMQ_ARG_NONE = 0,
  EMQ_ARG_ID,              /* a job id: 14 valid bytes */
  EMQ_ARG_PAYLOAD,         /* bytes */
  EMQ_ARG_TOKEN,           /* decimal text, 1 or more */
  EMQ_ARG_LEASE,           /* ms, decimal text, 1 to EMQ_LEASE_MAX_MS */
  EMQ_ARG_BASE,            /* p */
  EMQ_ARG_ROW_PREFIX,      /* p job: */
  EMQ_ARG_PARENT,          /* a job id: the parent's */
  EMQ_ARG_PARENT_QUEUE,    /* bytes: a queue's name */
  EMQ_ARG_RESULT,          /* bytes; none: the job's id */
  EMQ_ARG_XQ,              /* the word xq */
  EMQ_ARG_DEDUP,           /* bytes, or empty for none */
  EMQ_ARG_COUNTED_METRICS, /* the totals asked for, in the order of emq_count */
} emq_arg_role;

/* What a reply may be. Anything else is EMQ_ERR_PROTOCOL. */
typedef enum emq_reply_shape {
  EMQ_REPLY_ENQUEUED,     /* int 1 enqueued, 0 duplicate */
  EMQ_REPLY_CLAIMED,      /* [id, payload or null, attempts], [] empty */
  EMQ_REPLY_COMPLETED,    /* int 1 done, 0 gone; [parent, parent queue or null]: ask again */
  EMQ_REPLY_DONE_OR_GONE, /* int 1 done, -1 gone */
  EMQ_REPLY_COUNTS,       /* [int per set, int or decimal text per total] */
  EMQ_REPLY_STATE,        /* a state's word */
  EMQ_REPLY_ROW,          /* [name, value, ...], [] when there is no row */
} emq_reply_shape;

/* What may follow a reply that was lost. */
typedef enum emq_repeat {
  EMQ_REPEAT_NEVER = 0, /* the outcome is unknown */
  EMQ_REPEAT_WRITE,     /* a write that a second sending cannot do twice */
  EMQ_REPEAT_READ,      /* nothing is written */
} emq_repeat;

enum { EMQ_KEYS_MAX = 8, EMQ_ARGS_MAX = 8 };

typedef struct emq_transition_row {
  const char *name;                /* "complete_child" */
  const char *script;              /* "complete"; NULL for a plain command */
  const char *command;             /* the native command, or the plain one, or NULL */
  emq_key_role keys[EMQ_KEYS_MAX]; /* ends at EMQ_KEY_NONE or at its size */
  emq_arg_role args[EMQ_ARGS_MAX]; /* ends at EMQ_ARG_NONE or at its size */
  emq_reply_shape reply;
  emq_repeat repeat;
} emq_transition_row;

/* The row of a transition; NULL for a number that is none. Static. */
const emq_transition_row *emq_transition_row_of(emq_transition transition);

/* A script as embedded at build time. */
typedef struct emq_script {
  const char *name;   /* "complete" */
  const char *source; /* the bytes of core/scripts/<name>.lua */
  size_t source_len;
  char sha1[41]; /* its digest in lower-case hexadecimal, NUL-terminated */
} emq_script;

/* Made by the build from core/scripts/. */
extern const emq_script emq_scripts[];
extern const size_t emq_script_count;

/* The script of a transition; NULL for a plain command. Static. */
const emq_script *emq_script_of(emq_transition transition);

#endif
