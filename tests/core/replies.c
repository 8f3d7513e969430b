/* SPDX-License-Identifier: MIT */
/* Replies: what each shape means, and that no other shape is taken. */
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

static const emq_args ARGS = {.counted = EMQ_COUNTS_ALL, .size = 2};

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

Test(replies, done_or_gone_of_every_transition_that_says_so) {
  static const emq_transition each[] = {EMQ_T_EXTEND_LOCK, EMQ_T_UPDATE_DATA, EMQ_T_UPDATE_PROGRESS,
                                        EMQ_T_REPROCESS};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    cr_assert_eq(read_ok(each[i], &ARGS, (emq_reply)INTEGER(1)).outcome, EMQ_OUTCOME_DONE);
    cr_assert_eq(read_ok(each[i], &ARGS, (emq_reply)INTEGER(-1)).outcome, EMQ_OUTCOME_GONE);
    refused(each[i], &ARGS, (emq_reply)INTEGER(0), "the integer 0, expected 1 or -1");
  }
}

Test(replies, scheduled) {
  cr_assert_eq(READ(SCHEDULE, INTEGER(1)).outcome, EMQ_OUTCOME_SCHEDULED);
  cr_assert_eq(READ(SCHEDULE, INTEGER(0)).outcome, EMQ_OUTCOME_DUPLICATE);
  REFUSED(SCHEDULE, "the integer -1, expected 1 or 0", INTEGER(-1));
  REFUSED(SCHEDULE, "the string", STRING("scheduled"));
}

Test(replies, a_claim_of_many) {
  emq_reply reply = ARRAY(ARRAY(STRING("JOB0KHTOWnGLuC"), STRING("a\0b"), INTEGER(1)),
                          ARRAY(STRING("JOB0NgWEfAEJfs"), NIL, INTEGER(7)));
  emq_result result, job;
  cr_assert_eq(emq_result_read(&result, EMQ_T_BCLAIM, &ARGS, &reply, NULL), EMQ_OK);
  cr_assert_eq(result.outcome, EMQ_OUTCOME_CLAIMED);
  cr_assert_eq(result.list, &reply);
  cr_assert_eq(emq_result_read_job(&job, &reply.elements[0]), EMQ_OK);
  same_bytes(job.id, "JOB0KHTOWnGLuC", 14);
  same_bytes(job.payload, "a\0b", 3);
  cr_assert_eq(job.token, 1);
  cr_assert_eq(emq_result_read_job(&job, &reply.elements[1]), EMQ_OK);
  cr_assert_null(job.payload.ptr);
  cr_assert_eq(job.token, 7);
  cr_assert_eq(READ(BCLAIM, EMPTY).outcome, EMQ_OUTCOME_EMPTY);
}

Test(replies, a_claim_of_many_of_another_shape) {
  emq_reply good = ARRAY(STRING("JOB0KHTOWnGLuC"), STRING("x"), INTEGER(1));
  REFUSED(BCLAIM, "nil", NIL);
  REFUSED(BCLAIM, "the integer 0", INTEGER(0));
  REFUSED(BCLAIM, "the string", ARRAY(good, STRING("JOB0KHTOWnGLuC")));
  REFUSED(BCLAIM, "an array of 2", ARRAY(good, ARRAY(STRING("a"), STRING("x"))));
  REFUSED(BCLAIM, "an array of 0", ARRAY(EMPTY));
  REFUSED(BCLAIM, "an array of 3", ARRAY(good, good, good)); /* two were asked for */
  REFUSED(BCLAIM, "element 0 is nil", ARRAY(good, ARRAY(NIL, STRING("x"), INTEGER(1))));
  REFUSED(BCLAIM, "element 2 is the string", ARRAY(ARRAY(STRING("a"), NIL, STRING("1"))));
  REFUSED(BCLAIM, "element 1 is the error",
          ARRAY(ARRAY(STRING("a"), ERROR("ERR x"), INTEGER(1)), good));
}

Test(replies, retried) {
  cr_assert_eq(READ(RETRY, STRING("scheduled")).outcome, EMQ_OUTCOME_SCHEDULED);
  cr_assert_eq(READ(RETRY, STRING("dead")).outcome, EMQ_OUTCOME_DEAD);
  cr_assert_eq(READ(RETRY_CHILD, STATUS("dead")).outcome, EMQ_OUTCOME_DEAD);
  cr_assert_eq(READ(RETRY_FOREIGN_CHILD, STRING("scheduled")).outcome, EMQ_OUTCOME_SCHEDULED);
  REFUSED(RETRY, "the string \"pending\"", STRING("pending"));
  REFUSED(RETRY, "\"dead\\x00\"", STRING("dead\0"));
  REFUSED(RETRY, "the string \"\"", STRING(""));
  REFUSED(RETRY, "the integer 1", INTEGER(1));
  REFUSED(RETRY, "nil", NIL);
}

