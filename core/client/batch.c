/* SPDX-License-Identifier: MIT */
/* Batches: many payloads in one flush, one verdict each. */
#include "client/calls.h"

#include <string.h>

#include "client/alloc.h"
#include "client/verdict.h"
#include "wire/error.h"

/* One flush: as many items as fit in both bounds, and one at least. */
enum { FLUSH_ITEMS = 1000, FLUSH_BYTES = 4 << 20, ROUNDS_MAX = 16 };

typedef struct item {
  emq_id id;     /* "" before one was minted */
  bool minted;   /* the id is ours: a collision is minted again */
  bool suspect;  /* it was sent before, and its reply never came */
  char *payload; /* owned */
  size_t len;
  emq_verdict verdict;
} item;

struct emq_batch {
  item *items;
  size_t count, room;
};

/* ---- items ---- */

emq_status emq_batch_new(emq_batch **out, emq_error *err) {
  emq_batch *batch = emq_calloc(1, sizeof *batch);
  if (!batch)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for a batch");
  *out = batch;
  return EMQ_OK;
}

void emq_batch_clear(emq_batch *batch) {
  for (size_t i = 0; i < batch->count; i++) {
    emq_verdict_clear(&batch->items[i].verdict);
    emq_free(batch->items[i].payload);
  }
  batch->count = 0;
}

void emq_batch_free(emq_batch *batch) {
  if (!batch)
    return;
  emq_batch_clear(batch);
  emq_free(batch->items);
  emq_free(batch);
}

static bool grow(emq_batch *batch) {
  if (batch->count < batch->room)
    return true;
  size_t room = batch->room ? batch->room * 2 : 64;
  item *items =
      room <= SIZE_MAX / sizeof *items ? emq_realloc(batch->items, room * sizeof *items) : NULL;
  if (!items)
    return false;
  batch->items = items;
  batch->room = room;
  return true;
}

static emq_status add(emq_batch *batch, const emq_id *id, const char *payload, size_t len,
                      emq_error *err) {
  if (!payload)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "item %zu: payload is missing", batch->count);
  if (len > EMQ_PAYLOAD_MAX)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                    "item %zu: payload has %zu bytes, at most %zu are allowed", batch->count, len,
                    EMQ_PAYLOAD_MAX);
  char *copy = grow(batch) ? emq_copy(payload, len) : NULL;
  if (!copy)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "item %zu: no memory for its payload", batch->count);
  item *it = &batch->items[batch->count++];
  *it = (item){.minted = !id, .payload = copy, .len = len};
  if (id)
    it->id = *id;
  return EMQ_OK;
}

emq_status emq_batch_add(emq_batch *batch, const char *payload, size_t payload_len,
                         emq_error *err) {
  return add(batch, NULL, payload, payload_len, err);
}

emq_status emq_batch_add_as(emq_batch *batch, const char *id, size_t id_len, const char *payload,
                            size_t payload_len, emq_error *err) {
  emq_id parsed;
  emq_error why = EMQ_ERROR_INIT;
  if (emq_id_parse(&parsed, id, id_len, &why) != EMQ_OK)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "item %zu: %.400s", batch->count, why.message);
  return add(batch, &parsed, payload, payload_len, err);
}

size_t emq_batch_size(const emq_batch *batch) { return batch->count; }

emq_outcome emq_batch_outcome(const emq_batch *batch, size_t index) {
  return index < batch->count ? batch->items[index].verdict.outcome : EMQ_OUTCOME_NONE;
}

emq_bytes emq_batch_id(const emq_batch *batch, size_t index) {
  if (index >= batch->count || !*batch->items[index].id.text)
    return (emq_bytes){NULL, 0};
  return (emq_bytes){batch->items[index].id.text, EMQ_ID_LEN};
}

const emq_error *emq_batch_error(const emq_batch *batch, size_t index) {
  return index < batch->count ? batch->items[index].verdict.error : NULL;
}

/* ---- sending ---- */

/* Items on their way: `items[i]` has `commands[i]`. */
typedef struct flush {
  emq_client *client;
  emq_bytes queue;
  emq_batch *batch;
  size_t count;
  item *items[FLUSH_ITEMS];
  emq_command commands[FLUSH_ITEMS];
} flush;

static emq_args args_of(const flush *f, const item *it) {
  return (emq_args){
      .queue = f->queue, .id = {it->id.text, EMQ_ID_LEN}, .payload = {it->payload, it->len}};
}

/* Takes items that have no verdict from `*at` on, mints their ids and builds their commands. */
static emq_status gather(flush *f, size_t *at, emq_error *err) {
  size_t bytes = 0;
  f->count = 0;
  for (; *at < f->batch->count && f->count < FLUSH_ITEMS; (*at)++) {
    item *it = &f->batch->items[*at];
    if (!emq_verdict_waits(&it->verdict))
      continue;
    if (f->count > 0 && bytes + it->len > FLUSH_BYTES)
      break;
    emq_status status = EMQ_OK;
    if (!*it->id.text)
      status = emq_minter_next(&it->id, f->client->minter, "JOB", 3, err);
    emq_args args = args_of(f, it);
    if (status == EMQ_OK)
      status = emq_command_build(&f->commands[f->count], EMQ_T_ENQUEUE,
                                 f->client->settings.executor, &args, err);
    if (status != EMQ_OK)
      return status;
    bytes += it->len;
    f->items[f->count++] = it;
  }
  return EMQ_OK;
}

