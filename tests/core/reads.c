/* SPDX-License-Identifier: MIT */
/* How one looks at queues and jobs: counts, places, browsing, totals, the check. */
#include "queue.h"

TestSuite(reads, .init = queue_start, .fini = queue_stop, .timeout = 60);

/* ---- counts and totals ---- */

QueueTest(reads, counts_by_state) {
  emq_id id = enqueue("x");
  claim(&id, 1, 60000);
  enqueue("x"), enqueue("x"), enqueue("x");
  OK(emq_schedule(NULL, client, Q, "x", 1, EMQ_IN, 60000, &error));
  counts_are(3, 1, 1, 0);
  int64_t depth;
  OK(emq_depth(&depth, client, Q, &error));
  cr_assert_eq(depth, 3);
  emq_count count;
  REFUSES(emq_count_parse(&count, "wait", 4, &error), EMQ_ERR_INVALID_ARGUMENT, "");
}

QueueTest(reads, totals) {
  int64_t total;
  OK(emq_metric(&total, client, Q, EMQ_COUNT_COMPLETED, &error));
  cr_assert_eq(total, 0);
  emq_id done = enqueue("x"), dead = enqueue("x");
  claim(&done, 1, 60000);
  claim(&dead, 1, 60000);
  cr_assert_eq(complete(&done, 1), EMQ_OUTCOME_DONE);
  cr_assert_eq(retry(&dead, 1, 0, 1, "x"), EMQ_OUTCOME_DEAD);
  OK(emq_metric(&total, client, Q, EMQ_COUNT_COMPLETED, &error));
  cr_assert_eq(total, 1);
  OK(emq_metric(&total, client, Q, EMQ_COUNT_FAILED, &error));
  cr_assert_eq(total, 1);
  REFUSES(emq_metric(&total, client, Q, EMQ_COUNT_DEAD, &error), EMQ_ERR_INVALID_ARGUMENT, "");
}

QueueTest(reads, totals_that_others_have_written) {
  static const char *const good[] = {"0", "9223372036854775807", "12"};
  static const char *const bad[] = {
      "-1", "x", "1.5", "9223372036854775808", "99999999999999999999", "9223372036854775807x99"};
  int64_t total;
  for (size_t i = 0; i < 3; i++) {
    number("HSET emq:{q}:metrics:failed count %s", good[i]);
    OK(emq_metric(&total, client, Q, EMQ_COUNT_FAILED, &error));
    cr_assert_eq(total, strtoll(good[i], NULL, 10));
  }
  for (size_t i = 0; i < 6; i++) {
    number("HSET emq:{q}:metrics:failed count %s", bad[i]);
    REFUSES(emq_metric(&total, client, Q, EMQ_COUNT_FAILED, &error), EMQ_ERR_PROTOCOL, "");
    cr_assert_eq(total, 12);
  }
}

QueueTest(reads, parked_ids) {
  emq_list *ids;
  number("SET emq:{q}:de:order-42 JOB0KHTOWnGLuC");
  OK(emq_dedup_read(&ids, client, Q, "order-42", 8, &error));
  cr_assert_eq(emq_list_size(ids), 1);
  cr_assert_str_eq(emq_list_text(ids, 0).ptr, "JOB0KHTOWnGLuC");
  emq_list_free(ids);
  OK(emq_dedup_read(&ids, client, Q, "never-parked", 12, &error));
  cr_assert_eq(emq_list_size(ids), 0);
  cr_assert_null(emq_list_text(ids, 0).ptr);
  emq_list_free(ids);
  REFUSES(emq_dedup_read(&ids, client, Q, "", 0, &error), EMQ_ERR_INVALID_ARGUMENT, "");
  REFUSES(emq_dedup_read(&ids, client, Q, NULL, 3, &error), EMQ_ERR_INVALID_ARGUMENT, "");
}

/* ---- one job ---- */