Test(replies, a_retry_to_be_asked_again) {
  emq_result result = READ(RETRY, ARRAY(STRING("JOB0NgWEfAEJfs"), NIL, NIL));
  cr_assert_eq(result.outcome, EMQ_OUTCOME_NONE);
  same_bytes(result.parent, "JOB0NgWEfAEJfs", 14);
  cr_assert_null(result.parent_queue.ptr);
  cr_assert_null(result.policy.ptr);
  result = READ(RETRY, ARRAY(STRING("p"), STRING("mails"), STRING("id")));
  same_bytes(result.parent_queue, "mails", 5);
  same_bytes(result.policy, "id", 2);
  result = READ(RETRY, ARRAY(STRING("p"), NIL, STRING("")));
  cr_assert_null(result.parent_queue.ptr);
  same_bytes(result.policy, "", 0);
  REFUSED(RETRY, "an array of 2", ARRAY(STRING("p"), NIL));
  REFUSED(RETRY, "an array of 0", EMPTY);
  REFUSED(RETRY, "an array of 4", ARRAY(STRING("p"), NIL, NIL, NIL));
  REFUSED(RETRY, "element 0 is nil", ARRAY(NIL, NIL, NIL));
  REFUSED(RETRY, "element 2 is the integer 1", ARRAY(STRING("p"), NIL, INTEGER(1)));
}

/* These say with an error that a job is gone; for a client it is an outcome. */
Test(replies, gone_said_with_an_error) {
  static const emq_transition each[] = {EMQ_T_RETRY, EMQ_T_RETRY_CHILD, EMQ_T_RETRY_FOREIGN_CHILD,
                                        EMQ_T_DELAY};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    emq_reply gone = ERROR("EMQSTALE job gone"), told = ERROR("EMQSTALE job gone script: 1"),
              not_gone = ERROR("EMQSTALE job going");
    emq_result result;
    cr_assert_eq(read_ok(each[i], &ARGS, gone).outcome, EMQ_OUTCOME_GONE);
    cr_assert_eq(read_ok(each[i], &ARGS, told).outcome, EMQ_OUTCOME_GONE);
    cr_assert_eq(emq_result_read(&result, each[i], &ARGS, &not_gone, NULL), EMQ_ERR_STALE);
  }
  emq_reply gone = ERROR("EMQSTALE job gone");
  emq_result result;
  cr_assert_eq(emq_result_read(&result, EMQ_T_COMPLETE, &ARGS, &gone, NULL), EMQ_ERR_STALE);
  cr_assert_eq(emq_result_read(&result, EMQ_T_EXTEND_LOCK, &ARGS, &gone, NULL), EMQ_ERR_STALE);
}

Test(replies, done) {
  cr_assert_eq(READ(DELAY, INTEGER(1)).outcome, EMQ_OUTCOME_DONE);
  cr_assert_eq(READ(QUEUE_PAUSE, INTEGER(1)).outcome, EMQ_OUTCOME_DONE);
  cr_assert_eq(READ(QUEUE_RESUME, INTEGER(1)).outcome, EMQ_OUTCOME_DONE);
  REFUSED(DELAY, "the integer 0, expected 1", INTEGER(0));
  REFUSED(QUEUE_PAUSE, "the status \"OK\"", STATUS("OK"));
  REFUSED(QUEUE_RESUME, "nil", NIL);
}

Test(replies, numbers) {
  static const emq_transition each[] = {EMQ_T_PROMOTE,         EMQ_T_REAP,  EMQ_T_DRAIN,
                                        EMQ_T_DRAIN_SCHEDULED, EMQ_T_DEPTH, EMQ_T_ROW_EXISTS};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    cr_assert_eq(read_ok(each[i], &ARGS, (emq_reply)INTEGER(0)).number, 0);
    cr_assert_eq(read_ok(each[i], &ARGS, (emq_reply)INTEGER(INT64_MAX)).number, INT64_MAX);
    refused(each[i], &ARGS, (emq_reply)INTEGER(-1), "the integer -1, expected a number, 0 or more");
    refused(each[i], &ARGS, (emq_reply)STRING("1"), "the string \"1\"");
    refused(each[i], &ARGS, (emq_reply)NIL, "nil");
  }
}

Test(replies, lines_of_a_log) {
  cr_assert_eq(READ(ADD_LOG, INTEGER(-1)).outcome, EMQ_OUTCOME_GONE);
  cr_assert_eq(READ(ADD_LOG, INTEGER(2)).number, 2);
  cr_assert_eq(READ(ADD_LOG, INTEGER(2)).outcome, EMQ_OUTCOME_DONE);
  REFUSED(ADD_LOG, "the integer 0", INTEGER(0));
  REFUSED(ADD_LOG, "the integer -2", INTEGER(-2));
  REFUSED(ADD_LOG, "nil", NIL);
}

