/* SPDX-License-Identifier: MIT */
/* Jobs that go out, and the ghosts among them. */
#include "client/calls.h"
#include "client/value.h"
#include "wire/error.h"

enum { GHOSTS_MAX = 100 };

/* A member whose row was gone: the claim has made a row out of it, which goes away again. One on
 * which a worker's lock is left stays where it is, until its lease ends. */
static emq_status remove_ghost(emq_client *client, emq_bytes queue, emq_bytes id, emq_error *err) {
  emq_args args = {.queue = queue, .id = id};
  emq_outcome outcome;
  emq_id valid;
  if (emq_id_parse(&valid, id.ptr, id.len, NULL) != EMQ_OK) {
    char quoted[128];
    return emq_fail(err, EMQ_ERR_STATE, "the queue held \"%s\", which is no job id and has no row",
                    emq_quote(quoted, sizeof quoted, id.ptr, id.len));
  }
  emq_status status = emq_ask_outcome(&outcome, client, EMQ_T_REMOVE_JOB, &args, err);
  if (status != EMQ_OK && status != EMQ_ERR_LOCKED)
    return status;
  atomic_fetch_add(&client->ghosts, 1);
  return EMQ_OK;
}

emq_status emq_claim(emq_job **job, emq_client *client, const char *queue, size_t queue_len,
                     int64_t lease_ms, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .lease_ms = lease_ms};
  for (int ghosts = 0; ghosts < GHOSTS_MAX; ghosts++) {
    emq_command command;
    emq_result result;
    emq_status status = emq_ask(&result, &command, client, EMQ_T_CLAIM, &args, err);
    if (status != EMQ_OK)
      return status;
    if (result.outcome == EMQ_OUTCOME_EMPTY) {
      emq_command_clear(&command);
      *job = NULL;
      return EMQ_OK;
    }
    if (result.payload.ptr) {
      status = emq_job_new(job, &command, &result, err);
      emq_command_clear(&command);
      return status;
    }
    status = remove_ghost(client, args.queue, result.id, err);
    emq_command_clear(&command);
    if (status != EMQ_OK)
      return status;
  }
  return emq_fail(err, EMQ_ERR_STATE,
                  "%d members of the queue had no row: they were removed, and more may follow",
                  GHOSTS_MAX);
}

emq_status emq_claim_many(emq_jobs **jobs, emq_client *client, const char *queue, size_t queue_len,
                          int64_t size, int64_t lease_ms, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .lease_ms = lease_ms, .size = size};
  for (int rounds = 0; rounds < GHOSTS_MAX; rounds++) {
    emq_command command;
    emq_result result;
    emq_status status = emq_ask(&result, &command, client, EMQ_T_BCLAIM, &args, err);
    if (status != EMQ_OK)
      return status;
    bool empty = result.outcome == EMQ_OUTCOME_EMPTY;
    emq_jobs *claimed;
    status = emq_jobs_new(&claimed, &command, err);
    emq_command_clear(&command);
    if (status != EMQ_OK)
      return status;
    /* What was claimed is the caller's, whatever becomes of the ghosts: an error here would lose
     * good jobs until their lease ends. */
    for (size_t i = 0; i < emq_jobs_ghosts(claimed); i++)
      (void)remove_ghost(client, args.queue, emq_jobs_ghost(claimed, i), NULL);
    if (empty || emq_jobs_size(claimed) > 0) {
      *jobs = claimed;
      return EMQ_OK;
    }
    emq_jobs_free(claimed); /* ghosts alone: what comes behind them? */
  }
  return emq_fail(err, EMQ_ERR_STATE,
                  "%d claims in a row found members without a row: they were removed, and more may "
                  "follow",
                  GHOSTS_MAX);
}
