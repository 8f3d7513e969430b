/* SPDX-License-Identifier: MIT */
#include "client/command.h"

#include <string.h>

emq_status emq_command_build(emq_command *out, emq_transition transition, emq_executor executor,
                             const emq_args *args, emq_error *err) {
  emq_request request;
  emq_status status = emq_request_build(&request, transition, executor, args, err);
  if (status != EMQ_OK)
    return status;
  memset(out, 0, sizeof *out);
  out->transition = transition;
  return emq_format(&out->bytes, &out->len, request.count, request.parts, request.lengths, err);
}

void emq_command_clear(emq_command *command) {
  emq_format_free(command->bytes);
  emq_reply_free(command->reply);
  memset(command, 0, sizeof *command);
}
