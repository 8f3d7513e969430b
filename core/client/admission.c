/* SPDX-License-Identifier: MIT */
/* Jobs that come in: under an id of the caller's, or under one that the client mints. */
#include "client/calls.h"
#include "wire/error.h"

enum { MINTS_MAX = 16 };

/* Mints an id and admits the job, again and again while another producer has taken the id. A
 * duplicate after a lost reply may be the call's own: the row tells. */
static emq_status admit(emq_id *id, emq_client *client, emq_transition transition, emq_args *args,
                        emq_error *err) {
  for (int mints = 0; mints < MINTS_MAX; mints++) {
    emq_id minted;
    emq_command command;
    emq_result result;
    if (mints > 0)
      emq_mint_apart(client, mints);
    emq_status status = emq_minter_next(&minted, client->minter, "JOB", 3, err);
    if (status != EMQ_OK)
      return status;
    args->id = (emq_bytes){minted.text, EMQ_ID_LEN};
    status = emq_ask(&result, &command, client, transition, args, err);
    if (status != EMQ_OK)
      return status;
    bool ours = result.outcome != EMQ_OUTCOME_DUPLICATE;
    if (!ours && command.repeated)
      status = emq_is_own_row(&ours, client, args, err);
    emq_command_clear(&command);
    if (status != EMQ_OK)
      return status;
    if (ours) {
      if (id)
        *id = minted;
      return EMQ_OK;
    }
  }
  return emq_fail(err, EMQ_ERR_STATE,
                  "%d minted ids in a row were taken: another producer uses this node's number",
                  MINTS_MAX);
}

emq_status emq_enqueue(emq_id *id, emq_client *client, const char *queue, size_t queue_len,
                       const char *payload, size_t payload_len, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .payload = {payload, payload_len}};
  return admit(id, client, EMQ_T_ENQUEUE, &args, err);
}

emq_status emq_enqueue_as(emq_outcome *outcome, emq_client *client, const char *queue,
                          size_t queue_len, const char *id, size_t id_len, const char *payload,
                          size_t payload_len, emq_error *err) {
  emq_args args = {
      .queue = {queue, queue_len}, .id = {id, id_len}, .payload = {payload, payload_len}};
  return emq_ask_outcome(outcome, client, EMQ_T_ENQUEUE, &args, err);
}

emq_status emq_schedule(emq_id *id, emq_client *client, const char *queue, size_t queue_len,
                        const char *payload, size_t payload_len, emq_when when, int64_t ms,
                        emq_error *err) {
  emq_args args = {
      .queue = {queue, queue_len}, .payload = {payload, payload_len}, .when = when, .due_ms = ms};
  return admit(id, client, EMQ_T_SCHEDULE, &args, err);
}

emq_status emq_schedule_as(emq_outcome *outcome, emq_client *client, const char *queue,
                           size_t queue_len, const char *id, size_t id_len, const char *payload,
                           size_t payload_len, emq_when when, int64_t ms, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len},
                   .id = {id, id_len},
                   .payload = {payload, payload_len},
                   .when = when,
                   .due_ms = ms};
  return emq_ask_outcome(outcome, client, EMQ_T_SCHEDULE, &args, err);
}
