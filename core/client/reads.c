/* SPDX-License-Identifier: MIT */
/* How one looks at queues and jobs. Nothing here writes. */
#include <stdlib.h>
#include <string.h>

#include "client/calls.h"
#include "client/places.h"
#include "client/value.h"
#include "wire/error.h"

emq_status emq_count_queue(emq_counts *out, emq_client *client, const char *queue, size_t queue_len,
                           unsigned wanted, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .counted = wanted};
  emq_command command;
  emq_result result;
  emq_status status = emq_ask(&result, &command, client, EMQ_T_COUNTS, &args, err);
  if (status != EMQ_OK)
    return status;
  *out = result.counts;
  emq_command_clear(&command);
  return EMQ_OK;
}

emq_status emq_state_lookup(emq_state *out, emq_client *client, const char *queue, size_t queue_len,
                            const char *id, size_t id_len, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .id = {id, id_len}};
  emq_command command;
  emq_result result;
  emq_status status = emq_ask(&result, &command, client, EMQ_T_STATE_LOOKUP, &args, err);
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
  emq_status status = emq_ask(&result, &command, client, EMQ_T_ROW, &args, err);
  if (status != EMQ_OK)
    return status;
  if (result.row)
    status = emq_row_new(row, &command, err);
  else
    *row = NULL;
  emq_command_clear(&command);
  return status;
}

emq_status emq_read_logs(emq_list **lines, emq_client *client, const char *queue, size_t queue_len,
                         const char *id, size_t id_len, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .id = {id, id_len}, .first = 0, .last = -1};
  int64_t there;
  emq_status status = emq_ask_number(&there, client, EMQ_T_ROW_EXISTS, &args, err);
  if (status != EMQ_OK)
    return status;
  if (there == 0) {
    *lines = NULL;
    return EMQ_OK;
  }
  return emq_ask_list(lines, client, EMQ_T_LOGS, &args, err);
}

emq_status emq_depth(int64_t *out, emq_client *client, const char *queue, size_t queue_len,
                     emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}};
  return emq_ask_number(out, client, EMQ_T_DEPTH, &args, err);
}

emq_status emq_dedup_read(emq_list **ids, emq_client *client, const char *queue, size_t queue_len,
                          const char *dedup, size_t dedup_len, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .dedup = {dedup, dedup_len}};
  emq_command command;
  emq_result result;
  if (!dedup || dedup_len == 0)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "dedup id is empty");
  emq_status status = emq_ask(&result, &command, client, EMQ_T_DEDUP_READ, &args, err);
  if (status != EMQ_OK)
    return status;
  emq_list *found = NULL;
  status = emq_list_new_empty(&found, err);
  if (status == EMQ_OK && result.text.ptr)
    status = emq_list_add(found, result.text.ptr, result.text.len, err);
  if (status == EMQ_OK)
    *ids = found;
  else
    emq_list_free(found);
  emq_command_clear(&command);
  return status;
}

emq_status emq_metric(int64_t *out, emq_client *client, const char *queue, size_t queue_len,
                      emq_count total, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .metric = total};
  emq_command command;
  emq_result result;
  emq_status status = emq_ask(&result, &command, client, EMQ_T_METRIC, &args, err);
  if (status != EMQ_OK)
    return status;
  int64_t value = 0;
  for (size_t i = 0; status == EMQ_OK && i < result.text.len; i++) {
    int digit = result.text.ptr[i] - '0';
    if (digit < 0 || digit > 9 || value > (INT64_MAX - digit) / 10)
      status = emq_fail(err, EMQ_ERR_PROTOCOL, "the total in the store is no number");
    else
      value = value * 10 + digit;
  }
  if (status == EMQ_OK)
    *out = value;
  emq_command_clear(&command);
  return status;
}

/* ---- browsing ---- */

/* Newest first; what is no id sorts by its bytes too. */
static int newer(const void *a, const void *b) {
  const emq_reply *left = a, *right = b;
  size_t len = left->len < right->len ? left->len : right->len;
  int order = memcmp(right->text, left->text, len);
  if (order != 0)
    return order;
  return left->len < right->len ? 1 : left->len > right->len ? -1 : 0;
}

/* Pending and dead have the score 0, so the server sorts by id; active and schedule are sorted by
 * time, and are read whole to be sorted here. */
emq_status emq_browse(emq_list **ids, emq_client *client, const char *queue, size_t queue_len,
                      emq_state state, int64_t limit, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .state = state, .limit = limit, .last = -1};
  if (state == EMQ_STATE_PENDING || state == EMQ_STATE_DEAD)
    return emq_ask_list(ids, client, EMQ_T_BROWSE, &args, err);
  if (limit < 1 || limit > EMQ_LIMIT_MAX)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "limit is %lld, 1 to %lld are allowed",
                    (long long)limit, (long long)EMQ_LIMIT_MAX);
  emq_command command;
  emq_result result;
  emq_status status = emq_ask(&result, &command, client, EMQ_T_MEMBERS, &args, err);
  if (status != EMQ_OK)
    return status;
  emq_reply *reply = command.reply;
  if (reply->count)
    qsort(reply->elements, reply->count, sizeof *reply->elements, newer);
  while (reply->count > (size_t)limit)
    emq_reply_drop_last(reply);
  status = emq_list_new(ids, &command, err);
  emq_command_clear(&command);
  return status;
}

emq_status emq_locate(emq_place *out, emq_client *client, const char *queue, size_t queue_len,
                      const char *id, size_t id_len, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .id = {id, id_len}};
  emq_command command;
  emq_result result;
  emq_id valid;
  emq_status status = emq_id_parse(&valid, id, id_len, err);
  if (status == EMQ_OK)
    status = emq_ask(&result, &command, client, EMQ_T_INSPECT, &args, err);
  if (status != EMQ_OK)
    return status;
  emq_places_read(out, result.list);
  emq_command_clear(&command);
  return EMQ_OK;
}
