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

/* One claim, into room that was made for its job. `*job` goes to NULL when the queue is empty, and
 * stays an empty one when what was claimed was a ghost. */
static emq_status claim_into(emq_job **job, emq_client *client, const emq_args *args,
                             emq_error *err) {
  emq_command command;
  emq_result result;
  emq_status status = emq_ask(&result, &command, client, EMQ_T_CLAIM, args, err);
  if (status != EMQ_OK)
    return status;
  if (result.outcome == EMQ_OUTCOME_EMPTY) {
    emq_job_free(*job);
    *job = NULL;
  } else if (result.payload.ptr) {
    emq_job_fill(*job, &command, &result);
  } else {
    status = remove_ghost(client, args->queue, result.id, err);
  }
  emq_command_clear(&command);
  return status;
}

emq_status emq_claim(emq_job **job, emq_client *client, const char *queue, size_t queue_len,
                     int64_t lease_ms, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .lease_ms = lease_ms};
  emq_job *claimed;
  emq_status status = emq_job_new(&claimed, err);
  if (status != EMQ_OK)
    return status;
  for (int ghosts = 0; ghosts < GHOSTS_MAX; ghosts++) {
    status = claim_into(&claimed, client, &args, err);
    if (status != EMQ_OK)
      break;
    if (!claimed || emq_job_id(claimed).ptr) {
      *job = claimed;
      return EMQ_OK;
    }
  }
  emq_job_free(claimed);
  if (status != EMQ_OK)
    return status;
  return emq_fail(err, EMQ_ERR_STATE,
                  "%d members of the queue had no row: they were removed, and more may follow",
                  GHOSTS_MAX);
}

emq_status emq_claim_many(emq_jobs **jobs, emq_client *client, const char *queue, size_t queue_len,
                          int64_t size, int64_t lease_ms, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .lease_ms = lease_ms, .size = size};
  size_t room = size > 0 && size <= EMQ_CLAIM_MAX ? (size_t)size : 1; /* emq_ask refuses others */
  for (int rounds = 0; rounds < GHOSTS_MAX; rounds++) {
    emq_jobs *claimed;
    emq_command command;
    emq_result result;
    emq_status status = emq_jobs_new(&claimed, room, err);
    if (status != EMQ_OK)
      return status;
    status = emq_ask(&result, &command, client, EMQ_T_BCLAIM, &args, err);
    if (status != EMQ_OK) {
      emq_jobs_free(claimed);
      return status;
    }
    bool empty = result.outcome == EMQ_OUTCOME_EMPTY;
    emq_jobs_fill(claimed, &command);
    emq_command_clear(&command);
    /* What was claimed is the caller's, whatever becomes of the ghosts: an error here would lose
     * good jobs until their lease ends. */
    for (size_t i = 0; i < emq_jobs_ghosts(claimed); i++)
      if (emq_ends_a_call(remove_ghost(client, args.queue, emq_jobs_ghost(claimed, i), NULL)))
        break;
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
