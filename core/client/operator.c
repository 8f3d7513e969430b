/* SPDX-License-Identifier: MIT */
/* What an operator does: to a job, and to a queue. */
#include <echomq/operator.h>

#include "client/calls.h"

/* ---- per job ---- */

emq_status emq_update_data(emq_outcome *outcome, emq_client *client, const char *queue,
                           size_t queue_len, const char *id, size_t id_len, const char *payload,
                           size_t payload_len, emq_error *err) {
  emq_args args = {
      .queue = {queue, queue_len}, .id = {id, id_len}, .payload = {payload, payload_len}};
  return emq_ask_outcome(outcome, client, EMQ_T_UPDATE_DATA, &args, err);
}

emq_status emq_update_progress(emq_outcome *outcome, emq_client *client, const char *queue,
                               size_t queue_len, const char *id, size_t id_len,
                               const char *progress, size_t progress_len, emq_error *err) {
  emq_args args = {
      .queue = {queue, queue_len}, .id = {id, id_len}, .progress = {progress, progress_len}};
  return emq_ask_outcome(outcome, client, EMQ_T_UPDATE_PROGRESS, &args, err);
}

emq_status emq_add_log(int64_t *count, emq_client *client, const char *queue, size_t queue_len,
                       const char *id, size_t id_len, const char *line, size_t line_len,
                       int64_t keep, emq_error *err) {
  emq_args args = {
      .queue = {queue, queue_len}, .id = {id, id_len}, .line = {line, line_len}, .keep = keep};
  emq_command command;
  emq_result result;
  emq_status status = emq_ask(&result, &command, client, EMQ_T_ADD_LOG, &args, err);
  if (status != EMQ_OK)
    return status;
  *count = result.outcome == EMQ_OUTCOME_GONE ? -1 : result.number;
  emq_command_clear(&command);
  return EMQ_OK;
}

emq_status emq_remove_job(emq_outcome *outcome, emq_client *client, const char *queue,
                          size_t queue_len, const char *id, size_t id_len, const char *dedup,
                          size_t dedup_len, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .id = {id, id_len}, .dedup = {dedup, dedup_len}};
  return emq_ask_outcome(outcome, client, EMQ_T_REMOVE_JOB, &args, err);
}

emq_status emq_reprocess_job(emq_outcome *outcome, emq_client *client, const char *queue,
                             size_t queue_len, const char *id, size_t id_len, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .id = {id, id_len}};
  return emq_ask_outcome(outcome, client, EMQ_T_REPROCESS, &args, err);
}

/* ---- per queue ---- */

emq_status emq_queue_pause(emq_client *client, const char *queue, size_t queue_len,
                           emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}};
  emq_outcome outcome;
  return emq_ask_outcome(&outcome, client, EMQ_T_QUEUE_PAUSE, &args, err);
}

emq_status emq_queue_resume(emq_client *client, const char *queue, size_t queue_len,
                            emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}};
  emq_outcome outcome;
  return emq_ask_outcome(&outcome, client, EMQ_T_QUEUE_RESUME, &args, err);
}

emq_status emq_queue_drain(int64_t *deleted, emq_client *client, const char *queue,
                           size_t queue_len, bool scheduled, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}};
  return emq_ask_number(deleted, client, scheduled ? EMQ_T_DRAIN_SCHEDULED : EMQ_T_DRAIN, &args,
                        err);
}

emq_status emq_queue_obliterate(bool *more, emq_client *client, const char *queue, size_t queue_len,
                                bool force, int64_t budget, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .force = force, .budget = budget};
  int64_t again;
  emq_status status = emq_ask_number(&again, client, EMQ_T_OBLITERATE, &args, err);
  if (status == EMQ_OK)
    *more = again != 0;
  return status;
}
