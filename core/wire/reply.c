/* SPDX-License-Identifier: MIT */
#include "wire/reply.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "wire/error.h"
#include "wire/text.h"

enum { WORDS_ROOM = 160 };

/* ---- refusing what is not of the table ---- */

static const char *describe(char room[WORDS_ROOM], const emq_reply *reply) {
  char text[WORDS_ROOM / 2];
  switch (reply->type) {
  case EMQ_REPLY_IS_NIL:
    return "nil";
  case EMQ_REPLY_IS_INTEGER:
    snprintf(room, WORDS_ROOM, "the integer %" PRId64, reply->integer);
    return room;
  case EMQ_REPLY_IS_ARRAY:
    snprintf(room, WORDS_ROOM, "an array of %zu", reply->count);
    return room;
  case EMQ_REPLY_IS_STATUS:
  case EMQ_REPLY_IS_STRING:
  case EMQ_REPLY_IS_ERROR:
    snprintf(room, WORDS_ROOM, "the %s \"%s\" of %zu bytes",
             reply->type == EMQ_REPLY_IS_STATUS   ? "status"
             : reply->type == EMQ_REPLY_IS_STRING ? "string"
                                                  : "error",
             emq_quote(text, sizeof text, reply->text, reply->len), reply->len);
    return room;
  }
  snprintf(room, WORDS_ROOM, "a reply of type %d", (int)reply->type);
  return room;
}

static emq_status odd(const char *name, const emq_reply *reply, const char *expected,
                      emq_error *err) {
  char room[WORDS_ROOM];
  return emq_fail(err, EMQ_ERR_PROTOCOL, "%s was answered with %s, expected %s", name,
                  describe(room, reply), expected);
}

static emq_status odd_element(const char *name, const emq_reply *reply, size_t index,
                              const char *expected, emq_error *err) {
  char room[WORDS_ROOM];
  return emq_fail(err, EMQ_ERR_PROTOCOL,
                  "%s was answered with an array of %zu whose element %zu is %s, expected %s", name,
                  reply->count, index, describe(room, &reply->elements[index]), expected);
}

/* ---- the pieces ---- */

/* The text of a string. Never {NULL, 0}, which would say that there is none. */
static emq_bytes view(const emq_reply *reply) {
  return reply->text ? (emq_bytes){reply->text, reply->len} : (emq_bytes){"", 0};
}

static bool is_integer(const emq_reply *reply, int64_t value) {
  return reply->type == EMQ_REPLY_IS_INTEGER && reply->integer == value;
}

/* Reads a number that is not negative, as an integer or (`or_text`) in decimal. */
static bool read_number(int64_t *out, const emq_reply *reply, bool or_text) {
  if (reply->type == EMQ_REPLY_IS_INTEGER) {
    *out = reply->integer;
    return reply->integer >= 0;
  }
  if (!or_text || reply->type != EMQ_REPLY_IS_STRING || reply->len == 0)
    return false;
  int64_t value = 0;
  for (size_t i = 0; i < reply->len; i++) {
    int digit = reply->text[i] - '0';
    if (digit < 0 || digit > 9 || value > (INT64_MAX - digit) / 10)
      return false;
    value = value * 10 + digit;
  }
  *out = value;
  return true;
}

/* ---- the shapes ---- */

static emq_status read_outcome(emq_result *out, const char *name, const emq_reply *reply,
                               emq_outcome on_one, int64_t other, emq_outcome on_other,
                               emq_error *err) {
  if (is_integer(reply, 1))
    out->outcome = on_one;
  else if (is_integer(reply, other))
    out->outcome = on_other;
  else
    return odd(name, reply, other == 0 ? "1 or 0" : "1 or -1", err);
  return EMQ_OK;
}

/* One of a claim's jobs, at `reply`. The id may be any bytes: another speaker may have put it
 * there, and a claim that was not given out would be lost until its lease ends. */
static emq_status read_job(emq_result *out, const char *name, const emq_reply *reply,
                           emq_error *err) {
  if (reply->type != EMQ_REPLY_IS_ARRAY || reply->count != 3)
    return odd(name, reply, "[id, payload, attempts]", err);
  const emq_reply *id = &reply->elements[0], *payload = &reply->elements[1],
                  *attempts = &reply->elements[2];
  if (id->type != EMQ_REPLY_IS_STRING)
    return odd_element(name, reply, 0, "an id", err);
  if (payload->type != EMQ_REPLY_IS_STRING && payload->type != EMQ_REPLY_IS_NIL)
    return odd_element(name, reply, 1, "a payload or nil", err);
  if (attempts->type != EMQ_REPLY_IS_INTEGER)
    return odd_element(name, reply, 2, "an integer", err);
  out->outcome = EMQ_OUTCOME_CLAIMED;
  out->id = view(id);
  out->payload = payload->type == EMQ_REPLY_IS_STRING ? view(payload) : (emq_bytes){NULL, 0};
  out->token = attempts->integer;
  return EMQ_OK;
}

