/* SPDX-License-Identifier: MIT */
/* What a holder says of its job. */
#include "client/calls.h"
#include "wire/text.h"

/* Asks in the plain form, and where the row turns out to be a flow child's, again in the form that
 * its parent calls for. */
static emq_status settle(emq_outcome *outcome, emq_client *client, emq_args *args,
                         emq_transition plain, emq_transition child, emq_transition foreign,
                         emq_error *err) {
  emq_command command;
  emq_result result;
  emq_status status = emq_ask(&result, &command, client, plain, args, err);
  if (status != EMQ_OK)
    return status;
  if (result.parent.ptr)
    status = emq_ask_as_child(outcome, client, args, &result, child, foreign, err);
  else
    *outcome = result.outcome;
  emq_command_clear(&command);
  return status;
}

emq_status emq_complete(emq_outcome *outcome, emq_client *client, const char *queue,
                        size_t queue_len, const char *id, size_t id_len, int64_t token,
                        const char *result, size_t result_len, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len},
                   .id = {id, id_len},
                   .token = token,
                   .result = {result, result_len}};
  emq_status status = emq_result_check(args.result, err);
  if (status != EMQ_OK)
    return status;
  return settle(outcome, client, &args, EMQ_T_COMPLETE, EMQ_T_COMPLETE_CHILD,
                EMQ_T_COMPLETE_FOREIGN_CHILD, err);
}

emq_status emq_retry(emq_outcome *outcome, emq_client *client, const char *queue, size_t queue_len,
                     const char *id, size_t id_len, int64_t token, int64_t delay_ms, int64_t max,
                     const char *reason, size_t reason_len, emq_error *err) {
  /* A reason that is too long must not keep a job from being settled. */
  if (reason && reason_len > EMQ_REASON_MAX)
    reason_len = emq_whole_characters(reason, EMQ_REASON_MAX);
  emq_args args = {.queue = {queue, queue_len},
                   .id = {id, id_len},
                   .token = token,
                   .delay_ms = delay_ms,
                   .max = max,
                   .reason = {reason, reason_len}};
  return settle(outcome, client, &args, EMQ_T_RETRY, EMQ_T_RETRY_CHILD, EMQ_T_RETRY_FOREIGN_CHILD,
                err);
}

emq_status emq_delay(emq_outcome *outcome, emq_client *client, const char *queue, size_t queue_len,
                     const char *id, size_t id_len, int64_t token, emq_when when, int64_t ms,
                     emq_error *err) {
  emq_args args = {
      .queue = {queue, queue_len}, .id = {id, id_len}, .token = token, .when = when, .due_ms = ms};
  return emq_ask_outcome(outcome, client, EMQ_T_DELAY, &args, err);
}

emq_status emq_extend(emq_outcome *outcome, emq_client *client, const char *queue, size_t queue_len,
                      const char *id, size_t id_len, int64_t token, int64_t lease_ms,
                      emq_error *err) {
  emq_args args = {
      .queue = {queue, queue_len}, .id = {id, id_len}, .token = token, .lease_ms = lease_ms};
  return emq_ask_outcome(outcome, client, EMQ_T_EXTEND_LOCK, &args, err);
}
