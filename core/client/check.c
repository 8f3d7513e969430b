/* SPDX-License-Identifier: MIT */
/* The check of a queue: every id that a set or a row names, judged one by one. */
#include <stdlib.h>
#include <string.h>

#include "client/alloc.h"
#include "client/calls.h"
#include "client/places.h"
#include "client/value.h"
#include "wire/error.h"

enum { PAGE = 1000, LINE_MAX_LEN = 512 };

/* ---- which ids there are ---- */

static emq_status add_all(emq_list *ids, const emq_reply *texts, size_t skip, emq_error *err) {
  emq_status status = EMQ_OK;
  for (size_t i = 0; status == EMQ_OK && i < texts->count; i++) {
    const emq_reply *each = &texts->elements[i];
    /* Below a row lie its logs, lock and children: no rows. A member may be anything. */
    if (each->len < skip || (skip > 0 && memchr(each->text + skip, ':', each->len - skip)))
      continue;
    status = emq_list_add(ids, each->text + skip, each->len - skip, err);
  }
  return status;
}

static emq_status add_members(emq_list *ids, emq_client *client, emq_args *args, emq_error *err) {
  emq_status status = EMQ_OK;
  size_t got = PAGE;
  for (args->first = 0; status == EMQ_OK && got == PAGE; args->first += PAGE) {
    args->last = args->first + PAGE - 1;
    emq_command command;
    emq_result result;
    status = emq_ask(&result, &command, client, EMQ_T_MEMBERS, args, err);
    if (status != EMQ_OK)
      return status;
    got = result.list->count;
    status = add_all(ids, result.list, 0, err);
    emq_command_clear(&command);
  }
  return status;
}

static emq_status add_rows(emq_list *ids, emq_client *client, emq_args *args, emq_error *err) {
  char cursor[24] = "0";
  emq_status status;
  do {
    args->cursor = (emq_bytes){cursor, strlen(cursor)};
    emq_command command;
    emq_result result;
    status = emq_ask(&result, &command, client, EMQ_T_SCAN_ROWS, args, err);
    if (status != EMQ_OK)
      return status;
    status = add_all(ids, result.list, strlen("emq:{}:job:") + args->queue.len, err);
    size_t len = result.text.len < sizeof cursor - 1 ? result.text.len : sizeof cursor - 1;
    memcpy(cursor, result.text.ptr, len);
    cursor[len] = '\0';
    emq_command_clear(&command);
  } while (status == EMQ_OK && strcmp(cursor, "0") != 0);
  return status;
}

static emq_status gather(emq_list *ids, emq_client *client, emq_bytes queue, emq_error *err) {
  emq_args args = {.queue = queue};
  emq_status status = EMQ_OK;
  for (int state = EMQ_STATE_PENDING; status == EMQ_OK && state <= EMQ_STATE_DEAD; state++) {
    args.state = (emq_state)state;
    status = add_members(ids, client, &args, err);
  }
  return status == EMQ_OK ? add_rows(ids, client, &args, err) : status;
}

/* ---- what is wrong with each ---- */

typedef struct page {
  size_t count;
  emq_bytes ids[PAGE];
  emq_command commands[PAGE];
} page;

static emq_status judge(emq_list *offenders, emq_client *client, emq_bytes queue, page *p,
                        emq_error *err) {
  emq_status status = EMQ_OK;
  size_t built = 0;
  for (; status == EMQ_OK && built < p->count; built += status == EMQ_OK) {
    emq_args args = {.queue = queue, .id = p->ids[built]};
    status = emq_command_build(&p->commands[built], EMQ_T_INSPECT, client->settings.executor, &args,
                               err);
  }
  if (status == EMQ_OK)
    status = emq_client_exchange(client, p->commands, p->count, err);
  for (size_t i = 0; status == EMQ_OK && i < p->count; i++) {
    char line[LINE_MAX_LEN];
    emq_args args = {.queue = queue};
    emq_result result;
    status = emq_command_read(&result, client, &p->commands[i], &args, err);
    if (status == EMQ_OK && emq_places_offend(line, sizeof line, p->ids[i], result.list))
      status = emq_list_add(offenders, line, strlen(line), err);
  }
  for (size_t i = 0; i < built; i++)
    emq_command_clear(&p->commands[i]);
  return status;
}

static int by_bytes(const void *a, const void *b) {
  const emq_bytes *left = a, *right = b;
  size_t len = left->len < right->len ? left->len : right->len;
  int order = len ? memcmp(left->ptr, right->ptr, len) : 0;
  return order ? order : left->len < right->len ? -1 : left->len > right->len;
}

static emq_status judge_all(emq_list *offenders, emq_client *client, emq_bytes queue,
                            const emq_list *ids, emq_error *err) {
  size_t count = emq_list_size(ids);
  page *p = emq_alloc(sizeof *p);
  emq_bytes *sorted = emq_alloc(count * sizeof *sorted);
  emq_status status = EMQ_OK;
  if (!p || !sorted)
    status = emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory to check %zu jobs", count);
  for (size_t i = 0; status == EMQ_OK && i < count; i++)
    sorted[i] = emq_list_text(ids, i);
  if (status == EMQ_OK && count > 1)
    qsort(sorted, count, sizeof *sorted, by_bytes);
  for (size_t at = 0; status == EMQ_OK && at < count;) {
    for (p->count = 0; p->count < PAGE && at < count; at++)
      if (at == 0 || by_bytes(&sorted[at - 1], &sorted[at]) != 0)
        p->ids[p->count++] = sorted[at];
    if (p->count > 0)
      status = judge(offenders, client, queue, p, err);
  }
  emq_free(sorted);
  emq_free(p);
  return status;
}

emq_status emq_check_queue(emq_list **offenders, emq_client *client, const char *queue,
                           size_t queue_len, emq_error *err) {
  emq_list *ids = NULL, *found = NULL;
  emq_status status = emq_list_new_empty(&ids, err);
  if (status == EMQ_OK)
    status = emq_list_new_empty(&found, err);
  if (status == EMQ_OK)
    status = gather(ids, client, (emq_bytes){queue, queue_len}, err);
  if (status == EMQ_OK)
    status = judge_all(found, client, (emq_bytes){queue, queue_len}, ids, err);
  emq_list_free(ids);
  if (status == EMQ_OK)
    *offenders = found;
  else
    emq_list_free(found);
  return status;
}
