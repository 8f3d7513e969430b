/* SPDX-License-Identifier: MIT */
#include "wire/request.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "wire/error.h"
#include "wire/gate.h"
#include "wire/text.h"

enum { DEDUP_MAX = 512, CURSOR_MAX = 20, NUMBER_MAX = 20 };

/* ---- what each role takes from the arguments, and what is accepted ---- */

/* A key is p, `type`, the subject and `after`. */
enum subject { NOTHING, OF_ID, OF_PARENT, OF_DEDUP };

static const struct {
  const char *type;
  enum subject subject;
  const char *after;
} key_forms[] = {
    [EMQ_KEY_ROW] = {"job:", OF_ID, ""},
    [EMQ_KEY_PENDING] = {"pending", NOTHING, ""},
    [EMQ_KEY_ACTIVE] = {"active", NOTHING, ""},
    [EMQ_KEY_SCHEDULE] = {"schedule", NOTHING, ""},
    [EMQ_KEY_DEAD] = {"dead", NOTHING, ""},
    [EMQ_KEY_META] = {"meta", NOTHING, ""},
    [EMQ_KEY_BASE] = {"", NOTHING, ""},
    [EMQ_KEY_DEDUP] = {"de:", OF_DEDUP, ""},
    [EMQ_KEY_OUTBOX] = {"flow:outbox", NOTHING, ""},
    [EMQ_KEY_PARENT_DEPENDENCIES] = {"job:", OF_PARENT, ":dependencies"},
    [EMQ_KEY_PARENT_PROCESSED] = {"job:", OF_PARENT, ":processed"},
    [EMQ_KEY_PARENT_FAILED] = {"job:", OF_PARENT, ":failed"},
    [EMQ_KEY_PARENT_UNSUCCESSFUL] = {"job:", OF_PARENT, ":unsuccessful"},
    [EMQ_KEY_PARENT_ROW] = {"job:", OF_PARENT, ""},
    [EMQ_KEY_LOGS] = {"job:", OF_ID, ":logs"},
    /* these have a type of their own each time: see put_key */
    [EMQ_KEY_METRIC] = {"metrics:", NOTHING, ""},
    [EMQ_KEY_BROWSED_SET] = {"", NOTHING, ""},
    [EMQ_KEY_COUNTED_SETS] = {"", NOTHING, ""},
};

/* Arguments that are whole numbers, in decimal. `unit` follows the number in a message. */
static const struct {
  const char *what;
  size_t at; /* in emq_args: an int64_t */
  int64_t min, max;
  const char *unit;
} numbers[] = {
    [EMQ_ARG_TOKEN] = {"token", offsetof(emq_args, token), 1, INT64_MAX, ""},
    [EMQ_ARG_LEASE] = {"lease", offsetof(emq_args, lease_ms), 1, EMQ_LEASE_MAX_MS, " ms"},
    [EMQ_ARG_DELAY] = {"delay", offsetof(emq_args, delay_ms), 0, EMQ_DELAY_MAX_MS, " ms"},
    [EMQ_ARG_MAX] = {"maximum", offsetof(emq_args, max), 1, EMQ_NUMBER_MAX, ""},
    [EMQ_ARG_LIMIT] = {"limit", offsetof(emq_args, limit), 1, EMQ_LIMIT_MAX, ""},
    [EMQ_ARG_SIZE] = {"size", offsetof(emq_args, size), 1, EMQ_CLAIM_MAX, ""},
    [EMQ_ARG_BUDGET] = {"budget", offsetof(emq_args, budget), 1, EMQ_LIMIT_MAX, ""},
};

/* Arguments that are bytes as they stand. */
static const struct {
  const char *what;
  size_t at; /* in emq_args: an emq_bytes */
  size_t max;
  bool optional; /* {NULL, 0} is written as the empty text */
} texts[] = {
    [EMQ_ARG_PAYLOAD] = {"payload", offsetof(emq_args, payload), EMQ_PAYLOAD_MAX, false},
    [EMQ_ARG_DEDUP] = {"dedup id", offsetof(emq_args, dedup), DEDUP_MAX, true},
    [EMQ_ARG_ANY_ID] = {"id", offsetof(emq_args, id), EMQ_PAYLOAD_MAX, false},
    [EMQ_ARG_REASON] = {"reason", offsetof(emq_args, reason), EMQ_REASON_MAX, false},
    [EMQ_ARG_PROGRESS] = {"progress", offsetof(emq_args, progress), EMQ_LINE_MAX, false},
    [EMQ_ARG_LINE] = {"log line", offsetof(emq_args, line), EMQ_LINE_MAX, false},
    [EMQ_ARG_CURSOR] = {"cursor", offsetof(emq_args, cursor), CURSOR_MAX, false},
};

