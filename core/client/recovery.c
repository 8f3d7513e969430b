/* SPDX-License-Identifier: MIT */
/* Jobs whose time has come, and jobs that their holders lost. */
#include "client/calls.h"
#include "client/value.h"

emq_status emq_promote(int64_t *moved, emq_client *client, const char *queue, size_t queue_len,
                       int64_t limit, emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .limit = limit};
  return emq_ask_number(moved, client, EMQ_T_PROMOTE, &args, err);
}

emq_status emq_reap(int64_t *recovered, emq_client *client, const char *queue, size_t queue_len,
                    emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}};
  return emq_ask_number(recovered, client, EMQ_T_REAP, &args, err);
}

static emq_status list_of(emq_list **out, const emq_reply *texts, emq_error *err) {
  emq_list *list = NULL;
  emq_status status = emq_list_new_empty(&list, err);
  for (size_t i = 0; status == EMQ_OK && i < texts->count; i++)
    status = emq_list_add(list, texts->elements[i].text, texts->elements[i].len, err);
  if (status == EMQ_OK)
    *out = list;
  else
    emq_list_free(list);
  return status;
}

emq_status emq_sweep_stalled(emq_list **recovered, emq_list **dead, emq_client *client,
                             const char *queue, size_t queue_len, int64_t max, int64_t limit,
                             emq_error *err) {
  emq_args args = {.queue = {queue, queue_len}, .max = max, .limit = limit};
  emq_command command;
  emq_result result;
  emq_status status = emq_ask(&result, &command, client, EMQ_T_SWEEP_STALLED, &args, err);
  if (status != EMQ_OK)
    return status;
  emq_list *back = NULL, *given_up = NULL;
  status = list_of(&back, &result.list->elements[0], err);
  if (status == EMQ_OK)
    status = list_of(&given_up, &result.list->elements[1], err);
  if (status == EMQ_OK) {
    *recovered = back;
    *dead = given_up;
  } else {
    emq_list_free(back);
  }
  emq_command_clear(&command);
  return status;
}
