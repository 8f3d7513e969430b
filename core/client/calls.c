/* SPDX-License-Identifier: MIT */
#include "client/calls.h"

#include <string.h>

#include "client/random.h"
#include "client/value.h"
#include "wire/error.h"

emq_status emq_command_read(emq_result *result, emq_client *client, const emq_command *command,
                            const emq_args *args, emq_error *err) {
  emq_status status = emq_result_read(result, command->transition, args, command->reply, err);
  if (status == EMQ_ERR_PROTOCOL)
    emq_client_distrust(client);
  return status == EMQ_OK ? EMQ_OK : emq_command_refused(command, status, err);
}

emq_status emq_ask(emq_result *result, emq_command *command, emq_client *client,
                   emq_transition transition, const emq_args *args, emq_error *err) {
  emq_status status = emq_command_build(command, transition, client->settings.executor, args, err);
  if (status != EMQ_OK)
    return status;
  emq_error why = EMQ_ERROR_INIT;
  status = emq_client_exchange(client, command, 1, &why);
  if (status != EMQ_OK) {
    status = emq_command_lost(command, status, &why);
  } else {
    status = emq_command_read(result, client, command, args, &why);
  }
  if (status != EMQ_OK) {
    emq_command_clear(command);
    if (err)
      *err = why;
  }
  return status;
}

/* The form in which a flow child's settlement goes out again; the arguments view the result. */
static emq_transition child_form(emq_args *args, const emq_result *result, emq_transition child,
                                 emq_transition foreign) {
  args->parent = result->parent;
  args->parent_queue = result->parent_queue;
  args->policy = result->policy;
  bool same = !args->parent_queue.ptr ||
              (args->parent_queue.len == args->queue.len &&
               memcmp(args->parent_queue.ptr, args->queue.ptr, args->queue.len) == 0);
  return same ? child : foreign;
}

emq_status emq_ask_as_child(emq_outcome *outcome, emq_client *client, emq_args *args,
                            const emq_result *plain, emq_transition child, emq_transition foreign,
                            emq_error *err) {
  emq_error why = EMQ_ERROR_INIT;
  emq_transition form = child_form(args, plain, child, foreign);
  emq_status status = emq_ask_outcome(outcome, client, form, args, &why);
  /* The caller's arguments have passed; what is not acceptable stands in the row. */
  if (status == EMQ_ERR_INVALID_ARGUMENT)
    return emq_fail(err, EMQ_ERR_STATE, "the job's row names a parent that cannot be one: %.400s",
                    why.message);
  if (status != EMQ_OK && err)
    *err = why;
  return status;
}

emq_status emq_ask_outcome(emq_outcome *outcome, emq_client *client, emq_transition transition,
                           const emq_args *args, emq_error *err) {
  emq_command command;
  emq_result result;
  emq_status status = emq_ask(&result, &command, client, transition, args, err);
  if (status != EMQ_OK)
    return status;
  *outcome = result.outcome;
  emq_command_clear(&command);
  return EMQ_OK;
}

emq_status emq_ask_number(int64_t *number, emq_client *client, emq_transition transition,
                          const emq_args *args, emq_error *err) {
  emq_command command;
  emq_result result;
  emq_status status = emq_ask(&result, &command, client, transition, args, err);
  if (status != EMQ_OK)
    return status;
  *number = result.number;
  emq_command_clear(&command);
  return EMQ_OK;
}

emq_status emq_ask_list(emq_list **list, emq_client *client, emq_transition transition,
                        const emq_args *args, emq_error *err) {
  emq_command command;
  emq_result result;
  emq_status status = emq_ask(&result, &command, client, transition, args, err);
  if (status != EMQ_OK)
    return status;
  status = emq_list_new(list, &command, err);
  emq_command_clear(&command);
  return status;
}

emq_status emq_is_own_row(bool *own, emq_client *client, const emq_args *args, emq_error *err) {
  emq_command command;
  emq_result result;
  emq_error why = EMQ_ERROR_INIT;
  if (emq_ask(&result, &command, client, EMQ_T_ROW, args, &why) != EMQ_OK)
    return emq_fail(err, EMQ_ERR_UNKNOWN_OUTCOME,
                    "the reply to the request was lost, and the row that its second sending found "
                    "cannot be looked into (%.400s): whose it is is not known",
                    why.message);
  *own = true;
  for (size_t i = 0; result.row && i + 1 < result.row->count; i += 2) {
    const emq_reply *name = &result.row->elements[i], *value = name + 1;
    if (name->len == 7 && memcmp(name->text, "payload", 7) == 0)
      *own = value->len == args->payload.len &&
             memcmp(value->text, args->payload.ptr, value->len) == 0;
  }
  emq_command_clear(&command);
  return EMQ_OK;
}

void emq_mint_apart(emq_client *client, int collisions) {
  enum { FIRST = 64, DOUBLINGS_MAX = 8 };
  int doublings = collisions - 1 < DOUBLINGS_MAX ? collisions - 1 : DOUBLINGS_MAX;
  emq_id passed;
  for (uint32_t left = emq_random_below((uint32_t)FIRST << doublings); left > 0; left--)
    if (emq_minter_next(&passed, client->minter, "JOB", 3, NULL) != EMQ_OK)
      return;
}
