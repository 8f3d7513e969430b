/* SPDX-License-Identifier: MIT */
/* Many claimed jobs settled or extended in one flush, one verdict each. */
#include <string.h>

#include "client/alloc.h"
#include "client/calls.h"
#include "client/verdict.h"
#include "wire/error.h"

enum { FLUSH_COMMANDS = 1000 };

typedef struct item {
  emq_id id;
  int64_t token;
  emq_bytes result; /* owned; {NULL, 0}: none */
  emq_verdict verdict;
} item;

struct emq_leases {
  item *items;
  size_t count, room;
  bool extended; /* the verdicts are those of an extension */
};

emq_status emq_leases_new(emq_leases **out, emq_error *err) {
  emq_leases *leases = emq_calloc(1, sizeof *leases);
  if (!leases)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for leases");
  *out = leases;
  return EMQ_OK;
}

void emq_leases_free(emq_leases *leases) {
  if (!leases)
    return;
  for (size_t i = 0; i < leases->count; i++) {
    emq_verdict_clear(&leases->items[i].verdict);
    emq_free((char *)leases->items[i].result.ptr);
  }
  emq_free(leases->items);
  emq_free(leases);
}

static bool grow(emq_leases *leases) {
  if (leases->count < leases->room)
    return true;
  size_t room = leases->room ? leases->room * 2 : 64;
  item *items =
      room <= SIZE_MAX / sizeof *items ? emq_realloc(leases->items, room * sizeof *items) : NULL;
  if (!items)
    return false;
  leases->items = items;
  leases->room = room;
  return true;
}

emq_status emq_leases_add(emq_leases *leases, const char *id, size_t id_len, int64_t token,
                          const char *result, size_t result_len, emq_error *err) {
  item it = {.token = token};
  emq_error why = EMQ_ERROR_INIT;
  emq_status status = emq_id_parse(&it.id, id, id_len, &why);
  if (status == EMQ_OK && token < 1)
    status = emq_fail(&why, EMQ_ERR_INVALID_ARGUMENT,
                      "token %lld is of no claim: tokens start at 1", (long long)token);
  if (status == EMQ_OK)
    status = emq_result_check((emq_bytes){result, result_len}, &why);
  if (status != EMQ_OK)
    return emq_fail(err, status, "item %zu: %.400s", leases->count, why.message);
  if (result)
    it.result = (emq_bytes){emq_copy(result, result_len), result_len};
  if ((result && !it.result.ptr) || !grow(leases)) {
    emq_free((char *)it.result.ptr);
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "item %zu: no memory", leases->count);
  }
  leases->items[leases->count++] = it;
  return EMQ_OK;
}

size_t emq_leases_size(const emq_leases *leases) { return leases->count; }

emq_outcome emq_leases_outcome(const emq_leases *leases, size_t index) {
  return index < leases->count ? leases->items[index].verdict.outcome : EMQ_OUTCOME_NONE;
}

const emq_error *emq_leases_error(const emq_leases *leases, size_t index) {
  return index < leases->count ? leases->items[index].verdict.error : NULL;
}

/* ---- sending ---- */

/* Commands on their way, each for a run of items from `first[i]` on. */
typedef struct flush {
  emq_client *client;
  emq_bytes queue;
  int64_t lease_ms;
  emq_leases *leases;
  size_t count;
  emq_command commands[FLUSH_COMMANDS];
  size_t first[FLUSH_COMMANDS], items[FLUSH_COMMANDS];
} flush;

/* What comes after a failure is not tried: it has the reason that the flush had. */
static void fail_waiting(emq_leases *leases, const emq_error *why) {
  for (size_t i = 0; i < leases->count; i++)
    if (emq_verdict_waits(&leases->items[i].verdict))
      emq_verdict_fail(&leases->items[i].verdict, why);
}

static void clear_commands(flush *f) {
  for (size_t i = 0; i < f->count; i++)
    emq_command_clear(&f->commands[i]);
  f->count = 0;
}

static emq_args completion_args(const flush *f, const item *it) {
  return (emq_args){
      .queue = f->queue, .id = {it->id.text, EMQ_ID_LEN}, .token = it->token, .result = it->result};
}