#define FORM(forms, role) ((size_t)(role) < sizeof forms / sizeof *forms ? &forms[role] : NULL)
#define FIELD(args, type, at) (*(const type *)((const char *)(args) + (at)))

/* ---- the checks ---- */

static emq_status check_number(const char *what, int64_t value, int64_t min, int64_t max,
                               const char *unit, emq_error *err) {
  if (value >= min && value <= max)
    return EMQ_OK;
  return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                  "%s is %" PRId64 "%s, %" PRId64 " to %" PRId64 " are allowed", what, value, unit,
                  min, max);
}

static emq_status check_text(const char *what, emq_bytes bytes, size_t max, bool optional,
                             emq_error *err) {
  if (!bytes.ptr)
    return optional ? EMQ_OK : emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "%s is missing", what);
  if (bytes.len <= max)
    return EMQ_OK;
  return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "%s has %zu bytes, at most %zu are allowed", what,
                  bytes.len, max);
}

emq_status emq_result_check(emq_bytes result, emq_error *err) {
  return check_text("result", result, EMQ_PAYLOAD_MAX, true, err);
}

static emq_status check_token(int64_t token, emq_error *err) {
  if (token >= 1)
    return EMQ_OK;
  return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                  "token %" PRId64 " is of no claim: tokens start at 1", token);
}

/* The name comes from a row that any speaker may have written, and no key of ours is made of it:
 * whatever bytes it has go on to the parent, save a NUL, which would split its outbox entry. */
static emq_status check_parent_queue(emq_bytes queue, emq_error *err) {
  if (!queue.ptr || queue.len == 0)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "parent queue name is empty");
  emq_status status = check_text("parent queue name", queue, EMQ_PAYLOAD_MAX, false, err);
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

static emq_status check_due(const emq_args *args, emq_error *err) {
  if (args->when == EMQ_IN)
    return check_number("delay", args->due_ms, 0, EMQ_DELAY_MAX_MS, " ms", err);
  if (args->when == EMQ_AT)
    return check_number("time", args->due_ms, 0, EMQ_TIME_MAX_MS, " ms since 1970", err);
  return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "%d is no way to give a time", (int)args->when);
}

static emq_status check_holds(const emq_args *args, emq_error *err) {
  if (args->hold_count == 0 || args->hold_count > EMQ_HOLDS_MAX)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "%zu jobs are given, 1 to %d are allowed",
                    args->hold_count, EMQ_HOLDS_MAX);
  for (size_t i = 0; i < args->hold_count; i++) {
    emq_status status = emq_id_gate("job id", args->holds[i].id.ptr, args->holds[i].id.len, err);
    if (status == EMQ_OK)
      status = check_token(args->holds[i].token, err);
    if (status != EMQ_OK)
      return status;
  }
  return EMQ_OK;
}

static emq_status check_key(const emq_args *args, emq_key_role role, emq_error *err) {
  switch (role) {
  case EMQ_KEY_COUNTED_SETS:
    return check_counted(args->counted, err);
  case EMQ_KEY_METRIC:
    return check_number("total", (int64_t)args->metric, EMQ_COUNTED_SETS, EMQ_COUNTS - 1, "", err);
  case EMQ_KEY_BROWSED_SET:
    return check_number("state", (int64_t)args->state, EMQ_STATE_PENDING, EMQ_STATE_DEAD, "", err);
  default:
    break;
  }
  switch (key_forms[role].subject) {
  case OF_ID:
    return emq_id_gate("job id", args->id.ptr, args->id.len, err);
  case OF_PARENT:
    return emq_id_gate("parent id", args->parent.ptr, args->parent.len, err);
  case OF_DEDUP:
    return check_text("dedup id", args->dedup, DEDUP_MAX, true, err);
  case NOTHING:
    break;
  }
  return EMQ_OK;
}

