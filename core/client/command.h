/* SPDX-License-Identifier: MIT */
#ifndef EMQ_CLIENT_COMMAND_H
#define EMQ_CLIENT_COMMAND_H

/* One request on its way, and its answer. Built before anything is sent, it can be sent again on
 * another connection as it is. */

#include "client/reader.h"

typedef struct emq_command {
  emq_transition transition;
  char *bytes; /* RESP; owned */
  size_t len;
  emq_reply *reply; /* the answer; NULL until it came. Owned */
  bool left;        /* the server may have run it, and no answer came */
  bool repeated;    /* it was sent again after that */
} emq_command;

/* Checks the arguments and formats the request. Returns EMQ_OK, EMQ_ERR_INVALID_ARGUMENT or
 * EMQ_ERR_NO_MEMORY; on an error there is nothing to clear. */
emq_status emq_command_build(emq_command *out, emq_transition transition, emq_executor executor,
                             const emq_args *args, emq_error *err);

/* Frees what the command owns. */
void emq_command_clear(emq_command *command);

#endif