emq_status emq_result_read_job(emq_result *out, const emq_reply *job) {
  return read_job(out, "bclaim", job, NULL);
}

static emq_status read_claimed(emq_result *out, const char *name, const emq_reply *reply,
                               emq_error *err) {
  if (reply->type != EMQ_REPLY_IS_ARRAY || (reply->count != 0 && reply->count != 3))
    return odd(name, reply, "[] or [id, payload, attempts]", err);
  out->outcome = EMQ_OUTCOME_EMPTY;
  return reply->count == 0 ? EMQ_OK : read_job(out, name, reply, err);
}

static emq_status read_claimed_many(emq_result *out, const char *name, const emq_reply *reply,
                                    int64_t size, emq_error *err) {
  if (reply->type != EMQ_REPLY_IS_ARRAY || (int64_t)reply->count > size)
    return odd(name, reply, "an array of jobs, no more than asked for", err);
  emq_result each;
  for (size_t i = 0; i < reply->count; i++) {
    emq_status status = read_job(&each, name, &reply->elements[i], err);
    if (status != EMQ_OK)
      return status;
  }
  out->outcome = reply->count > 0 ? EMQ_OUTCOME_CLAIMED : EMQ_OUTCOME_EMPTY;
  out->list = reply;
  return EMQ_OK;
}

/* What a settlement says of a flow child's parent: `count` fields of the row, the first one there
 * and the others perhaps. */
static emq_status read_parent(emq_result *out, const char *name, const emq_reply *reply,
                              size_t count, emq_error *err) {
  emq_bytes *const fields[] = {&out->parent, &out->parent_queue, &out->policy};
  for (size_t i = 0; i < count; i++) {
    const emq_reply *field = &reply->elements[i];
    if (field->type == EMQ_REPLY_IS_STRING)
      *fields[i] = view(field);
    else if (i == 0 || field->type != EMQ_REPLY_IS_NIL)
      return odd_element(name, reply, i, i == 0 ? "a parent's id" : "a text or nil", err);
  }
  return EMQ_OK;
}

static emq_status read_completed(emq_result *out, const char *name, const emq_reply *reply,
                                 emq_error *err) {
  if (reply->type == EMQ_REPLY_IS_INTEGER)
    return read_outcome(out, name, reply, EMQ_OUTCOME_DONE, 0, EMQ_OUTCOME_GONE, err);
  if (reply->type != EMQ_REPLY_IS_ARRAY || reply->count != 2)
    return odd(name, reply, "1, 0 or [parent, parent queue]", err);
  return read_parent(out, name, reply, 2, err);
}

static emq_status read_retried(emq_result *out, const char *name, const emq_reply *reply,
                               emq_error *err) {
  bool text = reply->type == EMQ_REPLY_IS_STRING || reply->type == EMQ_REPLY_IS_STATUS;
  if (text && emq_equal(view(reply), "scheduled"))
    out->outcome = EMQ_OUTCOME_SCHEDULED;
  else if (text && emq_equal(view(reply), "dead"))
    out->outcome = EMQ_OUTCOME_DEAD;
  else if (reply->type == EMQ_REPLY_IS_ARRAY && reply->count == 3)
    return read_parent(out, name, reply, 3, err);
  else
    return odd(name, reply, "scheduled, dead or [parent, parent queue, policy]", err);
  return EMQ_OK;
}

static emq_status read_done(emq_result *out, const char *name, const emq_reply *reply,
                            emq_error *err) {
  if (!is_integer(reply, 1))
    return odd(name, reply, "1", err);
  out->outcome = EMQ_OUTCOME_DONE;
  return EMQ_OK;
}

static emq_status read_natural(emq_result *out, const char *name, const emq_reply *reply,
                               emq_error *err) {
  if (reply->type != EMQ_REPLY_IS_INTEGER || reply->integer < 0)
    return odd(name, reply, "a number, 0 or more", err);
  out->number = reply->integer;
  return EMQ_OK;
}

