/* SPDX-License-Identifier: MIT */
/* Requests: the exact parts of every transition on both executors, and what is refused. */
#include <stdio.h>
#include <stdlib.h>

#include "guard.h"
#include "wire/request.h"

#define B(text)                                                                                    \
  { text, sizeof(text) - 1 }
#define ID "JOB0KHTOWnGLuC"
#define PARENT "JOB0NgWEfAEJfs"
#define P "emq:{orders}:"
#define ROW_KEY P "job:" ID
#define PARENT_KEY P "job:" PARENT
#define PAYLOAD "a\0b\r\n\xff%s"
#define RESULT "r\0s"
/* The digest of a script, looked up by the name that follows the mark. */
#define SHA "sha1 of "

static const emq_args ALL = {
    .queue = B("orders"),
    .id = B(ID),
    .payload = B(PAYLOAD),
    .token = 7,
    .lease_ms = 30000,
    .parent = B(PARENT),
    .parent_queue = B("mails}"),
    .result = B(RESULT),
    .dedup = B("d 1"),
    .counted = EMQ_COUNTS_ALL,
};

/* ---- what each request is, part by part; a list ends at {NULL, 0} ---- */

typedef struct expected {
  emq_bytes scripted[EMQ_REQUEST_PARTS];
  emq_bytes native[EMQ_REQUEST_PARTS]; /* empty: as scripted */
} expected;

/* clang-format off */
static const expected EXPECTED[EMQ_TRANSITIONS] = {
  [EMQ_T_ENQUEUE] = {
    {B("EVALSHA"), B(SHA "enqueue"), B("2"), B(ROW_KEY), B(P "pending"), B(ID), B(PAYLOAD)},
    {B("EMQ.ENQUEUE"), B(ROW_KEY), B(P "pending"), B(ID), B(PAYLOAD)}},
  [EMQ_T_CLAIM] = {
    {B("EVALSHA"), B(SHA "claim"), B("3"), B(P "pending"), B(P "active"), B(P "meta"),
     B(P "job:"), B("30000")},
    {B("EMQ.CLAIM"), B(P "pending"), B(P "active"), B(P "job:"), B("30000")}},
  [EMQ_T_COMPLETE] = {
    {B("EVALSHA"), B(SHA "complete"), B("2"), B(P "active"), B(ROW_KEY), B(ID), B("7"), B(P)},
    {B("EMQ.COMPLETE"), B(P "active"), B(ROW_KEY), B(ID), B("7"), B(P)}},
  [EMQ_T_COMPLETE_CHILD] = {
    {B("EVALSHA"), B(SHA "complete"), B("5"), B(P "active"), B(ROW_KEY),
     B(PARENT_KEY ":dependencies"), B(PARENT_KEY ":processed"), B(PARENT_KEY), B(ID), B("7"), B(P),
     B(PARENT), B(RESULT)},
    {B("EMQ.COMPLETE"), B(P "active"), B(ROW_KEY), B(PARENT_KEY ":dependencies"),
     B(PARENT_KEY ":processed"), B(PARENT_KEY), B(ID), B("7"), B(P), B(PARENT), B(RESULT)}},
  [EMQ_T_COMPLETE_FOREIGN_CHILD] = {
    {B("EVALSHA"), B(SHA "complete"), B("3"), B(P "active"), B(ROW_KEY), B(P "flow:outbox"), B(ID),
     B("7"), B(P), B(PARENT), B(RESULT), B("xq"), B("mails}")},
    {B("EMQ.COMPLETE"), B(P "active"), B(ROW_KEY), B(P "flow:outbox"), B(ID), B("7"), B(P),
     B(PARENT), B(RESULT), B("xq"), B("mails}")}},
  [EMQ_T_REMOVE_JOB] = {
    {B("EVALSHA"), B(SHA "remove_job"), B("6"), B(ROW_KEY), B(P "pending"), B(P "active"),
     B(P "schedule"), B(P "dead"), B(P "de:d 1"), B(ID), B("d 1")}, {{NULL, 0}}},
  [EMQ_T_COUNTS] = {
    {B("EVALSHA"), B(SHA "counts"), B("5"), B(P), B(P "pending"), B(P "active"), B(P "schedule"),
     B(P "dead"), B("completed"), B("failed")}, {{NULL, 0}}},
  [EMQ_T_STATE_LOOKUP] = {
    {B("EVALSHA"), B(SHA "state_lookup"), B("5"), B(P "pending"), B(P "active"), B(P "schedule"),
     B(P "dead"), B(ROW_KEY), B(ID)}, {{NULL, 0}}},
  [EMQ_T_ROW] = {{B("HGETALL"), B(ROW_KEY)}, {{NULL, 0}}},
};
/* clang-format on */

static emq_bytes digest_of(const char *script) {
  for (size_t i = 0; i < emq_script_count; i++)
    if (strcmp(emq_scripts[i].name, script) == 0)
      return (emq_bytes){emq_scripts[i].sha1, 40};
  cr_assert_fail("no script %s is embedded", script);
  return (emq_bytes){NULL, 0};
}

