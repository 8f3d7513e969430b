/* SPDX-License-Identifier: MIT */
/* Requests: the exact parts of every transition on both executors. */
#include "arguments.h"

/* The digest of a script, looked up by the name that follows the mark. */
#define SHA "sha1 of "

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
  [EMQ_T_SCHEDULE] = {
    {B("EVALSHA"), B(SHA "schedule"), B("2"), B(ROW_KEY), B(P "schedule"), B(ID), B(PAYLOAD),
     B("at"), B("1767225600000")},
    {B("EMQ.SCHEDULE"), B(ROW_KEY), B(P "schedule"), B(ID), B(PAYLOAD), B("at"),
     B("1767225600000")}},
  [EMQ_T_BCLAIM] = {
    {B("EVALSHA"), B(SHA "bclaim"), B("3"), B(P "pending"), B(P "active"), B(P "meta"),
     B(P "job:"), B("30000"), B("8")},
    {B("EMQ.BCLAIM"), B(P "pending"), B(P "active"), B(P "job:"), B("30000"), B("8")}},
  [EMQ_T_RETRY] = {
    {B("EVALSHA"), B(SHA "retry"), B("4"), B(P "active"), B(P "schedule"), B(P "dead"), B(ROW_KEY),
     B(ID), B("7"), B("1500"), B("20"), B(REASON), B(P)},
    {B("EMQ.FAIL"), B(P "active"), B(P "schedule"), B(P "dead"), B(ROW_KEY), B(ID), B("7"),
     B("1500"), B("20"), B(REASON), B(P)}},
  [EMQ_T_RETRY_CHILD] = {
    {B("EVALSHA"), B(SHA "retry"), B("8"), B(P "active"), B(P "schedule"), B(P "dead"), B(ROW_KEY),
     B(PARENT_KEY ":failed"), B(PARENT_KEY ":unsuccessful"), B(PARENT_KEY ":dependencies"),
     B(PARENT_KEY), B(ID), B("7"), B("1500"), B("20"), B(REASON), B(P), B("sq:id"), B(PARENT)},
    {B("EMQ.FAIL"), B(P "active"), B(P "schedule"), B(P "dead"), B(ROW_KEY),
     B(PARENT_KEY ":failed"), B(PARENT_KEY ":unsuccessful"), B(PARENT_KEY ":dependencies"),
     B(PARENT_KEY), B(ID), B("7"), B("1500"), B("20"), B(REASON), B(P), B("sq:id"), B(PARENT)}},
  [EMQ_T_RETRY_FOREIGN_CHILD] = {
    {B("EVALSHA"), B(SHA "retry"), B("5"), B(P "active"), B(P "schedule"), B(P "dead"), B(ROW_KEY),
     B(P "flow:outbox"), B(ID), B("7"), B("1500"), B("20"), B(REASON), B(P), B("xq:id"),
     B("mails}"), B(PARENT)},
    {B("EMQ.FAIL"), B(P "active"), B(P "schedule"), B(P "dead"), B(ROW_KEY), B(P "flow:outbox"),
     B(ID), B("7"), B("1500"), B("20"), B(REASON), B(P), B("xq:id"), B("mails}"), B(PARENT)}},
  [EMQ_T_DELAY] = {
    {B("EVALSHA"), B(SHA "delay"), B("3"), B(ROW_KEY), B(P "active"), B(P "schedule"), B(ID),
     B("7"), B("at"), B("1767225600000")},
    {B("EMQ.DELAY"), B(ROW_KEY), B(P "active"), B(P "schedule"), B(ID), B("7"), B("at"),
     B("1767225600000")}},
  [EMQ_T_EXTEND_LOCK] = {
    {B("EVALSHA"), B(SHA "extend_lock"), B("2"), B(P "active"), B(ROW_KEY), B(ID), B("7"),
     B("30000")},
    {B("EMQ.EXTEND"), B(P "active"), B(ROW_KEY), B(ID), B("7"), B("30000")}},
  [EMQ_T_EXTEND_LOCKS] = {
    {B("EVALSHA"), B(SHA "extend_locks"), B("1"), B(P "active"), B(P), B("30000"), B(ID), B("7"),
     B(PARENT), B("1")}, {{NULL, 0}}},
  [EMQ_T_PROMOTE] = {
    {B("EVALSHA"), B(SHA "promote"), B("2"), B(P "schedule"), B(P "pending"), B(P), B("100")},
    {B("EMQ.PROMOTE"), B(P "schedule"), B(P "pending"), B(P), B("100")}},
  [EMQ_T_REAP] = {
    {B("EVALSHA"), B(SHA "reap"), B("2"), B(P "active"), B(P "pending"), B(P)},
    {B("EMQ.REAP"), B(P "active"), B(P "pending"), B(P)}},
  [EMQ_T_SWEEP_STALLED] = {
    {B("EVALSHA"), B(SHA "sweep_stalled"), B("3"), B(P "active"), B(P "pending"), B(P "dead"),
     B(P), B("20"), B("100")},
    {B("EMQ.SWEEP"), B(P "active"), B(P "pending"), B(P "dead"), B(P), B("20"), B("100")}},
  [EMQ_T_UPDATE_DATA] = {
    {B("EVALSHA"), B(SHA "update_data"), B("1"), B(ROW_KEY), B(PAYLOAD)}, {{NULL, 0}}},
  [EMQ_T_UPDATE_PROGRESS] = {
    {B("EVALSHA"), B(SHA "update_progress"), B("1"), B(ROW_KEY), B("50%"), B(ID), B(P)},
    {{NULL, 0}}},
  [EMQ_T_ADD_LOG] = {
    {B("EVALSHA"), B(SHA "add_log"), B("2"), B(ROW_KEY), B(ROW_KEY ":logs"), B(LINE), B("3")},
    {{NULL, 0}}},
  [EMQ_T_REPROCESS] = {
    {B("EVALSHA"), B(SHA "reprocess"), B("3"), B(ROW_KEY), B(P "dead"), B(P "pending"), B(ID)},
    {{NULL, 0}}},
  [EMQ_T_QUEUE_PAUSE] = {
    {B("EVALSHA"), B(SHA "queue_pause"), B("1"), B(P "meta")}, {{NULL, 0}}},
  [EMQ_T_QUEUE_RESUME] = {
    {B("EVALSHA"), B(SHA "queue_resume"), B("1"), B(P "meta")}, {{NULL, 0}}},
  [EMQ_T_DRAIN] = {{B("EVALSHA"), B(SHA "drain"), B("2"), B(P), B(P "pending")}, {{NULL, 0}}},
  [EMQ_T_DRAIN_SCHEDULED] = {
    {B("EVALSHA"), B(SHA "drain"), B("3"), B(P), B(P "pending"), B(P "schedule")}, {{NULL, 0}}},
  [EMQ_T_OBLITERATE] = {
    {B("EVALSHA"), B(SHA "obliterate"), B("2"), B(P "meta"), B(P), B("force"), B("1000")},
    {{NULL, 0}}},
  [EMQ_T_INSPECT] = {{B("EVALSHA"), B(SHA "inspect"), B("1"), B(P), B(ID)}, {{NULL, 0}}},
  [EMQ_T_ROW_EXISTS] = {{B("EXISTS"), B(ROW_KEY)}, {{NULL, 0}}},
  [EMQ_T_LOGS] = {{B("LRANGE"), B(ROW_KEY ":logs"), B("1000"), B("-1")}, {{NULL, 0}}},
  [EMQ_T_BROWSE] = {
    {B("ZRANGE"), B(P "schedule"), B("+"), B("-"), B("BYLEX"), B("REV"), B("LIMIT"), B("0"),
     B("100")}, {{NULL, 0}}},
  [EMQ_T_MEMBERS] = {{B("ZRANGE"), B(P "schedule"), B("1000"), B("-1")}, {{NULL, 0}}},
  [EMQ_T_SCAN_ROWS] = {
    {B("SCAN"), B("18446744073709551615"), B("MATCH"), B("emq:{orders}:job:*"), B("COUNT"),
     B("1000")}, {{NULL, 0}}},
  [EMQ_T_DEPTH] = {{B("ZCARD"), B(P "pending")}, {{NULL, 0}}},
  [EMQ_T_DEDUP_READ] = {{B("GET"), B(P "de:d 1")}, {{NULL, 0}}},
  [EMQ_T_METRIC] = {{B("HGET"), B(P "metrics:failed"), B("count")}, {{NULL, 0}}},
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
    size_t keys = row->script ? (size_t)(request->parts[2][0] - '0') /* one digit */
                              : row->keys[0] != EMQ_KEY_NONE;
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