static emq_status push(flush *f, emq_transition transition, const emq_args *args, size_t first,
                       size_t items, emq_error *err) {
  emq_status status = emq_command_build(&f->commands[f->count], transition,
                                        f->client->settings.executor, args, err);
  if (status != EMQ_OK)
    return status;
  f->first[f->count] = first;
  f->items[f->count] = items;
  f->count++;
  return EMQ_OK;
}

/* A flow child is settled by itself, in the form that its parent calls for. */
static emq_status complete_child(flush *f, item *it, emq_args *args, const emq_result *result,
                                 emq_error *err) {
  emq_error why = EMQ_ERROR_INIT;
  emq_status status = emq_ask_as_child(&it->verdict.outcome, f->client, args, result,
                                       EMQ_T_COMPLETE_CHILD, EMQ_T_COMPLETE_FOREIGN_CHILD, &why);
  if (status == EMQ_OK)
    return EMQ_OK;
  emq_verdict_fail(&it->verdict, &why);
  if (!emq_ends_a_call(status))
    return EMQ_OK;
  *err = why;
  return status;
}

static emq_status read_completions(flush *f, const emq_error *failure, emq_error *err) {
  emq_status ended = EMQ_OK;
  for (size_t i = 0; i < f->count; i++) {
    item *it = &f->leases->items[f->first[i]];
    emq_args args = completion_args(f, it);
    emq_error why = EMQ_ERROR_INIT;
    emq_result result;
    if (!f->commands[i].reply)
      emq_verdict_unanswered(&it->verdict, &f->commands[i], failure);
    else if (emq_command_read(&result, f->client, &f->commands[i], &args, &why) != EMQ_OK)
      emq_verdict_fail(&it->verdict, &why);
    else if (!result.parent.ptr)
      it->verdict.outcome = result.outcome;
    else if (ended == EMQ_OK)
      ended = complete_child(f, it, &args, &result, err);
    else /* the plain form has written nothing */
      emq_verdict_fail(&it->verdict, err);
  }
  return ended;
}

/* Of a run of items, those that are on the list could not be extended. */
static void read_extension(flush *f, size_t index, const emq_result *result) {
  emq_error stale = EMQ_ERROR_INIT;
  emq_fail(
      &stale, EMQ_ERR_STALE,
      "the lease could not be extended: the job is gone, has another token, or was taken back");
  for (size_t i = 0; i < f->items[index]; i++) {
    item *it = &f->leases->items[f->first[index] + i];
    it->verdict.outcome = EMQ_OUTCOME_DONE;
    for (size_t n = 0; n < result->list->count; n++) {
      const emq_reply *id = &result->list->elements[n];
      if (id->len == EMQ_ID_LEN && memcmp(id->text, it->id.text, EMQ_ID_LEN) == 0) {
        it->verdict.outcome = EMQ_OUTCOME_NONE;
        emq_verdict_fail(&it->verdict, &stale);
        break;
      }
    }
  }
}

static emq_status read_extensions(flush *f, const emq_error *failure, emq_error *err) {
  (void)err; /* every question is in the flush itself */
  for (size_t i = 0; i < f->count; i++) {
    emq_error why = EMQ_ERROR_INIT;
    emq_result result;
    emq_args args = {.queue = f->queue};
    bool read = f->commands[i].reply &&
                emq_command_read(&result, f->client, &f->commands[i], &args, &why) == EMQ_OK;
    if (read) {
      read_extension(f, i, &result);
      continue;
    }
    for (size_t n = 0; n < f->items[i]; n++) {
      emq_verdict *verdict = &f->leases->items[f->first[i] + n].verdict;
      if (f->commands[i].reply)
        emq_verdict_fail(verdict, &why);
      else
        emq_verdict_unanswered(verdict, &f->commands[i], failure);
    }
  }
  return EMQ_OK;
}

static emq_status push_completion(flush *f, size_t at, size_t *taken, emq_error *err) {
  item *it = &f->leases->items[at];
  *taken = 1;
  if (it->verdict.outcome != EMQ_OUTCOME_NONE)
    return EMQ_OK;
  emq_args args = completion_args(f, it);
  return push(f, EMQ_T_COMPLETE, &args, at, 1, err);
}

