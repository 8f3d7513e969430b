/* SPDX-License-Identifier: MIT */
#ifndef EMQ_CLIENT_VERDICT_H
#define EMQ_CLIENT_VERDICT_H

/* What became of one item of a call on many. */

#include "client/command.h"

typedef struct emq_verdict {
  emq_outcome outcome; /* NONE: not answered, or `error` */
  emq_error *error;    /* owned, save the one for want of memory; NULL: none */
} emq_verdict;

/* Whether the item is still to be sent. */
bool emq_verdict_waits(const emq_verdict *verdict);

/* Gives the item a copy of an error, or one that says that there was no memory for it. */
void emq_verdict_fail(emq_verdict *verdict, const emq_error *why);

/* Takes the error away: an item that has no outcome waits again. */
void emq_verdict_clear(emq_verdict *verdict);

/* For a command without a reply, after an exchange that failed with `failure`: what is known. */
void emq_verdict_unanswered(emq_verdict *verdict, const emq_command *command,
                            const emq_error *failure);

#endif
