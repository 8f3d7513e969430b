/* SPDX-License-Identifier: MIT */
/* Arguments: what is refused before anything is sent, and with what words. */
#include "arguments.h"

static void refused(emq_transition transition, const emq_args *args, const char *message) {
  for (int executor = EMQ_EXECUTOR_SCRIPTED; executor <= EMQ_EXECUTOR_NATIVE; executor++) {
    emq_request *request = malloc(sizeof *request);
    emq_error error = EMQ_ERROR_INIT;
    cr_assert_eq(emq_request_build(request, transition, (emq_executor)executor, args, &error),
                 EMQ_ERR_INVALID_ARGUMENT, "%s is not refused: %s",
                 emq_transition_row_of(transition)->name, message);
    cr_assert_str_eq(error.message, message);
    cr_assert_eq(request->count, 0);
    free(request);
  }
}

#define REFUSED(TRANSITION, change, message)                                                       \
  do {                                                                                             \
    emq_args args = ALL;                                                                           \
    change;                                                                                        \
    refused(EMQ_T_##TRANSITION, &args, message);                                                   \
  } while (0)

Test(arguments, a_bad_queue_is_refused_by_every_transition) {
  for (int i = 0; i < EMQ_TRANSITIONS; i++) {
    emq_args args = ALL;
    args.queue = (emq_bytes)B("a}b");
    refused((emq_transition)i, &args, "queue name has a brace at byte 1");
    args.queue = (emq_bytes){NULL, 0};
    refused((emq_transition)i, &args, "queue name is empty");
  }
}

Test(arguments, bad_arguments_are_refused_before_anything_is_sent) {
  REFUSED(ENQUEUE, args.id.len = 13, "job id has 13 bytes, 14 expected");
  REFUSED(ENQUEUE, args.id.ptr = NULL, "job id is missing: 14 bytes expected");
  REFUSED(ENQUEUE, args.id.ptr = "JOB0K-TOWnGLuC", "job id: byte 5 (0x2d) is not a base62 digit");
  REFUSED(ENQUEUE, args.payload.ptr = NULL, "payload is missing");
  REFUSED(ENQUEUE, args.payload.len = EMQ_PAYLOAD_MAX + 1,
          "payload has 536870913 bytes, at most 536870912 are allowed");
  REFUSED(CLAIM, args.lease_ms = 0, "lease is 0 ms, 1 to 31536000000 are allowed");
  REFUSED(CLAIM, args.lease_ms = -5, "lease is -5 ms, 1 to 31536000000 are allowed");
  REFUSED(CLAIM, args.lease_ms = EMQ_LEASE_MAX_MS + 1,
          "lease is 31536000001 ms, 1 to 31536000000 are allowed");
  REFUSED(COMPLETE, args.token = 0, "token 0 is of no claim: tokens start at 1");
  REFUSED(COMPLETE, args.token = INT64_MIN,
          "token -9223372036854775808 is of no claim: tokens start at 1");
  REFUSED(COMPLETE, args.id.ptr = "JOBzzzzzzzzzzz", "job id JOBzzzzzzzzzzz is above 2^63-1");
  REFUSED(COMPLETE_CHILD, args.parent.len = 0, "parent id has 0 bytes, 14 expected");
  REFUSED(COMPLETE_CHILD, args.parent.ptr = "JOB0NgWEfAEJf ",
          "parent id: byte 13 (0x20) is not a base62 digit");
  REFUSED(COMPLETE_CHILD, args.result.len = EMQ_PAYLOAD_MAX + 1,
          "result has 536870913 bytes, at most 536870912 are allowed");
  REFUSED(COMPLETE_FOREIGN_CHILD, args.parent.ptr = NULL,
          "parent id is missing: 14 bytes expected");
  REFUSED(COMPLETE_FOREIGN_CHILD, args.parent_queue.len = 0, "parent queue name is empty");
  REFUSED(COMPLETE_FOREIGN_CHILD, args.parent_queue.ptr = NULL, "parent queue name is empty");
  REFUSED(COMPLETE_FOREIGN_CHILD, args.parent_queue.ptr = "ab\0def",
          "parent queue name has a NUL at byte 2");
  REFUSED(COMPLETE_FOREIGN_CHILD, args.parent_queue.len = EMQ_PAYLOAD_MAX + 1,
          "parent queue name has 536870913 bytes, at most 536870912 are allowed");
  REFUSED(REMOVE_JOB, args.dedup.len = 513, "dedup id has 513 bytes, at most 512 are allowed");
  REFUSED(COUNTS, args.counted = 0, "no count is asked for");
  REFUSED(COUNTS, args.counted = 0x41, "counts 0x41 are asked for, there are 0x3f");
  REFUSED(STATE_LOOKUP, args.id.len = 15, "job id has 15 bytes, 14 expected");
  REFUSED(ROW, args.id.ptr = "job0KHTOWnGLuC",
          "job id: byte 0 (0x6a) is not a letter A-Z of a namespace");
}

#define OUTSIDE(TRANSITION, field, what, min, max, unit)                                           \
  do {                                                                                             \
    char message[128];                                                                             \
    const int64_t outside[] = {(min)-1, (max) + 1, INT64_MIN, INT64_MAX};                          \
    for (size_t i = 0; i < 4; i++) {                                                               \
      snprintf(message, sizeof message, "%s is %lld%s, %lld to %lld are allowed", what,            \
               (long long)outside[i], unit, (long long)(min), (long long)(max));                   \
      REFUSED(TRANSITION, args.field = outside[i], message);                                       \
    }                                                                                              \
    emq_args args = ALL;                                                                           \
    args.field = (min);                                                                            \
    free(built(EMQ_T_##TRANSITION, EMQ_EXECUTOR_SCRIPTED, &args));                                 \
    args.field = (max);                                                                            \
    free(built(EMQ_T_##TRANSITION, EMQ_EXECUTOR_NATIVE, &args));                                   \
  } while (0)

Test(arguments, numbers_outside_their_bounds_are_refused) {
  OUTSIDE(BCLAIM, lease_ms, "lease", 1, EMQ_LEASE_MAX_MS, " ms");
  OUTSIDE(BCLAIM, size, "size", 1, EMQ_CLAIM_MAX, "");
  OUTSIDE(EXTEND_LOCK, lease_ms, "lease", 1, EMQ_LEASE_MAX_MS, " ms");
  OUTSIDE(EXTEND_LOCKS, lease_ms, "lease", 1, EMQ_LEASE_MAX_MS, " ms");
  OUTSIDE(RETRY, delay_ms, "delay", 0, EMQ_DELAY_MAX_MS, " ms");
  OUTSIDE(RETRY, max, "maximum", 1, EMQ_NUMBER_MAX, "");
  OUTSIDE(RETRY_CHILD, max, "maximum", 1, EMQ_NUMBER_MAX, "");
  OUTSIDE(RETRY_FOREIGN_CHILD, delay_ms, "delay", 0, EMQ_DELAY_MAX_MS, " ms");
  OUTSIDE(PROMOTE, limit, "limit", 1, EMQ_LIMIT_MAX, "");
  OUTSIDE(SWEEP_STALLED, max, "maximum", 1, EMQ_NUMBER_MAX, "");
  OUTSIDE(SWEEP_STALLED, limit, "limit", 1, EMQ_LIMIT_MAX, "");
  OUTSIDE(BROWSE, limit, "limit", 1, EMQ_LIMIT_MAX, "");
  OUTSIDE(OBLITERATE, budget, "budget", 1, EMQ_LIMIT_MAX, "");
  OUTSIDE(SCHEDULE, due_ms, "time", 0, EMQ_TIME_MAX_MS, " ms since 1970");
  OUTSIDE(DELAY, due_ms, "time", 0, EMQ_TIME_MAX_MS, " ms since 1970");
  REFUSED(ADD_LOG, args.keep = -1, "keep is -1, 1 to 1000000 are allowed");
  REFUSED(ADD_LOG, args.keep = 1000001, "keep is 1000001, 1 to 1000000 are allowed");
  for (int i = 0; i < 2; i++) {
    emq_transition transition = i ? EMQ_T_DELAY : EMQ_T_SCHEDULE;
    emq_args args = ALL;
    args.when = EMQ_IN;
    args.due_ms = -1;
    refused(transition, &args, "delay is -1 ms, 0 to 31536000000 are allowed");
    args.due_ms = EMQ_DELAY_MAX_MS + 1;
    refused(transition, &args, "delay is 31536000001 ms, 0 to 31536000000 are allowed");
    args.when = (emq_when)2;
    args.due_ms = 0;
    refused(transition, &args, "2 is no way to give a time");
  }
}

Test(arguments, texts_that_are_missing_or_too_long_are_refused) {
  REFUSED(SCHEDULE, args.payload.ptr = NULL, "payload is missing");
  REFUSED(UPDATE_DATA, args.payload.ptr = NULL, "payload is missing");
  REFUSED(UPDATE_DATA, args.payload.len = EMQ_PAYLOAD_MAX + 1,
          "payload has 536870913 bytes, at most 536870912 are allowed");
  REFUSED(RETRY, args.reason.ptr = NULL, "reason is missing");
  REFUSED(RETRY, args.reason.len = 4097, "reason has 4097 bytes, at most 4096 are allowed");
  REFUSED(UPDATE_PROGRESS, args.progress.ptr = NULL, "progress is missing");
  REFUSED(UPDATE_PROGRESS, args.progress.len = 1048577,
          "progress has 1048577 bytes, at most 1048576 are allowed");
  REFUSED(ADD_LOG, args.line.ptr = NULL, "log line is missing");
  REFUSED(ADD_LOG, args.line.len = 1048577,
          "log line has 1048577 bytes, at most 1048576 are allowed");
  REFUSED(DEDUP_READ, args.dedup.len = 513, "dedup id has 513 bytes, at most 512 are allowed");
  REFUSED(INSPECT, args.id.ptr = NULL, "id is missing");
  REFUSED(SCAN_ROWS, args.cursor.ptr = NULL, "cursor is missing");
  REFUSED(SCAN_ROWS, args.cursor.len = 21, "cursor has 21 bytes, at most 20 are allowed");
}

Test(arguments, ids_and_tokens_of_the_new_transitions_are_checked) {
  static const emq_transition of_a_job[] = {
      EMQ_T_SCHEDULE, EMQ_T_RETRY,       EMQ_T_RETRY_CHILD,  EMQ_T_RETRY_FOREIGN_CHILD,
      EMQ_T_DELAY,    EMQ_T_EXTEND_LOCK, EMQ_T_UPDATE_DATA,  EMQ_T_UPDATE_PROGRESS,
      EMQ_T_ADD_LOG,  EMQ_T_REMOVE_JOB,  EMQ_T_REPROCESS,    EMQ_T_ROW_EXISTS,
      EMQ_T_LOGS,     EMQ_T_ROW,         EMQ_T_STATE_LOOKUP,
  };
  for (size_t i = 0; i < sizeof of_a_job / sizeof *of_a_job; i++) {
    emq_args args = ALL;
    args.id.len = 13;
    refused(of_a_job[i], &args, "job id has 13 bytes, 14 expected");
    args.id.ptr = NULL;
    refused(of_a_job[i], &args, "job id is missing: 14 bytes expected");
  }
  static const emq_transition of_a_holder[] = {
      EMQ_T_RETRY, EMQ_T_RETRY_CHILD, EMQ_T_RETRY_FOREIGN_CHILD, EMQ_T_DELAY, EMQ_T_EXTEND_LOCK};
  for (size_t i = 0; i < sizeof of_a_holder / sizeof *of_a_holder; i++) {
    emq_args args = ALL;
    args.token = 0;
    refused(of_a_holder[i], &args, "token 0 is of no claim: tokens start at 1");
  }
  REFUSED(RETRY_CHILD, args.parent.len = 3, "parent id has 3 bytes, 14 expected");
  REFUSED(RETRY_FOREIGN_CHILD, args.parent.len = 3, "parent id has 3 bytes, 14 expected");
  REFUSED(RETRY_FOREIGN_CHILD, args.parent_queue.len = 0, "parent queue name is empty");
  REFUSED(RETRY_FOREIGN_CHILD, args.parent_queue.ptr = "a\0bcde",
          "parent queue name has a NUL at byte 1");
}

Test(arguments, holds_are_checked_one_by_one) {
  REFUSED(EXTEND_LOCKS, args.hold_count = 0, "0 jobs are given, 1 to 64 are allowed");
  REFUSED(EXTEND_LOCKS, args.hold_count = 65, "65 jobs are given, 1 to 64 are allowed");
  emq_hold holds[] = {{B(ID), 1}, {B(PARENT), 0}};
  REFUSED(EXTEND_LOCKS, args.holds = holds, "token 0 is of no claim: tokens start at 1");
  holds[0].id.len = 12;
  REFUSED(EXTEND_LOCKS, args.holds = holds, "job id has 12 bytes, 14 expected");
}

Test(arguments, sets_and_totals_that_are_none_are_refused) {
  REFUSED(BROWSE, args.state = EMQ_STATE_ABSENT, "state is 0, 1 to 4 are allowed");
  REFUSED(BROWSE, args.state = EMQ_STATE_AWAITING_CHILDREN, "state is 5, 1 to 4 are allowed");
  REFUSED(MEMBERS, args.state = (emq_state)7, "state is 7, 1 to 4 are allowed");
  REFUSED(METRIC, args.metric = EMQ_COUNT_DEAD, "total is 3, 4 to 5 are allowed");
  REFUSED(METRIC, args.metric = (emq_count)6, "total is 6, 4 to 5 are allowed");
}

Test(arguments, an_argument_that_is_not_used_is_not_checked) {
  emq_args args = {.queue = B("orders"), .lease_ms = 1};
  free(built(EMQ_T_CLAIM, EMQ_EXECUTOR_SCRIPTED, &args));
  args = (emq_args){.queue = B("orders"), .id = B(ID), .payload = B(""), .dedup = {"", SIZE_MAX}};
  free(built(EMQ_T_ENQUEUE, EMQ_EXECUTOR_SCRIPTED, &args));
  args = (emq_args){.queue = B("orders"), .id = B(ID), .result = {"", SIZE_MAX}, .token = -1};
  free(built(EMQ_T_REMOVE_JOB, EMQ_EXECUTOR_SCRIPTED, &args));
  args = (emq_args){
      .queue = B("orders"), .id = B(ID), .parent = B(PARENT), .token = 1, .dedup = {"", SIZE_MAX}};
  free(built(EMQ_T_COMPLETE_CHILD, EMQ_EXECUTOR_SCRIPTED, &args));
}

Test(arguments, an_executor_must_be_chosen_and_the_transition_exist) {
  emq_request *request = malloc(sizeof *request);
  emq_error error = EMQ_ERROR_INIT;
  cr_assert_eq(emq_request_build(request, EMQ_T_CLAIM, EMQ_EXECUTOR_AUTO, &ALL, &error),
               EMQ_ERR_INVALID_ARGUMENT);
  cr_assert_str_eq(error.message, "executor 0 runs no transition");
  cr_assert_eq(emq_request_build(request, EMQ_TRANSITIONS, EMQ_EXECUTOR_SCRIPTED, &ALL, &error),
               EMQ_ERR_INVALID_ARGUMENT);
  free(request);
}