static emq_status check_arg(const emq_args *args, emq_arg_role role, emq_error *err) {
  switch (role) {
  case EMQ_ARG_ID:
    return emq_id_gate("job id", args->id.ptr, args->id.len, err);
  case EMQ_ARG_TOKEN:
    return check_token(args->token, err);
  case EMQ_ARG_PARENT:
    return emq_id_gate("parent id", args->parent.ptr, args->parent.len, err);
  case EMQ_ARG_PARENT_QUEUE:
    return check_parent_queue(args->parent_queue, err);
  case EMQ_ARG_RESULT:
    return emq_result_check(args->result, err);
  case EMQ_ARG_COUNTED_METRICS:
    return check_counted(args->counted, err);
  case EMQ_ARG_WHEN:
  case EMQ_ARG_DUE:
    return check_due(args, err);
  case EMQ_ARG_HOLDS:
    return check_holds(args, err);
  case EMQ_ARG_KEEP:
    return args->keep == 0 ? EMQ_OK : check_number("keep", args->keep, 1, EMQ_NUMBER_MAX, "", err);
  default:
    break;
  }
  if (FORM(numbers, role) && numbers[role].what)
    return check_number(numbers[role].what, FIELD(args, int64_t, numbers[role].at),
                        numbers[role].min, numbers[role].max, numbers[role].unit, err);
  if (FORM(texts, role) && texts[role].what)
    return check_text(texts[role].what, FIELD(args, emq_bytes, texts[role].at), texts[role].max,
                      texts[role].optional, err);
  return EMQ_OK;
}

static emq_status check(const emq_args *args, const emq_transition_row *row, emq_error *err) {
  emq_status status = emq_queue_check(args->queue.ptr, args->queue.len, err);
  for (int i = 0; status == EMQ_OK && i < EMQ_KEYS_MAX && row->keys[i] != EMQ_KEY_NONE; i++)
    status = check_key(args, row->keys[i], err);
  for (int i = 0; status == EMQ_OK && i < EMQ_ARGS_MAX && row->args[i] != EMQ_ARG_NONE; i++)
    status = check_arg(args, row->args[i], err);
  return status;
}

/* ---- composing ---- */

/* Room for the longest request that passes the checks: p, the row prefix and a scan's pattern (each
 * byte of it escaped) once each, every key with the longest suffix, the counted sets as keys of
 * their own, one dedup id, and numbers. The writers below check all the same. */
enum {
  BASE_MAX = 5 + EMQ_QUEUE_NAME_MAX + 2,
  SUFFIX_MAX = 4 + EMQ_ID_LEN + sizeof ":dependencies",
  KEYS_MAX = EMQ_KEYS_MAX - 1 + EMQ_COUNTED_SETS,
  ARGS_MAX = EMQ_ARGS_MAX - 1 + 2 * EMQ_HOLDS_MAX,
  TEXT_MAX = 2 * BASE_MAX + SUFFIX_MAX + 2 * BASE_MAX + KEYS_MAX * (BASE_MAX + SUFFIX_MAX) +
             DEDUP_MAX + (1 + EMQ_ARGS_MAX + EMQ_HOLDS_MAX) * NUMBER_MAX,
};
static_assert((int)TEXT_MAX <= (int)EMQ_REQUEST_TEXT, "the text of a request does not fit");
/* No row has both eight keys and the holds: what does not fit is refused, never written past. */
static_assert(3 + 1 + 2 + 2 * EMQ_HOLDS_MAX <= (int)EMQ_REQUEST_PARTS, "the parts do not fit");

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

static void put_composed(writer *w, const char *type, const char *rest) {
  put(w, compose(w, (emq_bytes[]){w->base, of_text(type), of_text(rest)}, 3));
}

/* A state's set has its name, but for one. */
static const char *set_of(emq_state state) {
  return state == EMQ_STATE_SCHEDULED ? "schedule" : emq_state_name(state);
}