Test(replies, more_or_nothing_left) {
  cr_assert_eq(READ(OBLITERATE, INTEGER(0)).number, 0);
  cr_assert_eq(READ(OBLITERATE, INTEGER(1)).number, 1);
  REFUSED(OBLITERATE, "the integer 2, expected 1 or 0", INTEGER(2));
  REFUSED(OBLITERATE, "the status", STATUS("OK"));
}

Test(replies, a_sweep) {
  emq_reply reply = ARRAY(ARRAY(STRING("a"), STRING("b")), EMPTY);
  emq_result result;
  cr_assert_eq(emq_result_read(&result, EMQ_T_SWEEP_STALLED, &ARGS, &reply, NULL), EMQ_OK);
  cr_assert_eq(result.list, &reply);
  READ(SWEEP_STALLED, ARRAY(EMPTY, EMPTY));
  REFUSED(SWEEP_STALLED, "an array of 0", EMPTY);
  REFUSED(SWEEP_STALLED, "an array of 1", ARRAY(EMPTY));
  REFUSED(SWEEP_STALLED, "an array of 3", ARRAY(EMPTY, EMPTY, EMPTY));
  REFUSED(SWEEP_STALLED, "nil", ARRAY(EMPTY, NIL));
  REFUSED(SWEEP_STALLED, "element 1 is the integer 1",
          ARRAY(ARRAY(STRING("a"), INTEGER(1)), EMPTY));
  REFUSED(SWEEP_STALLED, "element 0 is nil", ARRAY(EMPTY, ARRAY(NIL)));
}

Test(replies, texts) {
  static const emq_transition each[] = {EMQ_T_LOGS, EMQ_T_BROWSE, EMQ_T_MEMBERS,
                                        EMQ_T_EXTEND_LOCKS};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    emq_reply reply = ARRAY(STRING("a\0b"), STRING(""));
    emq_result result;
    cr_assert_eq(emq_result_read(&result, each[i], &ARGS, &reply, NULL), EMQ_OK);
    cr_assert_eq(result.list, &reply);
    cr_assert_eq(read_ok(each[i], &ARGS, (emq_reply)EMPTY).outcome, EMQ_OUTCOME_NONE);
    refused(each[i], &ARGS, (emq_reply)NIL, "nil, expected an array of texts");
    refused(each[i], &ARGS, (emq_reply)STRING("a"), "the string \"a\"");
    refused(each[i], &ARGS, (emq_reply)ARRAY(STRING("a"), NIL), "element 1 is nil");
    refused(each[i], &ARGS, (emq_reply)ARRAY(EMPTY), "element 0 is an array of 0");
  }
}

Test(replies, one_text_or_none) {
  same_bytes(READ(DEDUP_READ, STRING("JOB\0")).text, "JOB\0", 4);
  same_bytes(READ(METRIC, STRING("")).text, "", 0);
  cr_assert_null(READ(DEDUP_READ, NIL).text.ptr);
  REFUSED(DEDUP_READ, "the integer 1, expected a text or nil", INTEGER(1));
  REFUSED(METRIC, "an array of 0", EMPTY);
}

Test(replies, a_scan) {
  emq_reply reply = ARRAY(STRING("17"), ARRAY(STRING("emq:{q}:job:x")));
  emq_result result;
  cr_assert_eq(emq_result_read(&result, EMQ_T_SCAN_ROWS, &ARGS, &reply, NULL), EMQ_OK);
  same_bytes(result.text, "17", 2);
  cr_assert_eq(result.list, &reply.elements[1]);
  REFUSED(SCAN_ROWS, "an array of 1", ARRAY(STRING("0")));
  REFUSED(SCAN_ROWS, "an array of 2", ARRAY(INTEGER(0), EMPTY));
  REFUSED(SCAN_ROWS, "nil", ARRAY(STRING("0"), NIL));
  REFUSED(SCAN_ROWS, "element 0 is the integer 1", ARRAY(STRING("0"), ARRAY(INTEGER(1))));
}

Test(replies, places) {
  emq_reply none = ARRAY(NIL, NIL, NIL, NIL, NIL, NIL, NIL, NIL, STRING("none"));
  emq_result result;
  cr_assert_eq(emq_result_read(&result, EMQ_T_INSPECT, &ARGS, &none, NULL), EMQ_OK);
  cr_assert_eq(result.list, &none);
  REFUSED(INSPECT, "an array of 8", ARRAY(NIL, NIL, NIL, NIL, NIL, NIL, NIL, NIL));
  REFUSED(INSPECT, "element 2 is the integer 0",
          ARRAY(NIL, NIL, INTEGER(0), NIL, NIL, NIL, NIL, NIL, STRING("none")));
  REFUSED(INSPECT, "element 8 is the status",
          ARRAY(NIL, NIL, NIL, NIL, NIL, NIL, NIL, NIL, STATUS("none")));
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
