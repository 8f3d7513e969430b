/* SPDX-License-Identifier: MIT */
/* The blocking calls of client.h: arguments to commands, replies to values. */
#include "client/exchange.h"

#include <string.h>

#include "client/alloc.h"
#include "client/value.h"
#include "wire/error.h"

enum { GHOSTS_MAX = 100, MINTS_MAX = 16 };

/* One command there and its result back. `result` views the command's reply, so the caller clears
 * `command` when it has read it; on an error there is nothing to clear. */
static emq_status ask(emq_result *result, emq_command *command, emq_client *client,
                      emq_transition transition, const emq_args *args, emq_error *err) {
  emq_status status =
      emq_command_build(command, transition, client->settings.executor, args, err);
  if (status != EMQ_OK)
    return status;
  status = emq_client_exchange(client, command, 1, err);
  if (status == EMQ_OK)
    status = emq_result_read(result, transition, args, command->reply, err);
  if (status != EMQ_OK)
    emq_command_clear(command);
  return status;
}

/* ---- admission ---- */

emq_status emq_enqueue_as(emq_outcome *outcome, emq_client *client, const char *queue,
                          size_t queue_len, const char *id, size_t id_len, const char *payload,
                          size_t payload_len, emq_error *err) {
  emq_args args = {
      .queue = {queue, queue_len}, .id = {id, id_len}, .payload = {payload, payload_len}};
  emq_command command;
  emq_result result;
  emq_status status = ask(&result, &command, client, EMQ_T_ENQUEUE, &args, err);
  if (status != EMQ_OK)
    return status;
  *outcome = result.outcome;
  emq_command_clear(&command);
  return EMQ_OK;
}

emq_status emq_enqueue(emq_id *id, emq_client *client, const char *queue, size_t queue_len,
                       const char *payload, size_t payload_len, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .payload = {payload, payload_len}};
  for (int mints = 0; mints < MINTS_MAX; mints++) {
    emq_id minted;
    emq_command command;
    emq_result result;
    emq_status status = emq_minter_next(&minted, client->minter, "JOB", 3, err);
    if (status != EMQ_OK)
      return status;
    args.id = (emq_bytes){minted.text, EMQ_ID_LEN};
    status = ask(&result, &command, client, EMQ_T_ENQUEUE, &args, err);
    if (status != EMQ_OK)
      return status;
    bool ours = result.outcome == EMQ_OUTCOME_ENQUEUED;
    if (!ours && command.repeated)
      status = emq_client_is_own_row(&ours, client, &args, err);
    emq_command_clear(&command);
    if (status != EMQ_OK)
      return status;
    if (ours) {
      if (id)
        *id = minted;
      return EMQ_OK;
    }
  }
  return emq_fail(err, EMQ_ERR_STATE, "%d minted ids in a row were taken: another producer uses "
                                      "this node's number", MINTS_MAX);
}

emq_status emq_client_is_own_row(bool *own, emq_client *client, const emq_args *args,
                                 emq_error *err) {
  emq_command command;
  emq_result result;
  emq_status status = ask(&result, &command, client, EMQ_T_ROW, args, err);
  if (status != EMQ_OK)
    return status;
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

/* ---- claim and settle ---- */

/* A member whose row was gone: the claim has made a row out of it, which goes away again. */
static emq_status remove_ghost(emq_client *client, emq_bytes queue, emq_bytes id, emq_error *err) {
  emq_args args = {.queue = queue, .id = id};
  emq_command command;
  emq_result result;
  emq_id valid;
  if (emq_id_parse(&valid, id.ptr, id.len, NULL) != EMQ_OK) {
    char quoted[128];
    return emq_fail(err, EMQ_ERR_STATE, "the queue held \"%s\", which is no job id and has no row",
                    emq_quote(quoted, sizeof quoted, id.ptr, id.len));
  }
  emq_status status = ask(&result, &command, client, EMQ_T_REMOVE_JOB, &args, err);
  if (status != EMQ_OK)
    return status;
  emq_command_clear(&command);
  atomic_fetch_add(&client->ghosts, 1);
  return EMQ_OK;
}

emq_status emq_claim(emq_job **job, emq_client *client, const char *queue, size_t queue_len,
                     int64_t lease_ms, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .lease_ms = lease_ms};
  for (int ghosts = 0; ghosts < GHOSTS_MAX; ghosts++) {
    emq_command command;
    emq_result result;
    emq_status status = ask(&result, &command, client, EMQ_T_CLAIM, &args, err);
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

/* The row is a flow child's: the form that its parent calls for. `command` holds the views. */
static emq_transition child_form(emq_args *args, const emq_result *result) {
  args->parent = result->parent;
  args->parent_queue = result->parent_queue;
  bool foreign = args->parent_queue.ptr && !(args->parent_queue.len == args->queue.len &&
                                             memcmp(args->parent_queue.ptr, args->queue.ptr,
                                                    args->queue.len) == 0);
  return foreign ? EMQ_T_COMPLETE_FOREIGN_CHILD : EMQ_T_COMPLETE_CHILD;
}

emq_status emq_complete(emq_outcome *outcome, emq_client *client, const char *queue,
                        size_t queue_len, const char *id, size_t id_len, int64_t token,
                        const char *result_bytes, size_t result_len, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len},
                   .id = {id, id_len},
                   .token = token,
                   .result = {result_bytes, result_len}};
  emq_command command;
  emq_result result;
  if (result_bytes && result_len > EMQ_PAYLOAD_MAX)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "result has %zu bytes, at most %zu are allowed",
                    result_len, EMQ_PAYLOAD_MAX);
  emq_status status = ask(&result, &command, client, EMQ_T_COMPLETE, &args, err);
  if (status != EMQ_OK)
    return status;
  if (result.parent.ptr) {
    emq_command child;
    emq_transition form = child_form(&args, &result);
    status = ask(&result, &child, client, form, &args, err);
    if (status == EMQ_OK)
      emq_command_clear(&child);
  }
  emq_command_clear(&command);
  if (status == EMQ_OK)
    *outcome = result.outcome;
  return status;
}

/* ---- reads ---- */

emq_status emq_count_queue(emq_counts *out, emq_client *client, const char *queue,
                           size_t queue_len, unsigned wanted, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .counted = wanted};
  emq_command command;
  emq_result result;
  emq_status status = ask(&result, &command, client, EMQ_T_COUNTS, &args, err);
  if (status != EMQ_OK)
    return status;
  *out = result.counts;
  emq_command_clear(&command);
  return EMQ_OK;
}

emq_status emq_state_lookup(emq_state *out, emq_client *client, const char *queue,
                            size_t queue_len, const char *id, size_t id_len, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .id = {id, id_len}};
  emq_command command;
  emq_result result;
  emq_status status = ask(&result, &command, client, EMQ_T_STATE_LOOKUP, &args, err);
  if (status != EMQ_OK)
    return status;
  *out = result.state;
  emq_command_clear(&command);
  return EMQ_OK;
}

emq_status emq_row_read(emq_row **row, emq_client *client, const char *queue, size_t queue_len,
                        const char *id, size_t id_len, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .id = {id, id_len}};
  emq_command command;
  emq_result result;
  emq_status status = ask(&result, &command, client, EMQ_T_ROW, &args, err);
  if (status != EMQ_OK)
    return status;
  if (result.row)
    status = emq_row_new(row, &command, err);
  else
    *row = NULL;
  emq_command_clear(&command);
  return status;
}
