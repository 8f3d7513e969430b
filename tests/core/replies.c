/* SPDX-License-Identifier: MIT */
/* Replies: what each shape means, that no other shape is taken, and that no reply at all can do
 * harm. */
#include <stdlib.h>

#include "guard.h"
#include "wire/reply.h"

#define NIL                                                                                        \
  { .type = EMQ_REPLY_IS_NIL }
#define INTEGER(value)                                                                             \
  { .type = EMQ_REPLY_IS_INTEGER, .integer = (value) }
#define STRING(bytes)                                                                              \
  { .type = EMQ_REPLY_IS_STRING, .text = (char *)(bytes), .len = sizeof(bytes) - 1 }
#define STATUS(bytes)                                                                              \
  { .type = EMQ_REPLY_IS_STATUS, .text = (char *)(bytes), .len = sizeof(bytes) - 1 }
#define ERROR(bytes)                                                                               \
  { .type = EMQ_REPLY_IS_ERROR, .text = (char *)(bytes), .len = sizeof(bytes) - 1 }
#define EMPTY                                                                                      \
  { .type = EMQ_REPLY_IS_ARRAY }
#define ARRAY(...)                                                                                 \
  {                                                                                                \
    .type = EMQ_REPLY_IS_ARRAY, .elements = (emq_reply[]){__VA_ARGS__},                            \
    .count = sizeof((emq_reply[]){__VA_ARGS__}) / sizeof(emq_reply)                                \
  }

static const emq_args ARGS = {.counted = EMQ_COUNTS_ALL};

static emq_result read_ok(emq_transition transition, const emq_args *args, emq_reply reply) {
  emq_result result;
  memset(&result, 0xff, sizeof result);
  emq_error error = EMQ_ERROR_INIT;
  cr_assert_eq(emq_result_read(&result, transition, args, &reply, &error), EMQ_OK, "%s",
               error.message);
  return result;
}

#define READ(TRANSITION, ...) read_ok(EMQ_T_##TRANSITION, &ARGS, (emq_reply)__VA_ARGS__)

static void refused(emq_transition transition, const emq_args *args, emq_reply reply,
                    const char *words) {
  emq_result result = {.token = 42};
  emq_error error = EMQ_ERROR_INIT;
  cr_assert_eq(emq_result_read(&result, transition, args, &reply, &error), EMQ_ERR_PROTOCOL,
               "%s is not refused: %s", emq_transition_row_of(transition)->name, words);
  cr_assert_eq(error.code, EMQ_ERR_PROTOCOL);
  cr_assert_eq(strncmp(error.message, emq_transition_row_of(transition)->name,
                       strlen(emq_transition_row_of(transition)->name)),
               0, "%s", error.message);
  cr_assert(strstr(error.message, words), "\"%s\" lacks \"%s\"", error.message, words);
  cr_assert_eq(result.token, 42, "a refused reply was written out");
}