QueueTest(reads, where_jobs_are) {
  emq_id id = enqueue("s"), later, never = {"JOB0KHTOWnGLuC"};
  claim(&id, 1, 60000);
  OK(emq_schedule(&later, client, Q, "x", 1, EMQ_IN, 60000, &error));
  is_in(&id, EMQ_STATE_ACTIVE);
  is_in(&later, EMQ_STATE_SCHEDULED);
  is_in(&never, EMQ_STATE_ABSENT);
  emq_row *row;
  OK(emq_row_read(&row, client, Q, ID(id), &error));
  cr_assert_eq(emq_row_size(row), 3);
  cr_assert_str_eq(emq_row_field(row, "state", 5).ptr, "active");
  cr_assert_str_eq(emq_row_field(row, "attempts", 8).ptr, "1");
  cr_assert_str_eq(emq_row_field(row, "payload", 7).ptr, "s");
  emq_row_free(row);
  OK(emq_row_read(&row, client, Q, ID(never), &error));
  cr_assert_null(row);
  emq_place place;
  OK(emq_locate(&place, client, Q, ID(id), &error));
  cr_assert_eq(place.score_ms, score("active", &id));
  OK(emq_locate(&place, client, Q, ID(later), &error));
  cr_assert_eq(place.score_ms, score("schedule", &later));
  REFUSES(emq_locate(&place, client, Q, "no-id", 5, &error), EMQ_ERR_INVALID_ARGUMENT, "");
}

QueueTest(reads, a_row_that_no_set_holds) {
  queue_offends = true;
  emq_id id = enqueue("x"), never = {"JOB0KHTOWnGLuC"};
  claim(&id, 1, 60000);
  cr_assert_eq(number("ZREM emq:{q}:active %s", id.text), 1);
  cr_assert_eq(state_of(&id), EMQ_STATE_UNKNOWN);
  cr_assert_str_eq(field(&id, "state"), "active");
  emq_place place;
  OK(emq_locate(&place, client, Q, ID(id), &error));
  cr_assert(place.state == EMQ_STATE_UNKNOWN && place.sets == 0 && place.score_ms == 0);
  cr_assert_eq(state_of(&never), EMQ_STATE_ABSENT);
}

QueueTest(reads, a_held_parent_and_a_job_in_its_lane) {
  emq_id parent = enqueue("P"), lane = enqueue("g");
  number("ZREM emq:{q}:pending %s %s", parent.text, lane.text);
  number("HSET " ROW "%s state awaiting_children", parent.text);
  number("HSET " ROW "%s group GRP0KHTOWnGLuC", lane.text);
  number("ZADD emq:{q}:g:GRP0KHTOWnGLuC:pending 0 %s", lane.text);
  emq_place place;
  OK(emq_locate(&place, client, Q, ID(parent), &error));
  cr_assert(place.state == EMQ_STATE_AWAITING_CHILDREN && place.sets == 0);
  cr_assert_eq(state_of(&parent), EMQ_STATE_AWAITING_CHILDREN);
  OK(emq_locate(&place, client, Q, ID(lane), &error));
  cr_assert(place.state == EMQ_STATE_PENDING && place.sets == 1);
}

QueueTest(reads, a_job_in_several_sets_is_where_state_lookup_says) {
  queue_offends = true;
  emq_id id = enqueue("x");
  number("ZADD emq:{q}:active 77 %s", id.text);
  number("ZADD emq:{q}:dead 0 %s", id.text);
  emq_place place;
  OK(emq_locate(&place, client, Q, ID(id), &error));
  cr_assert(place.state == EMQ_STATE_PENDING && place.sets == 3 && place.score_ms == 0);
  number("ZREM emq:{q}:pending %s", id.text);
  OK(emq_locate(&place, client, Q, ID(id), &error));
  cr_assert(place.state == EMQ_STATE_ACTIVE && place.sets == 2 && place.score_ms == 77);
}

/* ---- browsing ---- */

static void browse(emq_state state, int64_t limit, const emq_id *newest_last, size_t count) {
  emq_list *ids;
  OK(emq_browse(&ids, client, Q, state, limit, &error));
  size_t wanted = (size_t)limit < count ? (size_t)limit : count;
  cr_assert_eq(emq_list_size(ids), wanted, "%zu", emq_list_size(ids));
  for (size_t i = 0; i < wanted; i++)
    cr_assert(same_id(emq_list_text(ids, i), &newest_last[count - 1 - i]), "%zu", i);
  cr_assert_null(emq_list_text(ids, wanted).ptr);
  emq_list_free(ids);
}

