/* SPDX-License-Identifier: MIT */
#include "wire/request.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "wire/error.h"
#include "wire/gate.h"

enum { DEDUP_MAX = 512, NUMBER_MAX = 20 };

/* ---- what each role takes from the arguments, and is written from ---- */

enum need {
  NEED_ID = 1 << 0,
  NEED_PAYLOAD = 1 << 1,
  NEED_TOKEN = 1 << 2,
  NEED_LEASE = 1 << 3,
  NEED_PARENT = 1 << 4,
  NEED_PARENT_QUEUE = 1 << 5,
  NEED_RESULT = 1 << 6,
  NEED_DEDUP = 1 << 7,
  NEED_COUNTED = 1 << 8,
};

/* A key is p, `type`, the subject (when it needs one) and `after`. */
static const struct {
  const char *type;
  enum need subject;
  const char *after;
} key_forms[] = {
    [EMQ_KEY_ROW] = {"job:", NEED_ID, ""},
    [EMQ_KEY_PENDING] = {"pending", 0, ""},
    [EMQ_KEY_ACTIVE] = {"active", 0, ""},
    [EMQ_KEY_SCHEDULE] = {"schedule", 0, ""},
    [EMQ_KEY_DEAD] = {"dead", 0, ""},
    [EMQ_KEY_META] = {"meta", 0, ""},
    [EMQ_KEY_BASE] = {"", 0, ""},
    [EMQ_KEY_DEDUP] = {"de:", NEED_DEDUP, ""},
    [EMQ_KEY_OUTBOX] = {"flow:outbox", 0, ""},
    [EMQ_KEY_PARENT_DEPENDENCIES] = {"job:", NEED_PARENT, ":dependencies"},
    [EMQ_KEY_PARENT_PROCESSED] = {"job:", NEED_PARENT, ":processed"},
    [EMQ_KEY_PARENT_ROW] = {"job:", NEED_PARENT, ""},
    [EMQ_KEY_COUNTED_SETS] = {"", NEED_COUNTED, ""}, /* several: see put_key */
};

static const unsigned arg_needs[] = {
    [EMQ_ARG_ID] = NEED_ID,
    [EMQ_ARG_PAYLOAD] = NEED_PAYLOAD,
    [EMQ_ARG_TOKEN] = NEED_TOKEN,
    [EMQ_ARG_LEASE] = NEED_LEASE,
    [EMQ_ARG_BASE] = 0,
    [EMQ_ARG_ROW_PREFIX] = 0,
    [EMQ_ARG_PARENT] = NEED_PARENT,
    [EMQ_ARG_PARENT_QUEUE] = NEED_PARENT_QUEUE,
    [EMQ_ARG_RESULT] = NEED_RESULT | NEED_ID,
    [EMQ_ARG_XQ] = 0,
    [EMQ_ARG_DEDUP] = NEED_DEDUP,
    [EMQ_ARG_COUNTED_METRICS] = NEED_COUNTED,
};

static unsigned needs_of(const emq_transition_row *row) {
  unsigned needs = 0;
  for (int i = 0; i < EMQ_KEYS_MAX && row->keys[i] != EMQ_KEY_NONE; i++)
    needs |= key_forms[row->keys[i]].subject;
  for (int i = 0; i < EMQ_ARGS_MAX && row->args[i] != EMQ_ARG_NONE; i++)
    needs |= arg_needs[row->args[i]];
  return needs;
}

/* ---- the checks ---- */

static emq_status check_size(const char *what, emq_bytes bytes, size_t max, emq_error *err) {
  if (bytes.len <= max)
    return EMQ_OK;
  return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "%s has %zu bytes, at most %zu are allowed", what,
                  bytes.len, max);
}

static emq_status check_payload(emq_bytes payload, emq_error *err) {
  if (!payload.ptr)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "payload is missing");
  return check_size("payload", payload, EMQ_PAYLOAD_MAX, err);
}

static emq_status check_token(int64_t token, emq_error *err) {
  if (token >= 1)
    return EMQ_OK;
  return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                  "token %" PRId64 " is of no claim: tokens start at 1", token);
}

static emq_status check_lease(int64_t lease_ms, emq_error *err) {
  if (lease_ms >= 1 && lease_ms <= EMQ_LEASE_MAX_MS)
    return EMQ_OK;
  return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                  "lease is %" PRId64 " ms, 1 to %" PRId64 " are allowed", lease_ms,
                  EMQ_LEASE_MAX_MS);
}

/* The name comes from a row that any speaker may have written, and no key of ours is made of it:
 * whatever bytes it has go on to the parent, save a NUL, which would split its outbox entry. */