/* One part of a request, as it stands with other arguments. */
#define PART(TRANSITION, change, index, text)                                                      \
  do {                                                                                             \
    emq_args args = ALL;                                                                           \
    change;                                                                                        \
    emq_request *request = built(EMQ_T_##TRANSITION, EMQ_EXECUTOR_SCRIPTED, &args);                \
    same_part(#TRANSITION, index, request, (emq_bytes)B(text));                                    \
    free(request);                                                                                 \
  } while (0)

Test(requests, a_time_is_given_in_one_of_two_ways) {
  PART(SCHEDULE, args.when = EMQ_IN; args.due_ms = 0, 7, "in");
  PART(SCHEDULE, args.when = EMQ_IN; args.due_ms = 0, 8, "0");
  PART(SCHEDULE, args.when = EMQ_IN; args.due_ms = EMQ_DELAY_MAX_MS, 8, "31536000000");
  PART(DELAY, args.when = EMQ_IN; args.due_ms = 40, 8, "in");
  PART(DELAY, args.due_ms = EMQ_TIME_MAX_MS, 8, "at");
  PART(DELAY, args.due_ms = EMQ_TIME_MAX_MS, 9, "253402300799999");
}

Test(requests, a_policy_is_id_or_else_fp) {
  PART(RETRY_CHILD, args.policy = (emq_bytes)B("fp"), 17, "sq:fp");
  PART(RETRY_CHILD, args.policy = (emq_bytes)B(""), 17, "sq:fp");
  PART(RETRY_CHILD, args.policy.ptr = NULL; args.policy.len = 0, 17, "sq:fp");
  PART(RETRY_CHILD, args.policy = (emq_bytes)B("ID"), 17, "sq:fp");
  PART(RETRY_FOREIGN_CHILD, args.policy = (emq_bytes)B("id\0"), 14, "xq:fp");
  PART(RETRY_FOREIGN_CHILD, args.policy.len = 1, 14, "xq:fp");
}

Test(requests, what_is_not_asked_for_is_an_empty_text) {
  PART(ADD_LOG, args.keep = 0, 6, "");
  PART(ADD_LOG, args.line = (emq_bytes)B(""), 5, "");
  PART(OBLITERATE, args.force = false, 5, "");
  PART(RETRY, args.reason = (emq_bytes)B(""), 11, "");
  PART(UPDATE_PROGRESS, args.progress = (emq_bytes)B(""), 4, "");
}

Test(requests, every_state_with_a_set_can_be_browsed) {
  PART(BROWSE, args.state = EMQ_STATE_PENDING, 1, P "pending");
  PART(BROWSE, args.state = EMQ_STATE_ACTIVE, 1, P "active");
  PART(MEMBERS, args.state = EMQ_STATE_SCHEDULED, 1, P "schedule");
  PART(MEMBERS, args.state = EMQ_STATE_DEAD, 1, P "dead");
  PART(METRIC, args.metric = EMQ_COUNT_COMPLETED, 1, P "metrics:completed");
}

Test(requests, a_scan_takes_the_queues_name_literally) {
  PART(SCAN_ROWS, args.queue = (emq_bytes)B("a*b"), 3, "emq:{a\\*b}:job:*");
  PART(SCAN_ROWS, args.queue = (emq_bytes)B("?[^x]\\"), 3, "emq:{\\?\\[\\^x\\]\\\\}:job:*");
  PART(SCAN_ROWS, args.cursor = (emq_bytes)B("0"), 1, "0");
}

Test(requests, an_inspected_id_may_be_any_bytes) {
  PART(INSPECT, args.id = (emq_bytes)B("no\0id"), 4, "no\0id");
  PART(INSPECT, args.id = (emq_bytes)B(""), 4, "");
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
  args.reason.len = EMQ_REASON_MAX;
  args.line.len = args.progress.len = EMQ_LINE_MAX;
  args.delay_ms = EMQ_DELAY_MAX_MS;
  args.due_ms = EMQ_TIME_MAX_MS;
  args.max = args.keep = EMQ_NUMBER_MAX;
  args.limit = args.budget = EMQ_LIMIT_MAX;
  args.size = EMQ_CLAIM_MAX;
  args.first = args.last = INT64_MIN;
  emq_hold holds[EMQ_HOLDS_MAX];
  for (size_t i = 0; i < EMQ_HOLDS_MAX; i++)
    holds[i] = (emq_hold){B(ID), INT64_MAX};
  args.holds = holds;
  args.hold_count = EMQ_HOLDS_MAX;
  for (int i = 0; i < EMQ_TRANSITIONS; i++) {
    for (int executor = EMQ_EXECUTOR_SCRIPTED; executor <= EMQ_EXECUTOR_NATIVE; executor++) {
      emq_request *request = built((emq_transition)i, (emq_executor)executor, &args);
      cr_assert_leq(request->used, sizeof request->text);
      free(request);
    }
  }
}

/* A scan's pattern may be twice as long as the name, and then everything else still fits. */
Test(requests, the_longest_pattern_fits) {
  static char queue[EMQ_QUEUE_NAME_MAX];
  memset(queue, '*', sizeof queue);
  emq_args args = ALL;
  args.queue = (emq_bytes){queue, sizeof queue};
  emq_request *request = built(EMQ_T_SCAN_ROWS, EMQ_EXECUTOR_SCRIPTED, &args);
  cr_assert_eq(request->lengths[3], strlen("emq:{}:job:*") + 2 * sizeof queue);
  cr_assert_eq(request->parts[3][request->lengths[3] - 1], '*');
  free(request);
}

Test(requests, sixty_four_jobs_are_extended_at_once) {
  emq_hold holds[EMQ_HOLDS_MAX];
  for (size_t i = 0; i < EMQ_HOLDS_MAX; i++)
    holds[i] = (emq_hold){B(ID), (int64_t)i + 1};
  emq_args args = ALL;
  args.holds = holds;
  args.hold_count = EMQ_HOLDS_MAX;
  emq_request *request = built(EMQ_T_EXTEND_LOCKS, EMQ_EXECUTOR_SCRIPTED, &args);
  cr_assert_eq(request->count, 6 + 2 * EMQ_HOLDS_MAX);
  same_part("extend_locks", 6, request, (emq_bytes)B(ID));
  same_part("extend_locks", 7, request, (emq_bytes)B("1"));
  same_part("extend_locks", request->count - 1, request, (emq_bytes)B("64"));
  free(request);
}

Test(requests, arguments_are_read_to_their_end_and_no_further) {
  guarded queue = guard("orders", 6), id = guard(ID, 14), parent = guard(PARENT, 14),
          parent_queue = guard("mails}", 6), dedup = guard("d 1", 3), policy = guard("id", 2);
  emq_args args = ALL;
  args.queue.ptr = queue.ptr;
  args.id.ptr = id.ptr;
  args.parent.ptr = parent.ptr;
  args.parent_queue.ptr = parent_queue.ptr;
  args.dedup.ptr = dedup.ptr;
  args.policy.ptr = policy.ptr;
  args.holds = (const emq_hold[]){{{id.ptr, 14}, 7}, {{parent.ptr, 14}, 1}};
  for (int i = 0; i < EMQ_TRANSITIONS; i++) {
    emq_request *request = built((emq_transition)i, EMQ_EXECUTOR_SCRIPTED, &args);
    same_parts(emq_transition_row_of((emq_transition)i)->name, request, EXPECTED[i].scripted);
    free(request);
  }
  unguard(&queue), unguard(&id), unguard(&parent), unguard(&parent_queue), unguard(&dedup);
  unguard(&policy);
}