QueueTest(reads, every_state_is_browsed_newest_first) {
  emq_id ids[5];
  for (int state = EMQ_STATE_PENDING; state <= EMQ_STATE_DEAD; state++)
    browse((emq_state)state, 10, NULL, 0);
  for (int i = 0; i < 5; i++)
    ids[i] = enqueue("x");
  browse(EMQ_STATE_PENDING, 10, ids, 5);
  browse(EMQ_STATE_PENDING, 2, ids, 5);
  /* Deadlines and times that go against the order of ids. */
  for (int i = 0; i < 5; i++)
    claim(&ids[i], 1, 60000 - 10000 * i);
  browse(EMQ_STATE_ACTIVE, 10, ids, 5);
  browse(EMQ_STATE_ACTIVE, 2, ids, 5);
  browse(EMQ_STATE_ACTIVE, 5, ids, 5);
  for (int i = 0; i < 5; i++)
    cr_assert_eq(retry(&ids[i], 1, 60000 - 10000 * i, 9, "x"), EMQ_OUTCOME_SCHEDULED);
  browse(EMQ_STATE_SCHEDULED, EMQ_LIMIT_MAX, ids, 5);
  browse(EMQ_STATE_SCHEDULED, 1, ids, 5);
  number("ZADD emq:{q}:schedule XX 1 %s 1 %s 1 %s 1 %s 1 %s", ids[0].text, ids[1].text, ids[2].text,
         ids[3].text, ids[4].text);
  cr_assert_eq(promote(10), 5);
  claim_these(ids, 5, 5, 2);
  for (int i = 0; i < 5; i++)
    cr_assert_eq(retry(&ids[i], 2, 0, 2, "x"), EMQ_OUTCOME_DEAD);
  browse(EMQ_STATE_DEAD, 10, ids, 5);
  browse(EMQ_STATE_DEAD, 3, ids, 5);
}

QueueTest(reads, what_cannot_be_browsed) {
  emq_list *ids;
  REFUSES(emq_browse(&ids, client, Q, EMQ_STATE_UNKNOWN, 1, &error), EMQ_ERR_INVALID_ARGUMENT, "");
  REFUSES(emq_browse(&ids, client, Q, EMQ_STATE_ABSENT, 1, &error), EMQ_ERR_INVALID_ARGUMENT, "");
  for (int state = EMQ_STATE_PENDING; state <= EMQ_STATE_DEAD; state++) {
    REFUSES(emq_browse(&ids, client, Q, (emq_state)state, 0, &error), EMQ_ERR_INVALID_ARGUMENT, "");
    cr_assert_str_eq(error.message, "limit is 0, 1 to 10000 are allowed");
    REFUSES(emq_browse(&ids, client, Q, (emq_state)state, EMQ_LIMIT_MAX + 1, &error),
            EMQ_ERR_INVALID_ARGUMENT, "");
  }
}

/* ---- the check ---- */

/* Asserts that the check finds exactly this one offence of a job. */
static void offends(const char *id, const char *offence) {
  char line[256];
  snprintf(line, sizeof line, "%s: %s", id, offence);
  emq_list *found;
  OK(emq_check_queue(&found, client, Q, &error));
  cr_assert_eq(emq_list_size(found), 1, "%zu offend, not the one of %s: %s", emq_list_size(found),
               line, emq_list_size(found) ? emq_list_text(found, 0).ptr : "");
  cr_assert_str_eq(emq_list_text(found, 0).ptr, line);
  emq_list_free(found);
}

QueueTest(reads, a_sound_queue_has_no_offender) {
  sound();
  emq_id parent = enqueue("P"), lane = enqueue("g"), id = enqueue("x"), dead = enqueue("x");
  number("ZREM emq:{q}:pending %s %s", parent.text, lane.text);
  number("HSET " ROW "%s state awaiting_children", parent.text);
  number("SET " ROW "%s:dependencies 2", parent.text);
  number("HSET " ROW "%s group GRP0KHTOWnGLuC", lane.text);
  number("ZADD emq:{q}:g:GRP0KHTOWnGLuC:pending 0 %s", lane.text);
  claim(&id, 1, 60000);
  claim(&dead, 1, 60000);
  retry(&dead, 1, 0, 1, "x");
  OK(emq_schedule(NULL, client, Q, "x", 1, EMQ_IN, 60000, &error));
  OK(emq_add_log(&(int64_t){0}, client, Q, ID(id), "line", 4, 0, &error));
  number("SET " ROW "%s:lock worker", id.text);
  enqueue("x");
  /* Another queue's jobs, whose name a pattern could take for ours. */
  number("HSET emq:{qq}:job:JOB0KHTOWnGLuC state pending");
  sound();
}