static void same_part(const char *name, size_t index, const emq_request *request,
                      emq_bytes wanted) {
  cr_assert_lt(index, request->count, "%s has %zu parts", name, request->count);
  cr_assert_eq(request->lengths[index], wanted.len, "%s, part %zu: %.*s", name, index,
               (int)request->lengths[index], request->parts[index]);
  cr_assert_eq(memcmp(request->parts[index], wanted.ptr, wanted.len), 0, "%s, part %zu: %.*s", name,
               index, (int)request->lengths[index], request->parts[index]);
}

static void same_parts(const char *name, const emq_request *request, const emq_bytes *wanted) {
  size_t count = 0;
  for (; wanted[count].ptr; count++) {
    bool digest = strncmp(wanted[count].ptr, SHA, strlen(SHA)) == 0;
    same_part(name, count, request,
              digest ? digest_of(wanted[count].ptr + strlen(SHA)) : wanted[count]);
  }
  cr_assert_eq(request->count, count, "%s has %zu parts, not %zu", name, request->count, count);
}

static emq_request *built(emq_transition transition, emq_executor executor, const emq_args *args) {
  emq_request *request = malloc(sizeof *request);
  emq_error error = EMQ_ERROR_INIT;
  cr_assert_eq(emq_request_build(request, transition, executor, args, &error), EMQ_OK, "%s: %s",
               emq_transition_row_of(transition)->name, error.message);
  cr_assert_eq(request->transition, transition);
  return request;
}

Test(requests, every_transition_on_both_executors) {
  for (int i = 0; i < EMQ_TRANSITIONS; i++) {
    const char *name = emq_transition_row_of((emq_transition)i)->name;
    cr_assert_not_null(EXPECTED[i].scripted[0].ptr, "no bytes are expected of %s", name);
    emq_request *request = built((emq_transition)i, EMQ_EXECUTOR_SCRIPTED, &ALL);
    same_parts(name, request, EXPECTED[i].scripted);
    free(request);
    bool own = EXPECTED[i].native[0].ptr != NULL;
    request = built((emq_transition)i, EMQ_EXECUTOR_NATIVE, &ALL);
    same_parts(name, request, own ? EXPECTED[i].native : EXPECTED[i].scripted);
    free(request);
  }
}

Test(requests, keys_are_declared_in_full_and_share_a_slot) {
  for (int i = 0; i < EMQ_TRANSITIONS; i++) {
    const emq_transition_row *row = emq_transition_row_of((emq_transition)i);
    emq_request *request = built((emq_transition)i, EMQ_EXECUTOR_SCRIPTED, &ALL);
    size_t first = row->script ? 3 : 1;
    size_t keys = row->script ? (size_t)(request->parts[2][0] - '0') : 1; /* one digit */
    cr_assert(!row->script || request->lengths[2] == 1);
    cr_assert_leq(first + keys, request->count, "%s", row->name);
    for (size_t part = first; part < first + keys; part++) {
      cr_assert_eq(strncmp(request->parts[part], P, strlen(P)), 0, "%s", row->name);
      cr_assert_eq(emq_slot(request->parts[part], request->lengths[part]), emq_slot(P, strlen(P)));
    }
    free(request);
  }
}

/* ---- arguments that may be absent ---- */

Test(requests, without_a_result_the_id_is_the_result) {
  emq_args args = ALL;
  args.result = (emq_bytes){NULL, 0};
  emq_request *request = built(EMQ_T_COMPLETE_CHILD, EMQ_EXECUTOR_SCRIPTED, &args);
  same_part("complete_child", 12, request, (emq_bytes)B(ID));
  free(request);

  args.result = (emq_bytes){"", 0}; /* an empty result is a result */
  request = built(EMQ_T_COMPLETE_CHILD, EMQ_EXECUTOR_SCRIPTED, &args);
  same_part("complete_child", 12, request, (emq_bytes)B(""));
  free(request);
}

Test(requests, without_a_dedup_id_key_and_argument_are_empty) {
  emq_args args = ALL;
  args.dedup = (emq_bytes){NULL, 0};
  emq_request *request = built(EMQ_T_REMOVE_JOB, EMQ_EXECUTOR_SCRIPTED, &args);
  same_part("remove_job", 8, request, (emq_bytes)B(P "de:"));
  same_part("remove_job", 10, request, (emq_bytes)B(""));
  cr_assert_not_null(request->parts[10]);
  free(request);
}

Test(requests, an_empty_payload_is_a_payload) {
  emq_args args = ALL;
  args.payload = (emq_bytes){"", 0};
  emq_request *request = built(EMQ_T_ENQUEUE, EMQ_EXECUTOR_SCRIPTED, &args);
  same_part("enqueue", 6, request, (emq_bytes)B(""));
  free(request);
}