/* A duplicate of an id that we minted: the answer to our own lost sending, or a collision. */
static emq_status resolve_duplicate(flush *f, item *it, emq_error *err) {
  bool own = false;
  emq_args args = args_of(f, it);
  emq_status status = it->suspect ? emq_is_own_row(&own, f->client, &args, err) : EMQ_OK;
  if (status != EMQ_OK)
    return status;
  if (own)
    it->verdict.outcome = EMQ_OUTCOME_ENQUEUED;
  else
    it->id.text[0] = '\0';
  it->suspect = false;
  return EMQ_OK;
}

/* Turns replies into verdicts. `failure` is the exchange's, for what was not answered. Returns the
 * failure of a question that the reading had to ask. */
static emq_status read_verdicts(flush *f, const emq_error *failure, emq_error *err) {
  emq_status last = EMQ_OK;
  for (size_t i = 0; i < f->count; i++) {
    item *it = f->items[i];
    const emq_command *command = &f->commands[i];
    emq_error why = EMQ_ERROR_INIT;
    it->suspect = it->suspect || command->left || command->repeated;
    if (!command->reply) {
      emq_verdict_unanswered(&it->verdict, command, failure);
      continue;
    }
    emq_args args = args_of(f, it);
    emq_result result;
    emq_status status = emq_command_read(&result, f->client, command, &args, &why);
    if (status != EMQ_OK) {
      it->suspect = it->suspect || status == EMQ_ERR_PROTOCOL;
      emq_verdict_fail(&it->verdict, &why);
    } else if (it->minted && result.outcome == EMQ_OUTCOME_DUPLICATE) {
      /* Once a question went unanswered no other is asked: an interrupt, or a server that is gone,
       * must not be waited for item by item. */
      if (last == EMQ_OK || !it->suspect)
        status = resolve_duplicate(f, it, &why);
      else
        status = emq_fail(&why, last, "%.400s", err->message);
      if (status != EMQ_OK) {
        emq_verdict_fail(&it->verdict, &why);
        last = status;
        *err = why;
      }
    } else {
      it->verdict.outcome = result.outcome;
    }
  }
  return last;
}

/* One flush from `*at` on; moves `*at` behind it. */
static emq_status send_flush(flush *f, size_t *at, emq_error *err) {
  emq_error failure = EMQ_ERROR_INIT;
  emq_status status = gather(f, at, &failure);
  bool built = status == EMQ_OK;
  if (built && f->count > 0)
    status = emq_client_exchange(f->client, f->commands, f->count, &failure);
  emq_error unread = EMQ_ERROR_INIT;
  emq_status read = built ? read_verdicts(f, &failure, &unread) : EMQ_OK;
  bool failed = status != EMQ_OK || read != EMQ_OK;
  const emq_error *why = status != EMQ_OK ? &failure : &unread;
  /* What comes after is not tried: it has the reason that the flush had. */
  for (size_t i = 0; failed && i < f->batch->count; i++)
    if (emq_verdict_waits(&f->batch->items[i].verdict))
      emq_verdict_fail(&f->batch->items[i].verdict, why);
  if (status != EMQ_OK)
    status = emq_commands_lost(f->commands, built ? f->count : 0, status, &failure);
  for (size_t i = 0; i < f->count; i++)
    emq_command_clear(&f->commands[i]);
  if (failed && err)
    *err = *why;
  return status != EMQ_OK ? status : read;
}

static emq_status send_rounds(flush *f, emq_error *err) {
  for (int round = 0; round < ROUNDS_MAX; round++) {
    if (round > 0)
      emq_mint_apart(f->client, round);
    size_t at = 0;
    do {
      emq_status status = send_flush(f, &at, err);
      if (status != EMQ_OK)
        return status;
    } while (at < f->batch->count);
    size_t left = 0;
    for (size_t i = 0; i < f->batch->count; i++)
      left += emq_verdict_waits(&f->batch->items[i].verdict);
    if (left == 0)
      return EMQ_OK;
  }
  emq_error why = EMQ_ERROR_INIT;
  emq_fail(&why, EMQ_ERR_STATE,
           "%d minted ids in a row were taken: another producer uses this "
           "node's number",
           ROUNDS_MAX);
  for (size_t i = 0; i < f->batch->count; i++)
    if (emq_verdict_waits(&f->batch->items[i].verdict))
      emq_verdict_fail(&f->batch->items[i].verdict, &why);
  if (err)
    *err = why;
  return EMQ_ERR_STATE;
}

emq_status emq_enqueue_many(emq_client *client, const char *queue, size_t queue_len,
                            emq_batch *batch, emq_error *err) {
  emq_status status = emq_queue_check(queue, queue_len, err);
  if (status != EMQ_OK)
    return status;
  for (size_t i = 0; i < batch->count; i++)
    emq_verdict_clear(&batch->items[i].verdict);
  flush *f = emq_calloc(1, sizeof *f);
  if (!f)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for a flush");
  f->client = client;
  f->queue = (emq_bytes){queue, queue_len};
  f->batch = batch;
  status = send_rounds(f, err);
  emq_free(f);
  return status;
}