static emq_status check_parent_queue(emq_bytes queue, emq_error *err) {
  if (!queue.ptr || queue.len == 0)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "parent queue name is empty");
  emq_status status = check_size("parent queue name", queue, EMQ_PAYLOAD_MAX, err);
  if (status != EMQ_OK)
    return status;
  const char *nul = memchr(queue.ptr, 0, queue.len);
  if (nul)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "parent queue name has a NUL at byte %zu",
                    (size_t)(nul - queue.ptr));
  return EMQ_OK;
}

static emq_status check_counted(unsigned counted, emq_error *err) {
  if (counted == 0)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "no count is asked for");
  if (counted & ~(unsigned)EMQ_COUNTS_ALL)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "counts 0x%x are asked for, there are 0x%x",
                    counted, (unsigned)EMQ_COUNTS_ALL);
  return EMQ_OK;
}

static emq_status check(const emq_args *args, unsigned needs, emq_error *err) {
  emq_status status = emq_queue_check(args->queue.ptr, args->queue.len, err);
  if (status == EMQ_OK && needs & NEED_ID)
    status = emq_id_gate("job id", args->id.ptr, args->id.len, err);
  if (status == EMQ_OK && needs & NEED_PAYLOAD)
    status = check_payload(args->payload, err);
  if (status == EMQ_OK && needs & NEED_TOKEN)
    status = check_token(args->token, err);
  if (status == EMQ_OK && needs & NEED_LEASE)
    status = check_lease(args->lease_ms, err);
  if (status == EMQ_OK && needs & NEED_PARENT)
    status = emq_id_gate("parent id", args->parent.ptr, args->parent.len, err);
  if (status == EMQ_OK && needs & NEED_PARENT_QUEUE)
    status = check_parent_queue(args->parent_queue, err);
  if (status == EMQ_OK && needs & NEED_RESULT && args->result.ptr)
    status = check_size("result", args->result, EMQ_PAYLOAD_MAX, err);
  if (status == EMQ_OK && needs & NEED_DEDUP && args->dedup.ptr)
    status = check_size("dedup id", args->dedup, DEDUP_MAX, err);
  if (status == EMQ_OK && needs & NEED_COUNTED)
    status = check_counted(args->counted, err);
  return status;
}

/* ---- composing ---- */

/* Room for the longest request that passes the checks: p and the row prefix once each, every key
 * with the longest suffix, the counted sets as keys of their own, one dedup id, and numbers. The
 * writers below check all the same. */
enum {
  BASE_MAX = 5 + EMQ_QUEUE_NAME_MAX + 2,
  SUFFIX_MAX = 4 + EMQ_ID_LEN + sizeof ":dependencies",
  KEYS_MAX = EMQ_KEYS_MAX - 1 + EMQ_COUNTED_SETS,
  ARGS_MAX = EMQ_ARGS_MAX - 1 + EMQ_COUNTS - EMQ_COUNTED_SETS,
  TEXT_MAX = 2 * BASE_MAX + SUFFIX_MAX + KEYS_MAX * (BASE_MAX + SUFFIX_MAX) + DEDUP_MAX +
             (1 + EMQ_ARGS_MAX) * NUMBER_MAX,
};
static_assert((int)TEXT_MAX <= (int)EMQ_REQUEST_TEXT, "the text of a request does not fit");
static_assert(3 + KEYS_MAX + ARGS_MAX <= (int)EMQ_REQUEST_PARTS, "the parts do not fit");

typedef struct writer {
  emq_request *out;
  const emq_args *args;
  emq_bytes base; /* p, in the request's text */
  bool full;      /* something did not fit */
} writer;

static void put(writer *w, emq_bytes part) {
  if (w->out->count == EMQ_REQUEST_PARTS) {
    w->full = true;
    return;
  }
  w->out->parts[w->out->count] = part.ptr ? part.ptr : "";
  w->out->lengths[w->out->count] = part.ptr ? part.len : 0;
  w->out->count++;
}

static emq_bytes of_text(const char *text) { return (emq_bytes){text, strlen(text)}; }

/* Adds bytes to the request's text; what was added before stays where it is. */
static emq_bytes append(writer *w, emq_bytes bytes) {
  char *at = w->out->text + w->out->used;
  if (bytes.len > EMQ_REQUEST_TEXT - w->out->used) {
    w->full = true;
    return (emq_bytes){at, 0};
  }
  if (bytes.len > 0)
    memcpy(at, bytes.ptr, bytes.len);
  w->out->used += bytes.len;
  return (emq_bytes){at, bytes.len};
}

static emq_bytes compose(writer *w, const emq_bytes *pieces, size_t count) {
  emq_bytes whole = {w->out->text + w->out->used, 0};
  for (size_t i = 0; i < count; i++)
    whole.len += append(w, pieces[i]).len;
  return whole;
}

