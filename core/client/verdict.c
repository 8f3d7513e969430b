/* SPDX-License-Identifier: MIT */
#include "client/verdict.h"

#include "client/alloc.h"
#include "client/exchange.h"
#include "wire/error.h"

static emq_error no_memory = {
    EMQ_ERR_NO_MEMORY, true, "no memory for the item's error", "", "", ""};

bool emq_verdict_waits(const emq_verdict *verdict) {
  return verdict->outcome == EMQ_OUTCOME_NONE && !verdict->error;
}

void emq_verdict_fail(emq_verdict *verdict, const emq_error *why) {
  emq_verdict_clear(verdict);
  verdict->error = emq_alloc(sizeof *verdict->error);
  if (verdict->error)
    *verdict->error = *why;
  else
    verdict->error = &no_memory;
}

void emq_verdict_clear(emq_verdict *verdict) {
  if (verdict->error != &no_memory)
    emq_free(verdict->error);
  verdict->error = NULL;
}

void emq_verdict_unanswered(emq_verdict *verdict, const emq_command *command,
                            const emq_error *failure) {
  emq_error why = *failure;
  emq_command_lost(command, failure->code, &why);
  emq_verdict_fail(verdict, &why);
}