static emq_status read_logged(emq_result *out, const char *name, const emq_reply *reply,
                              emq_error *err) {
  if (is_integer(reply, -1)) {
    out->outcome = EMQ_OUTCOME_GONE;
    return EMQ_OK;
  }
  if (reply->type != EMQ_REPLY_IS_INTEGER || reply->integer < 1)
    return odd(name, reply, "a number of lines or -1", err);
  out->outcome = EMQ_OUTCOME_DONE;
  out->number = reply->integer;
  return EMQ_OK;
}

static emq_status read_more(emq_result *out, const char *name, const emq_reply *reply,
                            emq_error *err) {
  if (!is_integer(reply, 0) && !is_integer(reply, 1))
    return odd(name, reply, "1 or 0", err);
  out->number = reply->integer;
  return EMQ_OK;
}

static emq_status read_texts(emq_result *out, const char *name, const emq_reply *reply,
                             emq_error *err) {
  if (reply->type != EMQ_REPLY_IS_ARRAY)
    return odd(name, reply, "an array of texts", err);
  for (size_t i = 0; i < reply->count; i++)
    if (reply->elements[i].type != EMQ_REPLY_IS_STRING)
      return odd_element(name, reply, i, "a text", err);
  out->list = reply;
  return EMQ_OK;
}

static emq_status read_swept(emq_result *out, const char *name, const emq_reply *reply,
                             emq_error *err) {
  if (reply->type != EMQ_REPLY_IS_ARRAY || reply->count != 2)
    return odd(name, reply, "[[id, ...], [id, ...]]", err);
  for (size_t i = 0; i < 2; i++) {
    emq_status status = read_texts(out, name, &reply->elements[i], err);
    if (status != EMQ_OK)
      return status;
  }
  out->list = reply;
  return EMQ_OK;
}

static emq_status read_text(emq_result *out, const char *name, const emq_reply *reply,
                            emq_error *err) {
  if (reply->type != EMQ_REPLY_IS_STRING && reply->type != EMQ_REPLY_IS_NIL)
    return odd(name, reply, "a text or nil", err);
  if (reply->type == EMQ_REPLY_IS_STRING)
    out->text = view(reply);
  return EMQ_OK;
}

static emq_status read_scanned(emq_result *out, const char *name, const emq_reply *reply,
                               emq_error *err) {
  if (reply->type != EMQ_REPLY_IS_ARRAY || reply->count != 2 ||
      reply->elements[0].type != EMQ_REPLY_IS_STRING)
    return odd(name, reply, "[cursor, [key, ...]]", err);
  out->text = view(&reply->elements[0]);
  return read_texts(out, name, &reply->elements[1], err);
}

static emq_status read_places(emq_result *out, const char *name, const emq_reply *reply,
                              emq_error *err) {
  if (reply->type != EMQ_REPLY_IS_ARRAY || reply->count != EMQ_PLACES)
    return odd(name, reply, "an array of 9", err);
  for (size_t i = 0; i < reply->count; i++) {
    emq_reply_type type = reply->elements[i].type;
    if (type != EMQ_REPLY_IS_STRING && type != EMQ_REPLY_IS_NIL)
      return odd_element(name, reply, i, "a text or nil", err);
  }
  out->list = reply;
  return EMQ_OK;
}

static emq_status read_counts(emq_result *out, const char *name, const emq_reply *reply,
                              unsigned counted, emq_error *err) {
  size_t expected = 0;
  for (int i = 0; i < EMQ_COUNTS; i++)
    expected += counted >> i & 1;
  if (reply->type != EMQ_REPLY_IS_ARRAY || reply->count != expected) {
    char words[32];
    snprintf(words, sizeof words, "an array of %zu", expected);
    return odd(name, reply, words, err);
  }
  size_t index = 0;
  for (int i = 0; i < EMQ_COUNTS; i++) {
    if (!(counted >> i & 1))
      continue;
    if (!read_number(&out->counts.of[i], &reply->elements[index], i >= EMQ_COUNTED_SETS))
      return odd_element(name, reply, index, "a number, 0 or more", err);
    index++;
  }
  return EMQ_OK;
}

static emq_status read_state(emq_result *out, const char *name, const emq_reply *reply,
                             emq_error *err) {
  if (reply->type == EMQ_REPLY_IS_STRING || reply->type == EMQ_REPLY_IS_STATUS) {
    for (int state = EMQ_STATE_ABSENT; state <= EMQ_STATE_UNKNOWN; state++) {
      if (emq_equal(view(reply), emq_state_name((emq_state)state))) {
        out->state = (emq_state)state;
        return EMQ_OK;
      }
    }
  }
  return odd(name, reply, "a state's word", err);
}

