/* SPDX-License-Identifier: MIT */
/* Replies made at random, right ones and damaged ones: none does harm. */
#include <stdlib.h>

#include "guard.h"
#include "wire/reply.h"

static const emq_args ARGS = {.counted = EMQ_COUNTS_ALL};

static uint64_t seed = 20240101;

/* Bytes of exactly that size, without the NUL, so that a sanitizer sees the first one too far. */
static void make_text(emq_reply *reply) {
  static const char *const words[] = {
      "JOB0KHTOWnGLuC",
      "",
      "pending",
      "awaiting_children",
      "5",
      "99999999999999999999",
      "EMQSTALE complete token mismatch",
      "ERR Error running script (call to f_0): @user_script:1: ",
      "\xff\xfe",
      "é",
  };
  const char *word = words[random_below(&seed, sizeof words / sizeof *words)];
  reply->len = random_below(&seed, 8) ? strlen(word) : random_below(&seed, 300);
  reply->text = malloc(reply->len ? reply->len : 1);
  for (size_t i = 0; i < reply->len; i++)
    reply->text[i] = (char)next_random(&seed);
  if (random_below(&seed, 8))
    memcpy(reply->text, word, reply->len < strlen(word) ? reply->len : strlen(word));
}

static void make(emq_reply *reply, int depth) {
  static const int64_t integers[] = {0, 1, -1, 2, INT64_MAX, INT64_MIN};
  *reply = (emq_reply){.type = (emq_reply_type)random_below(&seed, depth > 0 ? 6 : 5)};
  if (random_below(&seed, 200) == 0)
    reply->type = (emq_reply_type)random_below(&seed, 100);
  if (reply->type == EMQ_REPLY_IS_INTEGER) {
    reply->integer = integers[random_below(&seed, 6)];
  } else if (reply->type == EMQ_REPLY_IS_ARRAY) {
    reply->count = random_below(&seed, 8);
    reply->elements = malloc((reply->count ? reply->count : 1) * sizeof *reply->elements);
    for (size_t i = 0; i < reply->count; i++)
      make(&reply->elements[i], depth - 1);
  } else if (reply->type != EMQ_REPLY_IS_NIL) {
    make_text(reply);
  }
}

static void make_array(emq_reply *reply, size_t count) {
  *reply = (emq_reply){.type = EMQ_REPLY_IS_ARRAY, .count = count};
  reply->elements = calloc(count + 1, sizeof *reply->elements);
}

static void make_texts(emq_reply *reply, size_t count) {
  make_array(reply, count);
  for (size_t i = 0; i < count; i++) {
    reply->elements[i].type = EMQ_REPLY_IS_STRING;
    make_text(&reply->elements[i]);
  }
}

static void make_integer(emq_reply *reply, int64_t value) {
  *reply = (emq_reply){.type = EMQ_REPLY_IS_INTEGER, .integer = value};
}

static void make_claim(emq_reply *reply) {
  make_texts(reply, 2);
  reply->elements[reply->count++].type = EMQ_REPLY_IS_INTEGER;
}

/* A reply that is right, of which the caller then damages a part. */
static void make_right(emq_reply *reply, emq_transition transition) {
  size_t some = random_below(&seed, 4);
  switch (emq_transition_row_of(transition)->reply) {
  case EMQ_REPLY_CLAIMED:
    make_claim(reply);
    break;
  case EMQ_REPLY_CLAIMED_MANY:
    make_array(reply, some);
    for (size_t i = 0; i < some; i++)
      make_claim(&reply->elements[i]);
    break;
  case EMQ_REPLY_COUNTS:
    make_array(reply, EMQ_COUNTS);
    for (size_t i = 0; i < EMQ_COUNTS; i++)
      make_integer(&reply->elements[i], (int64_t)some);
    break;
  case EMQ_REPLY_COMPLETED:
    make_texts(reply, 2);
    break;
  case EMQ_REPLY_RETRIED:
    make_texts(reply, 3);
    break;
  case EMQ_REPLY_SWEPT:
    make_array(reply, 2);
    make_texts(&reply->elements[0], some);
    make_texts(&reply->elements[1], some);
    break;
  case EMQ_REPLY_SCANNED:
    make_texts(reply, 1);
    make_texts(&reply->elements[reply->count++], some);
    break;
  case EMQ_REPLY_PLACES:
    make_texts(reply, EMQ_PLACES);
    break;
  case EMQ_REPLY_TEXTS:
    make_texts(reply, some);
    break;
  case EMQ_REPLY_ROW:
    make_texts(reply, 2 * some);
    break;
  default:
    make_integer(reply, 1);
  }
}

static void unmake(emq_reply *reply) {
  for (size_t i = 0; i < reply->count; i++)
    unmake(&reply->elements[i]);
  free(reply->elements);
  free(reply->text);
}

static bool inside(emq_bytes view, const emq_reply *reply) {
  if (view.len == 0 || (view.ptr == reply->text && view.len == reply->len))
    return true;
  for (size_t i = 0; i < reply->count; i++)
    if (view.ptr == reply->elements[i].text && view.len == reply->elements[i].len)
      return true;
  return false;
}

Test(noise, no_reply_does_harm) {
  size_t taken = 0, rounds = 200000;
  for (size_t round = 0; round < rounds; round++) {
    emq_transition transition = (emq_transition)random_below(&seed, EMQ_TRANSITIONS);
    emq_reply reply;
    if (random_below(&seed, 2)) {
      make(&reply, 2);
    } else {
      make_right(&reply, transition);
      if (reply.count > 0 && random_below(&seed, 2)) {
        emq_reply *victim = &reply.elements[random_below(&seed, reply.count)];
        unmake(victim);
        make(victim, 1);
      }
    }
    emq_result result;
    memset(&result, 0, sizeof result);
    emq_error error = EMQ_ERROR_INIT;
    emq_status status = emq_result_read(&result, transition, &ARGS, &reply, &error);
    if (status == EMQ_OK) {
      taken++;
      cr_assert(inside(result.id, &reply) && inside(result.payload, &reply));
      cr_assert(inside(result.parent, &reply) && inside(result.parent_queue, &reply));
      cr_assert_not_null(emq_outcome_name(result.outcome));
      cr_assert_not_null(emq_state_name(result.state));
      cr_assert(inside(result.policy, &reply) && inside(result.text, &reply));
      cr_assert(!result.row || result.row == &reply);
      cr_assert(!result.list || result.list == &reply || result.list == &reply.elements[1]);
    } else {
      cr_assert_eq(error.code, status);
      cr_assert_neq(error.message[0], '\0');
      cr_assert_eq(status == EMQ_ERR_PROTOCOL, reply.type != EMQ_REPLY_IS_ERROR);
    }
    unmake(&reply);
  }
  cr_assert_gt(taken, rounds / 20, "only %zu of %zu replies were taken", taken, rounds);
  cr_assert_lt(taken, rounds, "every reply was taken");
}