static bool among(const emq_hold *holds, size_t count, const emq_id *id) {
  for (size_t i = 0; i < count; i++)
    if (memcmp(holds[i].id.ptr, id->text, EMQ_ID_LEN) == 0)
      return true;
  return false;
}

/* A run of different ids: the reply names those that failed, so one that comes twice (with another
 * token) goes into a command of its own. */
static emq_status push_extension(flush *f, size_t at, size_t *taken, emq_error *err) {
  emq_hold holds[EMQ_HOLDS_MAX];
  size_t count = 0;
  for (; count < EMQ_HOLDS_MAX && at + count < f->leases->count; count++) {
    const item *it = &f->leases->items[at + count];
    if (among(holds, count, &it->id))
      break;
    holds[count] = (emq_hold){{it->id.text, EMQ_ID_LEN}, it->token};
  }
  emq_args args = {.queue = f->queue, .lease_ms = f->lease_ms, .holds = holds, .hold_count = count};
  *taken = count;
  return push(f, EMQ_T_EXTEND_LOCKS, &args, at, count, err);
}

static emq_status run(flush *f,
                      emq_status (*next)(flush *f, size_t at, size_t *taken, emq_error *err),
                      emq_status (*read)(flush *f, const emq_error *failure, emq_error *err),
                      emq_error *err) {
  emq_error failure = EMQ_ERROR_INIT;
  for (size_t at = 0; at < f->leases->count;) {
    emq_status status = EMQ_OK;
    while (status == EMQ_OK && f->count < FLUSH_COMMANDS && at < f->leases->count) {
      size_t taken = 0;
      status = next(f, at, &taken, &failure);
      at += taken;
    }
    if (status == EMQ_OK && f->count > 0) {
      status = emq_client_exchange(f->client, f->commands, f->count, &failure);
      emq_error ended = EMQ_ERROR_INIT;
      emq_status reading = read(f, &failure, &ended);
      if (status == EMQ_OK && reading != EMQ_OK) {
        status = reading;
        failure = ended;
      }
    }
    if (status != EMQ_OK) {
      fail_waiting(f->leases, &failure);
      status = emq_commands_lost(f->commands, f->count, status, &failure);
      if (err)
        *err = failure;
    }
    clear_commands(f);
    if (status != EMQ_OK)
      return status;
  }
  return EMQ_OK;
}

/* What is completed stays out when the same leases are sent again; an extension's outcome is no
 * word on a completion. */
static emq_status start(flush **out, emq_client *client, const char *queue, size_t queue_len,
                        emq_leases *leases, bool extends, emq_error *err) {
  emq_status status = emq_queue_check(queue, queue_len, err);
  if (status != EMQ_OK)
    return status;
  flush *f = emq_calloc(1, sizeof *f);
  if (!f)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for a flush");
  for (size_t i = 0; i < leases->count; i++) {
    emq_verdict_clear(&leases->items[i].verdict);
    if (extends || leases->extended)
      leases->items[i].verdict.outcome = EMQ_OUTCOME_NONE;
  }
  leases->extended = extends;
  f->client = client;
  f->queue = (emq_bytes){queue, queue_len};
  f->leases = leases;
  *out = f;
  return EMQ_OK;
}

emq_status emq_complete_many(emq_client *client, const char *queue, size_t queue_len,
                             emq_leases *leases, emq_error *err) {
  flush *f = NULL;
  emq_status status = start(&f, client, queue, queue_len, leases, false, err);
  if (status != EMQ_OK)
    return status;
  status = run(f, push_completion, read_completions, err);
  emq_free(f);
  return status;
}

emq_status emq_extend_many(emq_client *client, const char *queue, size_t queue_len,
                           emq_leases *leases, int64_t lease_ms, emq_error *err) {
  flush *f = NULL;
  emq_status status = start(&f, client, queue, queue_len, leases, true, err);
  if (status != EMQ_OK)
    return status;
  f->lease_ms = lease_ms;
  status = run(f, push_extension, read_extensions, err);
  emq_free(f);
  return status;
}