static emq_bytes number(writer *w, int64_t value) {
  char text[NUMBER_MAX + 1];
  int len = snprintf(text, sizeof text, "%" PRId64, value);
  return append(w, (emq_bytes){text, (size_t)len});
}

static void put_key(writer *w, emq_key_role role) {
  if (role == EMQ_KEY_COUNTED_SETS) {
    for (int set = 0; set < EMQ_COUNTED_SETS; set++)
      if (w->args->counted >> set & 1)
        put(w, compose(w, (emq_bytes[]){w->base, of_text(emq_count_name((emq_count)set))}, 2));
    return;
  }
  emq_bytes subject = key_forms[role].subject == NEED_ID       ? w->args->id
                      : key_forms[role].subject == NEED_PARENT ? w->args->parent
                      : key_forms[role].subject == NEED_DEDUP  ? w->args->dedup
                                                               : (emq_bytes){"", 0};
  if (!subject.ptr)
    subject.len = 0;
  const emq_bytes pieces[] = {w->base, of_text(key_forms[role].type), subject,
                              of_text(key_forms[role].after)};
  put(w, compose(w, pieces, 4));
}

static void put_arg(writer *w, emq_arg_role role) {
  const emq_args *args = w->args;
  switch (role) {
  case EMQ_ARG_ID:
    put(w, args->id);
    break;
  case EMQ_ARG_PAYLOAD:
    put(w, args->payload);
    break;
  case EMQ_ARG_TOKEN:
    put(w, number(w, args->token));
    break;
  case EMQ_ARG_LEASE:
    put(w, number(w, args->lease_ms));
    break;
  case EMQ_ARG_BASE:
    put(w, w->base);
    break;
  case EMQ_ARG_ROW_PREFIX:
    put(w, compose(w, (emq_bytes[]){w->base, of_text("job:")}, 2));
    break;
  case EMQ_ARG_PARENT:
    put(w, args->parent);
    break;
  case EMQ_ARG_PARENT_QUEUE:
    put(w, args->parent_queue);
    break;
  case EMQ_ARG_RESULT:
    put(w, args->result.ptr ? args->result : args->id);
    break;
  case EMQ_ARG_XQ:
    put(w, of_text("xq"));
    break;
  case EMQ_ARG_DEDUP:
    put(w, args->dedup);
    break;
  case EMQ_ARG_COUNTED_METRICS:
    for (int total = EMQ_COUNTED_SETS; total < EMQ_COUNTS; total++)
      if (args->counted >> total & 1)
        put(w, of_text(emq_count_name((emq_count)total)));
    break;
  case EMQ_ARG_NONE:
    break;
  }
}

static void put_keys(writer *w, const emq_transition_row *row, bool native) {
  for (int i = 0; i < EMQ_KEYS_MAX && row->keys[i] != EMQ_KEY_NONE; i++) {
    /* A script is told meta for its pause gate; a native command reads the gate itself. */
    if (!(native && row->keys[i] == EMQ_KEY_META))
      put_key(w, row->keys[i]);
  }
}

emq_status emq_request_build(emq_request *out, emq_transition transition, emq_executor executor,
                             const emq_args *args, emq_error *err) {
  out->transition = transition;
  out->count = out->used = 0;
  const emq_transition_row *row = emq_transition_row_of(transition);
  if (!row)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "transition %d does not exist", (int)transition);
  if (executor != EMQ_EXECUTOR_SCRIPTED && executor != EMQ_EXECUTOR_NATIVE)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "executor %d runs no transition", (int)executor);
  emq_status status = check(args, needs_of(row), err);
  if (status != EMQ_OK)
    return status;
  const emq_script *script = emq_script_of(transition);
  if (row->script && !script)
    return emq_fail(err, EMQ_ERR_UNSUPPORTED, "this build has no script %s", row->script);

  writer w = {out, args, {NULL, 0}, false};
  w.base = compose(&w, (emq_bytes[]){of_text("emq:{"), args->queue, of_text("}:")}, 3);
  bool native = executor == EMQ_EXECUTOR_NATIVE && row->command;
  if (script && !native) {
    put(&w, of_text("EVALSHA"));
    put(&w, (emq_bytes){script->sha1, sizeof script->sha1 - 1});
    put(&w, of_text("")); /* how many keys: known when they are there */
    put_keys(&w, row, false);
    emq_bytes keys = number(&w, (int64_t)out->count - 3);
    out->parts[2] = keys.ptr;
    out->lengths[2] = keys.len;
  } else {
    put(&w, of_text(row->command));
    put_keys(&w, row, native);
  }
  for (int i = 0; i < EMQ_ARGS_MAX && row->args[i] != EMQ_ARG_NONE; i++)
    put_arg(&w, row->args[i]);
  if (!w.full)
    return EMQ_OK;
  out->count = 0;
  return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "the request does not fit into its room");
}