QueueTest(reads, each_kind_of_offence_is_named) {
  queue_offends = true;
  emq_id id = enqueue("x");
  number("ZREM emq:{q}:pending %s", id.text);
  offends(id.text, "in no set, and its row says \"pending\"");
  number("HDEL " ROW "%s state", id.text);
  offends(id.text, "in no set, and its row says \"\"");
  number("HSET " ROW "%s state pending", id.text);
  number("ZADD emq:{q}:active 5 %s", id.text);
  offends(id.text, "in active, and its row says \"pending\"");
  number("ZADD emq:{q}:pending 0 %s", id.text);
  offends(id.text, "in pending and active");
  number("ZADD emq:{q}:schedule 5 %s", id.text);
  number("ZADD emq:{q}:dead 0 %s", id.text);
  number("HSET " ROW "%s group GRP0KHTOWnGLuC", id.text);
  number("ZADD emq:{q}:g:GRP0KHTOWnGLuC:pending 0 %s", id.text);
  offends(id.text, "in pending and active and schedule and dead and its lane");
  number("DEL emq:{q}:g:GRP0KHTOWnGLuC:pending emq:{q}:active emq:{q}:dead emq:{q}:schedule");
  sound();
  number("HSET " ROW "%s attempts 1x", id.text);
  offends(id.text, "its attempts are \"1x\", no number");
  number("HDEL " ROW "%s attempts", id.text);
  offends(id.text, "its attempts are \"\", no number");
  number("DEL " ROW "%s", id.text);
  offends(id.text, "in pending, and has no row");
  number("SET " ROW "%s text", id.text);
  offends(id.text, "its row is a string");
  number("ZREM emq:{q}:pending %s", id.text);
  offends(id.text, "its row is a string");
}

QueueTest(reads, members_and_rows_that_are_no_ids_are_named) {
  queue_offends = true;
  static const char *const bad[] = {"no-id", "ORD0KHTOWnGLuC", "JOBzzzzzzzzzzz", "a:b", ":", ""};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    number("ZADD emq:{q}:dead 0 %s", bad[i]);
    offends(bad[i], "no job id, in dead");
    number("ZREM emq:{q}:dead %s", bad[i]);
    sound();
  }
  number("HSET " ROW "no-id state pending attempts 0");
  offends("no-id", "no job id");
  number("DEL " ROW "no-id");
  number("ZADD emq:{q}:pending 0 %b", "a\0b", (size_t)3);
  offends("a\\x00b", "no job id, in pending");
}

/* Every page of members, each job judged once. */
QueueTest(reads, many_offenders_are_all_found_in_the_order_of_ids) {
  queue_offends = true;
  emq_batch *batch;
  OK(emq_batch_new(&batch, &error));
  for (int i = 0; i < 2500; i++)
    OK(emq_batch_add(batch, "x", 1, &error));
  OK(emq_enqueue_many(client, Q, batch, &error));
  sound();
  for (size_t i = 0; i < 2500; i += 2)
    number("DEL " ROW "%s", emq_batch_id(batch, i).ptr);
  emq_list *found;
  OK(emq_check_queue(&found, client, Q, &error));
  cr_assert_eq(emq_list_size(found), 1250);
  for (size_t i = 0; i < 1250; i++)
    cr_assert_eq(memcmp(emq_list_text(found, i).ptr, emq_batch_id(batch, 2 * i).ptr, EMQ_ID_LEN),
                 0);
  emq_list_free(found);
  emq_batch_free(batch);
}

QueueTest(reads, a_queue_whose_name_is_a_pattern_is_checked_by_its_name) {
  static const char name[] = "a*[b]?\\^-c";
  emq_id id, other;
  OK(emq_enqueue(&id, client, name, sizeof name - 1, "x", 1, &error));
  OK(emq_enqueue(&other, client, "axx[b]", 6, "x", 1, &error));
  number("DEL emq:{axx[b]}:pending");
  emq_list *found;
  OK(emq_check_queue(&found, client, name, sizeof name - 1, &error));
  cr_assert_eq(emq_list_size(found), 0);
  emq_list_free(found);
  number("DEL emq:{%s}:pending", name);
  OK(emq_check_queue(&found, client, name, sizeof name - 1, &error));
  cr_assert_eq(emq_list_size(found), 1);
  cr_assert_eq(memcmp(emq_list_text(found, 0).ptr, id.text, EMQ_ID_LEN), 0);
  emq_list_free(found);
}