static emq_status read_row(emq_result *out, const char *name, const emq_reply *reply,
                           emq_error *err) {
  if (reply->type != EMQ_REPLY_IS_ARRAY || reply->count % 2 != 0)
    return odd(name, reply, "an array of names and values", err);
  for (size_t i = 0; i < reply->count; i++)
    if (reply->elements[i].type != EMQ_REPLY_IS_STRING)
      return odd_element(name, reply, i, "a string", err);
  out->row = reply->count > 0 ? reply : NULL;
  return EMQ_OK;
}

static emq_status read_shape(emq_result *out, const emq_transition_row *row, const emq_args *args,
                             const emq_reply *reply, emq_error *err) {
  switch (row->reply) {
  case EMQ_REPLY_ENQUEUED:
    return read_outcome(out, row->name, reply, EMQ_OUTCOME_ENQUEUED, 0, EMQ_OUTCOME_DUPLICATE, err);
  case EMQ_REPLY_SCHEDULED:
    return read_outcome(out, row->name, reply, EMQ_OUTCOME_SCHEDULED, 0, EMQ_OUTCOME_DUPLICATE,
                        err);
  case EMQ_REPLY_CLAIMED:
    return read_claimed(out, row->name, reply, err);
  case EMQ_REPLY_CLAIMED_MANY:
    return read_claimed_many(out, row->name, reply, args->size, err);
  case EMQ_REPLY_RETRIED:
    return read_retried(out, row->name, reply, err);
  case EMQ_REPLY_DONE:
    return read_done(out, row->name, reply, err);
  case EMQ_REPLY_NUMBER:
    return read_natural(out, row->name, reply, err);
  case EMQ_REPLY_LOGGED:
    return read_logged(out, row->name, reply, err);
  case EMQ_REPLY_SWEPT:
    return read_swept(out, row->name, reply, err);
  case EMQ_REPLY_MORE:
    return read_more(out, row->name, reply, err);
  case EMQ_REPLY_TEXTS:
    return read_texts(out, row->name, reply, err);
  case EMQ_REPLY_TEXT:
    return read_text(out, row->name, reply, err);
  case EMQ_REPLY_SCANNED:
    return read_scanned(out, row->name, reply, err);
  case EMQ_REPLY_PLACES:
    return read_places(out, row->name, reply, err);
  case EMQ_REPLY_COMPLETED:
    return read_completed(out, row->name, reply, err);
  case EMQ_REPLY_DONE_OR_GONE:
    return read_outcome(out, row->name, reply, EMQ_OUTCOME_DONE, -1, EMQ_OUTCOME_GONE, err);
  case EMQ_REPLY_COUNTS:
    return read_counts(out, row->name, reply, args->counted, err);
  case EMQ_REPLY_STATE:
    return read_state(out, row->name, reply, err);
  case EMQ_REPLY_ROW:
    return read_row(out, row->name, reply, err);
  }
  return odd(row->name, reply, "a shape of the table", err);
}

/* That a job is gone is an outcome, though these transitions say it with an error. */
static bool says_gone(const emq_transition_row *row, const emq_reply *reply) {
  static const char gone[] = "EMQSTALE job gone";
  bool may = row->reply == EMQ_REPLY_RETRIED || row->reply == EMQ_REPLY_DONE;
  return may && reply->len >= sizeof gone - 1 && memcmp(reply->text, gone, sizeof gone - 1) == 0;
}

emq_status emq_result_read(emq_result *out, emq_transition transition, const emq_args *args,
                           const emq_reply *reply, emq_error *err) {
  const emq_transition_row *row = emq_transition_row_of(transition);
  if (!row)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "transition %d does not exist", (int)transition);
  if (reply->type == EMQ_REPLY_IS_ERROR && !says_gone(row, reply))
    return emq_error_classify(err, reply->text, reply->len);
  emq_result result = {.outcome = EMQ_OUTCOME_NONE, .state = EMQ_STATE_ABSENT};
  for (int i = 0; i < EMQ_COUNTS; i++)
    result.counts.of[i] = -1;
  emq_status status = EMQ_OK;
  if (reply->type == EMQ_REPLY_IS_ERROR)
    result.outcome = EMQ_OUTCOME_GONE;
  else
    status = read_shape(&result, row, args, reply, err);
  if (status == EMQ_OK)
    *out = result;
  return status;
}
