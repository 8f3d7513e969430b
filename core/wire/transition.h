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
  EMQ_KEY_PARENT_FAILED,       /* p job:<parent>:failed */
  EMQ_KEY_PARENT_UNSUCCESSFUL, /* p job:<parent>:unsuccessful */
  EMQ_KEY_LOGS,                /* p job:<id>:logs */
  EMQ_KEY_METRIC,              /* p metrics:<total> */
  EMQ_KEY_BROWSED_SET,         /* p and the set of the state asked for */
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
  EMQ_ARG_ANY_ID,          /* bytes: whatever a set holds */
  EMQ_ARG_WHEN,            /* the word in or at */
  EMQ_ARG_DUE,             /* ms from now or unix ms, 0 to EMQ_TIME_MAX_MS */
  EMQ_ARG_DELAY,           /* ms, 0 to EMQ_LEASE_MAX_MS */
  EMQ_ARG_MAX,             /* attempts or stalls, 1 to EMQ_NUMBER_MAX */
  EMQ_ARG_LIMIT,           /* jobs, 1 to EMQ_LIMIT_MAX */
  EMQ_ARG_SIZE,            /* jobs, 1 to EMQ_CLAIM_MAX */
  EMQ_ARG_BUDGET,          /* members, 1 to EMQ_LIMIT_MAX */
  EMQ_ARG_REASON,          /* bytes: an error's text */
  EMQ_ARG_SQ_POLICY,       /* sq:fp or sq:id */
  EMQ_ARG_XQ_POLICY,       /* xq:fp or xq:id */
  EMQ_ARG_HOLDS,           /* id and token of each job, 1 to EMQ_HOLDS_MAX of them */
  EMQ_ARG_PROGRESS,        /* bytes */
  EMQ_ARG_LINE,            /* bytes */
  EMQ_ARG_KEEP,            /* lines, 1 to EMQ_NUMBER_MAX; 0: empty, for all */
  EMQ_ARG_FORCE,           /* the word force, or empty */
  EMQ_ARG_RANGE,           /* first and last index of a list or set */
  EMQ_ARG_NEWEST,          /* + - BYLEX REV LIMIT 0 */
  EMQ_ARG_CURSOR,          /* decimal text: where a scan goes on */
  EMQ_ARG_ROWS,            /* MATCH p job:* COUNT 1000 */
  EMQ_ARG_COUNT_FIELD,     /* the word count */
  EMQ_ARG_COUNTED_METRICS, /* the totals asked for, in the order of emq_count */
} emq_arg_role;

/* What a reply may be. Anything else is EMQ_ERR_PROTOCOL. */
typedef enum emq_reply_shape {
  EMQ_REPLY_ENQUEUED,     /* int 1 enqueued, 0 duplicate */
  EMQ_REPLY_CLAIMED,      /* [id, payload or null, attempts], [] empty */
  EMQ_REPLY_SCHEDULED,    /* int 1 scheduled, 0 duplicate */
  EMQ_REPLY_CLAIMED_MANY, /* [[id, payload or null, attempts], ...] */
  EMQ_REPLY_RETRIED,      /* scheduled or dead; [parent, queue or null, policy or null]: ask again;
                             EMQSTALE job gone: gone */
  EMQ_REPLY_DONE,         /* int 1 done; EMQSTALE job gone: gone */
  EMQ_REPLY_NUMBER,       /* int, 0 or more */
  EMQ_REPLY_LOGGED,       /* int, 1 or more; -1 gone */
  EMQ_REPLY_SWEPT,        /* [[ids that came back], [ids that are dead]] */
  EMQ_REPLY_MORE,         /* int 1 call again, 0 nothing is left */
  EMQ_REPLY_TEXTS,        /* [string, ...] */
  EMQ_REPLY_TEXT,         /* string, or nil */
  EMQ_REPLY_SCANNED,      /* [cursor, [key, ...]] */
  EMQ_REPLY_PLACES,       /* [score or nil x 5, state, attempts, group: each or nil, row's type] */
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

enum { EMQ_KEYS_MAX = 8, EMQ_ARGS_MAX = 9, EMQ_HOLDS_MAX = 64 };

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
  const char *source; /* core/scripts/<name>.lua, behind what it includes */
  size_t source_len;
  char sha1[41]; /* its digest in lower-case hexadecimal, NUL-terminated */
} emq_script;

/* Made by the build from core/scripts/. */
extern const emq_script emq_scripts[];
extern const size_t emq_script_count;

/* The script of a transition; NULL for a plain command. Static. */
const emq_script *emq_script_of(emq_transition transition);

#endif