Test(requests, counts_declare_what_is_asked_for) {
  for (unsigned counted = 1; counted <= EMQ_COUNTS_ALL; counted++) {
    emq_args args = ALL;
    args.counted = counted;
    emq_bytes wanted[EMQ_REQUEST_PARTS] = {B("EVALSHA"), B(SHA "counts"), {NULL, 0}, B(P)};
    char keys[EMQ_COUNTS][64], numkeys[] = "1";
    size_t count = 4;
    for (int i = 0; i < EMQ_COUNTS; i++) {
      if (!(counted & 1u << i))
        continue;
      const char *name = emq_count_name((emq_count)i);
      bool total = i == EMQ_COUNT_COMPLETED || i == EMQ_COUNT_FAILED;
      snprintf(keys[i], sizeof keys[i], "%s%s", total ? "" : P, name);
      wanted[count++] = (emq_bytes){keys[i], strlen(keys[i])};
      numkeys[0] = (char)(numkeys[0] + !total);
    }
    wanted[2] = (emq_bytes){numkeys, 1};
    emq_request *request = built(EMQ_T_COUNTS, EMQ_EXECUTOR_SCRIPTED, &args);
    same_parts("counts", request, wanted);
    free(request);
  }
}

Test(requests, numbers_are_plain_decimal_text) {
  emq_args args = ALL;
  args.token = INT64_MAX;
  args.lease_ms = EMQ_LEASE_MAX_MS;
  emq_request *request = built(EMQ_T_COMPLETE, EMQ_EXECUTOR_NATIVE, &args);
  same_part("complete", 4, request, (emq_bytes)B("9223372036854775807"));
  free(request);
  request = built(EMQ_T_CLAIM, EMQ_EXECUTOR_NATIVE, &args);
  same_part("claim", 4, request, (emq_bytes)B("31536000000"));
  free(request);
}

Test(requests, an_id_of_another_kind_is_the_transitions_to_refuse) {
  emq_args args = ALL;
  args.id = (emq_bytes)B("USR0KHTOWnGLuC");
  emq_request *request = built(EMQ_T_ENQUEUE, EMQ_EXECUTOR_NATIVE, &args);
  same_part("enqueue", 1, request, (emq_bytes)B(P "job:USR0KHTOWnGLuC"));
  free(request);
}

/* ---- bounds ---- */

Test(requests, the_longest_arguments_fit) {
  static char queue[EMQ_QUEUE_NAME_MAX], dedup[512];
  memset(queue, 'q', sizeof queue);
  memset(dedup, 'd', sizeof dedup);
  emq_args args = ALL;
  args.queue = (emq_bytes){queue, sizeof queue};
  args.dedup = (emq_bytes){dedup, sizeof dedup};
  args.token = INT64_MAX;
  args.payload.len = EMQ_PAYLOAD_MAX; /* pointed at, never read */
  args.result.len = EMQ_PAYLOAD_MAX;
  for (int i = 0; i < EMQ_TRANSITIONS; i++) {
    for (int executor = EMQ_EXECUTOR_SCRIPTED; executor <= EMQ_EXECUTOR_NATIVE; executor++) {
      emq_request *request = built((emq_transition)i, (emq_executor)executor, &args);
      cr_assert_leq(request->used, sizeof request->text);
      free(request);
    }
  }
}

Test(requests, arguments_are_read_to_their_end_and_no_further) {
  guarded queue = guard("orders", 6), id = guard(ID, 14), parent = guard(PARENT, 14),
          parent_queue = guard("mails}", 6), dedup = guard("d 1", 3);
  emq_args args = ALL;
  args.queue.ptr = queue.ptr;
  args.id.ptr = id.ptr;
  args.parent.ptr = parent.ptr;
  args.parent_queue.ptr = parent_queue.ptr;
  args.dedup.ptr = dedup.ptr;
  for (int i = 0; i < EMQ_TRANSITIONS; i++) {
    emq_request *request = built((emq_transition)i, EMQ_EXECUTOR_SCRIPTED, &args);
    same_parts(emq_transition_row_of((emq_transition)i)->name, request, EXPECTED[i].scripted);
    free(request);
  }
  unguard(&queue), unguard(&id), unguard(&parent), unguard(&parent_queue), unguard(&dedup);
}

/* ---- refusals ---- */

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

Test(requests, a_bad_queue_is_refused_by_every_transition) {
  for (int i = 0; i < EMQ_TRANSITIONS; i++) {
    emq_args args = ALL;
    args.queue = (emq_bytes)B("a}b");
    refused((emq_transition)i, &args, "queue name has a brace at byte 1");
    args.queue = (emq_bytes){NULL, 0};
    refused((emq_transition)i, &args, "queue name is empty");
  }
}

Test(requests, bad_arguments_are_refused_before_anything_is_sent) {
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

Test(requests, an_argument_that_is_not_used_is_not_checked) {
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

Test(requests, an_executor_must_be_chosen_and_the_transition_exist) {
  emq_request *request = malloc(sizeof *request);
  emq_error error = EMQ_ERROR_INIT;
  cr_assert_eq(emq_request_build(request, EMQ_T_CLAIM, EMQ_EXECUTOR_AUTO, &ALL, &error),
               EMQ_ERR_INVALID_ARGUMENT);
  cr_assert_str_eq(error.message, "executor 0 runs no transition");
  cr_assert_eq(emq_request_build(request, EMQ_TRANSITIONS, EMQ_EXECUTOR_SCRIPTED, &ALL, &error),
               EMQ_ERR_INVALID_ARGUMENT);
  free(request);
}