static void put_key(writer *w, emq_key_role role) {
  switch (role) {
  case EMQ_KEY_COUNTED_SETS:
    for (int set = 0; set < EMQ_COUNTED_SETS; set++)
      if (w->args->counted >> set & 1)
        put_composed(w, emq_count_name((emq_count)set), "");
    return;
  case EMQ_KEY_METRIC:
    put_composed(w, key_forms[role].type, emq_count_name(w->args->metric));
    return;
  case EMQ_KEY_BROWSED_SET:
    put_composed(w, set_of(w->args->state), "");
    return;
  default:
    break;
  }
  static const emq_bytes none = {"", 0};
  const emq_bytes subjects[] = {none, w->args->id, w->args->parent, w->args->dedup};
  emq_bytes subject = subjects[key_forms[role].subject];
  const emq_bytes pieces[] = {w->base, of_text(key_forms[role].type), subject.ptr ? subject : none,
                              of_text(key_forms[role].after)};
  put(w, compose(w, pieces, 4));
}

/* MATCH and the pattern of the queue's rows, in which the name stands for itself. */
static void put_rows_pattern(writer *w) {
  emq_bytes pattern = {w->out->text + w->out->used, 0};
  for (size_t i = 0; i < w->base.len; i++) {
    bool special = memchr("*?[]^\\", w->base.ptr[i], 6) != NULL;
    pattern.len += append(w, (emq_bytes){"\\", special}).len;
    pattern.len += append(w, (emq_bytes){w->base.ptr + i, 1}).len;
  }
  pattern.len += append(w, of_text("job:*")).len;
  put(w, of_text("MATCH"));
  put(w, pattern);
  put(w, of_text("COUNT"));
  put(w, of_text("1000"));
}

static void put_words(writer *w, const char *const *words) {
  for (; *words; words++)
    put(w, of_text(*words));
}

static void put_arg(writer *w, emq_arg_role role) {
  static const char *const newest[] = {"+", "-", "BYLEX", "REV", "LIMIT", "0", NULL};
  const emq_args *args = w->args;
  bool ignored = emq_equal(args->policy, "id");
  switch (role) {
  case EMQ_ARG_ID:
    put(w, args->id);
    return;
  case EMQ_ARG_BASE:
    put(w, w->base);
    return;
  case EMQ_ARG_ROW_PREFIX:
    put_composed(w, "job:", "");
    return;
  case EMQ_ARG_PARENT:
    put(w, args->parent);
    return;
  case EMQ_ARG_PARENT_QUEUE:
    put(w, args->parent_queue);
    return;
  case EMQ_ARG_RESULT:
    put(w, args->result.ptr ? args->result : args->id);
    return;
  case EMQ_ARG_XQ:
    put(w, of_text("xq"));
    return;
  case EMQ_ARG_SQ_POLICY:
    put(w, of_text(ignored ? "sq:id" : "sq:fp"));
    return;
  case EMQ_ARG_XQ_POLICY:
    put(w, of_text(ignored ? "xq:id" : "xq:fp"));
    return;
  case EMQ_ARG_COUNTED_METRICS:
    for (int total = EMQ_COUNTED_SETS; total < EMQ_COUNTS; total++)
      if (args->counted >> total & 1)
        put(w, of_text(emq_count_name((emq_count)total)));
    return;
  case EMQ_ARG_WHEN:
    put(w, of_text(args->when == EMQ_IN ? "in" : "at"));
    return;
  case EMQ_ARG_DUE:
    put(w, number(w, args->due_ms));
    return;
  case EMQ_ARG_HOLDS:
    for (size_t i = 0; i < args->hold_count; i++) {
      put(w, args->holds[i].id);
      put(w, number(w, args->holds[i].token));
    }
    return;
  case EMQ_ARG_KEEP:
    put(w, args->keep == 0 ? of_text("") : number(w, args->keep));
    return;
  case EMQ_ARG_FORCE:
    put(w, of_text(args->force ? "force" : ""));
    return;
  case EMQ_ARG_RANGE:
    put(w, number(w, args->first));
    put(w, number(w, args->last));
    return;
  case EMQ_ARG_NEWEST:
    put_words(w, newest);
    return;
  case EMQ_ARG_ROWS:
    put_rows_pattern(w);
    return;
  case EMQ_ARG_COUNT_FIELD:
    put(w, of_text("count"));
    return;
  default:
    if (FORM(numbers, role) && numbers[role].what)
      put(w, number(w, FIELD(args, int64_t, numbers[role].at)));
    else if (FORM(texts, role) && texts[role].what)
      put(w, FIELD(args, emq_bytes, texts[role].at));
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
  emq_status status = check(args, row, err);
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