#define REFUSED(TRANSITION, words, ...)                                                            \
  refused(EMQ_T_##TRANSITION, &ARGS, (emq_reply)__VA_ARGS__, words)

static void same_bytes(emq_bytes got, const char *wanted, size_t len) {
  cr_assert_not_null(got.ptr);
  cr_assert_eq(got.len, len);
  cr_assert_eq(memcmp(got.ptr, wanted, len), 0);
}

/* ---- the shapes, one by one ---- */

Test(replies, enqueued) {
  cr_assert_eq(READ(ENQUEUE, INTEGER(1)).outcome, EMQ_OUTCOME_ENQUEUED);
  cr_assert_eq(READ(ENQUEUE, INTEGER(0)).outcome, EMQ_OUTCOME_DUPLICATE);
  REFUSED(ENQUEUE, "the integer 2, expected 1 or 0", INTEGER(2));
  REFUSED(ENQUEUE, "the integer -1", INTEGER(-1));
  REFUSED(ENQUEUE, "the string \"1\" of 1 bytes", STRING("1"));
  REFUSED(ENQUEUE, "nil", NIL);
}

Test(replies, a_claim) {
  emq_result result = READ(CLAIM, ARRAY(STRING("JOB0KHTOWnGLuC"), STRING("a\0b"), INTEGER(3)));
  cr_assert_eq(result.outcome, EMQ_OUTCOME_CLAIMED);
  same_bytes(result.id, "JOB0KHTOWnGLuC", 14);
  same_bytes(result.payload, "a\0b", 3);
  cr_assert_eq(result.token, 3);
}

Test(replies, a_claim_of_nothing) {
  emq_result result = READ(CLAIM, EMPTY);
  cr_assert_eq(result.outcome, EMQ_OUTCOME_EMPTY);
  cr_assert_null(result.id.ptr);
  cr_assert_null(result.payload.ptr);
}

Test(replies, a_ghost_differs_from_an_empty_payload) {
  cr_assert_null(READ(CLAIM, ARRAY(STRING("JOB0KHTOWnGLuC"), NIL, INTEGER(1))).payload.ptr);
  same_bytes(READ(CLAIM, ARRAY(STRING("JOB0KHTOWnGLuC"), STRING(""), INTEGER(1))).payload, "", 0);
  emq_reply no_text = {.type = EMQ_REPLY_IS_STRING};
  emq_reply id = STRING("JOB0KHTOWnGLuC"), one = INTEGER(1);
  same_bytes(READ(CLAIM, ARRAY(id, no_text, one)).payload, "", 0);
}

/* Another speaker may have put it there; a claim that is not given out would be lost for a lease.
 */
Test(replies, a_claims_id_may_be_any_bytes) {
  emq_result result = READ(CLAIM, ARRAY(STRING("JOBBER\0-\xff"), STRING("x"), INTEGER(1)));
  cr_assert_eq(result.outcome, EMQ_OUTCOME_CLAIMED);
  same_bytes(result.id, "JOBBER\0-\xff", 9);
}

Test(replies, a_claim_of_another_shape) {
  REFUSED(CLAIM, "an array of 2", ARRAY(STRING("JOB0KHTOWnGLuC"), STRING("x")));
  REFUSED(CLAIM, "an array of 4", ARRAY(STRING("a"), STRING("x"), INTEGER(1), NIL));
  REFUSED(CLAIM, "nil", NIL);
  REFUSED(CLAIM, "the integer 0", INTEGER(0));
  REFUSED(CLAIM, "element 0 is nil", ARRAY(NIL, STRING("x"), INTEGER(1)));
  REFUSED(CLAIM, "element 0 is the status \"a\"", ARRAY(STATUS("a"), STRING("x"), INTEGER(1)));
  REFUSED(CLAIM, "element 1 is the integer 5", ARRAY(STRING("a"), INTEGER(5), INTEGER(1)));
  REFUSED(CLAIM, "element 2 is the string \"1\"", ARRAY(STRING("a"), STRING("x"), STRING("1")));
  REFUSED(CLAIM, "element 2 is the error \"ERR x\"", ARRAY(STRING("a"), NIL, ERROR("ERR x")));
  REFUSED(CLAIM, "element 1 is an array of 0", ARRAY(STRING("a"), EMPTY, INTEGER(1)));
}

Test(replies, completed) {
  cr_assert_eq(READ(COMPLETE, INTEGER(1)).outcome, EMQ_OUTCOME_DONE);
  cr_assert_eq(READ(COMPLETE, INTEGER(0)).outcome, EMQ_OUTCOME_GONE);
  cr_assert_eq(READ(COMPLETE_CHILD, INTEGER(1)).outcome, EMQ_OUTCOME_DONE);
  cr_assert_eq(READ(COMPLETE_FOREIGN_CHILD, INTEGER(0)).outcome, EMQ_OUTCOME_GONE);
  cr_assert_null(READ(COMPLETE, INTEGER(1)).parent.ptr);
}

Test(replies, a_completion_to_be_asked_again) {
  emq_result result = READ(COMPLETE, ARRAY(STRING("JOB0NgWEfAEJfs"), NIL));
  cr_assert_eq(result.outcome, EMQ_OUTCOME_NONE);
  same_bytes(result.parent, "JOB0NgWEfAEJfs", 14);
  cr_assert_null(result.parent_queue.ptr);
  result = READ(COMPLETE, ARRAY(STRING("JOB0NgWEfAEJfs"), STRING("mails")));
  same_bytes(result.parent_queue, "mails", 5);
  result = READ(COMPLETE, ARRAY(STRING(""), STRING("")));
  same_bytes(result.parent, "", 0);
  same_bytes(result.parent_queue, "", 0);
}

Test(replies, a_completion_of_another_shape) {
  REFUSED(COMPLETE, "the integer -1, expected 1 or 0", INTEGER(-1));
  REFUSED(COMPLETE, "an array of 0", EMPTY);
  REFUSED(COMPLETE, "an array of 1", ARRAY(STRING("p")));
  REFUSED(COMPLETE, "an array of 3", ARRAY(STRING("p"), NIL, NIL));
  REFUSED(COMPLETE, "element 0 is nil", ARRAY(NIL, NIL));
  REFUSED(COMPLETE, "element 1 is the integer 0", ARRAY(STRING("p"), INTEGER(0)));
  REFUSED(COMPLETE_CHILD, "the status \"OK\"", STATUS("OK"));
}

Test(replies, done_or_gone) {
  cr_assert_eq(READ(REMOVE_JOB, INTEGER(1)).outcome, EMQ_OUTCOME_DONE);
  cr_assert_eq(READ(REMOVE_JOB, INTEGER(-1)).outcome, EMQ_OUTCOME_GONE);
  REFUSED(REMOVE_JOB, "the integer 0, expected 1 or -1", INTEGER(0));
  REFUSED(REMOVE_JOB, "nil", NIL);
}

Test(replies, all_counts) {
  emq_result result = READ(COUNTS, ARRAY(INTEGER(1), INTEGER(2), INTEGER(3), INTEGER(0),
                                         STRING("9223372036854775807"), INTEGER(6)));
  const int64_t wanted[] = {1, 2, 3, 0, INT64_MAX, 6};
  cr_assert_arr_eq(result.counts.of, wanted, sizeof wanted);
}

Test(replies, counts_answer_to_what_was_asked) {
  for (unsigned counted = 1; counted <= EMQ_COUNTS_ALL; counted++) {
    emq_args args = {.counted = counted};
    emq_reply elements[EMQ_COUNTS], reply = {.type = EMQ_REPLY_IS_ARRAY, .elements = elements};
    int64_t wanted[EMQ_COUNTS];
    for (int i = 0; i < EMQ_COUNTS; i++) {
      wanted[i] = counted & 1u << i ? 100 + i : -1;
      if (counted & 1u << i)
        elements[reply.count++] = (emq_reply)INTEGER(100 + i);
    }
    emq_result result = read_ok(EMQ_T_COUNTS, &args, reply);
    cr_assert_arr_eq(result.counts.of, wanted, sizeof wanted);
    reply.count--;
    refused(EMQ_T_COUNTS, &args, reply, "an array of");
  }
}

Test(replies, counts_of_another_shape) {
  emq_args sets = {.counted = 1 << EMQ_COUNT_PENDING}, totals = {.counted = 1 << EMQ_COUNT_FAILED};
#define ONE(...) (emq_reply) ARRAY(__VA_ARGS__)
  refused(EMQ_T_COUNTS, &sets, ONE(INTEGER(-1)), "element 0 is the integer -1");
  refused(EMQ_T_COUNTS, &sets, ONE(STRING("1")), "element 0 is the string \"1\"");
  refused(EMQ_T_COUNTS, &sets, ONE(NIL), "element 0 is nil");
  refused(EMQ_T_COUNTS, &totals, ONE(STRING("")), "element 0 is the string \"\"");
  refused(EMQ_T_COUNTS, &totals, ONE(STRING("-1")), "\"-1\"");
  refused(EMQ_T_COUNTS, &totals, ONE(STRING("1.5")), "\"1.5\"");
  refused(EMQ_T_COUNTS, &totals, ONE(STRING("12 ")), "\"12 \"");
  refused(EMQ_T_COUNTS, &totals, ONE(STRING("1:")), "\"1:\"");
  refused(EMQ_T_COUNTS, &totals, ONE(STRING("1/")), "\"1/\"");
  refused(EMQ_T_COUNTS, &totals, ONE(STRING("9223372036854775808")), "9223372036854775808");
  refused(EMQ_T_COUNTS, &totals, ONE(STATUS("1")), "the status");
  refused(EMQ_T_COUNTS, &totals, ONE(INTEGER(1), INTEGER(2)), "an array of 2");
  refused(EMQ_T_COUNTS, &totals, (emq_reply)INTEGER(1), "expected an array of 1");
  cr_assert_eq(read_ok(EMQ_T_COUNTS, &totals, ONE(STRING("7"))).counts.of[EMQ_COUNT_FAILED], 7);
}

Test(replies, states) {
  cr_assert_eq(READ(STATE_LOOKUP, STRING("absent")).state, EMQ_STATE_ABSENT);
  cr_assert_eq(READ(STATE_LOOKUP, STRING("pending")).state, EMQ_STATE_PENDING);
  cr_assert_eq(READ(STATE_LOOKUP, STRING("active")).state, EMQ_STATE_ACTIVE);
  cr_assert_eq(READ(STATE_LOOKUP, STRING("scheduled")).state, EMQ_STATE_SCHEDULED);
  cr_assert_eq(READ(STATE_LOOKUP, STRING("dead")).state, EMQ_STATE_DEAD);
  cr_assert_eq(READ(STATE_LOOKUP, STRING("awaiting_children")).state, EMQ_STATE_AWAITING_CHILDREN);
  cr_assert_eq(READ(STATE_LOOKUP, STRING("unknown")).state, EMQ_STATE_UNKNOWN);
  cr_assert_eq(READ(STATE_LOOKUP, STATUS("dead")).state, EMQ_STATE_DEAD);
  REFUSED(STATE_LOOKUP, "\"schedule\"", STRING("schedule"));
  REFUSED(STATE_LOOKUP, "\"dead\\x00\"", STRING("dead\0"));
  REFUSED(STATE_LOOKUP, "\"\" of 0 bytes", STRING(""));
  REFUSED(STATE_LOOKUP, "the integer 1", INTEGER(1));
  REFUSED(STATE_LOOKUP, "nil", NIL);
}

Test(replies, rows) {
  cr_assert_null(READ(ROW, EMPTY).row);
  emq_reply reply = ARRAY(STRING("state"), STRING("pending"), STRING("payload"), STRING("\0"));
  emq_result result;
  cr_assert_eq(emq_result_read(&result, EMQ_T_ROW, &ARGS, &reply, NULL), EMQ_OK);
  cr_assert_eq(result.row, &reply);
  REFUSED(ROW, "an array of 1", ARRAY(STRING("state")));
  REFUSED(ROW, "element 1 is nil", ARRAY(STRING("state"), NIL));
  REFUSED(ROW, "element 0 is the integer 1", ARRAY(INTEGER(1), STRING("x")));
  REFUSED(ROW, "nil", NIL);
}

Test(replies, an_error_reply_has_the_class_of_its_text) {
  for (int i = 0; i < EMQ_TRANSITIONS; i++) {
    emq_reply reply = ERROR("EMQSTALE complete token mismatch");
    emq_result result;
    emq_error error = EMQ_ERROR_INIT;
    cr_assert_eq(emq_result_read(&result, (emq_transition)i, &ARGS, &reply, &error), EMQ_ERR_STALE);
    cr_assert_str_eq(error.server_text, "EMQSTALE complete token mismatch");
  }
}

Test(replies, a_reply_of_no_known_type) {
  for (int i = 0; i < EMQ_TRANSITIONS; i++)
    refused((emq_transition)i, &ARGS, (emq_reply){.type = (emq_reply_type)9}, "a reply of type 9");
}

Test(replies, of_no_transition) {
  emq_reply reply = INTEGER(1);
  emq_result result;
  cr_assert_eq(emq_result_read(&result, EMQ_TRANSITIONS, &ARGS, &reply, NULL),
               EMQ_ERR_INVALID_ARGUMENT);
}

/* ---- replies made at random ---- */

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

/* A reply that is right, of which the caller then damages a part. */
static void make_right(emq_reply *reply, emq_transition transition) {
  static const emq_reply_type claim[] = {EMQ_REPLY_IS_STRING, EMQ_REPLY_IS_STRING,
                                         EMQ_REPLY_IS_INTEGER};
  emq_reply_shape shape = emq_transition_row_of(transition)->reply;
  size_t count = shape == EMQ_REPLY_CLAIMED     ? 3
                 : shape == EMQ_REPLY_COMPLETED ? 2
                 : shape == EMQ_REPLY_COUNTS    ? EMQ_COUNTS
                                                : 2 * random_below(&seed, 4);
  *reply = (emq_reply){.type = EMQ_REPLY_IS_ARRAY, .count = count};
  reply->elements = calloc(count + 1, sizeof *reply->elements);
  for (size_t i = 0; i < count; i++) {
    emq_reply *element = &reply->elements[i];
    element->type = shape == EMQ_REPLY_CLAIMED  ? claim[i]
                    : shape == EMQ_REPLY_COUNTS ? EMQ_REPLY_IS_INTEGER
                                                : EMQ_REPLY_IS_STRING;
    if (element->type == EMQ_REPLY_IS_STRING)
      make_text(element);
  }
}

static void unmake(emq_reply *reply) {
  for (size_t i = 0; i < reply->count; i++)
    unmake(&reply->elements[i]);
  free(reply->elements);
  free(reply->text);
}

static bool inside(emq_bytes view, const emq_reply *reply) {
  if (view.len == 0)
    return true;
  for (size_t i = 0; i < reply->count; i++)
    if (view.ptr == reply->elements[i].text && view.len == reply->elements[i].len)
      return true;
  return false;
}

Test(replies, no_reply_does_harm) {
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
      cr_assert(!result.row || result.row == &reply);
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
