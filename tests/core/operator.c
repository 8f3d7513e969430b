/* SPDX-License-Identifier: MIT */
/* What an operator does: to one job, and to a queue. */
#include "queue.h"

TestSuite(operator, .init = queue_start, .fini = queue_stop, .timeout = 60);

static const emq_id unknown = {"JOB0KHTOWnGLuC"};

static void log_is(const emq_id *id, const char *const *lines, size_t count) {
  emq_list *list;
  OK(emq_read_logs(&list, client, Q, ID(*id), &error));
  cr_assert_not_null(list);
  cr_assert_eq(emq_list_size(list), count, "%zu lines", emq_list_size(list));
  for (size_t i = 0; i < count; i++)
    cr_assert_str_eq(emq_list_text(list, i).ptr, lines[i]);
  emq_list_free(list);
}

static int64_t add_log(const emq_id *id, const char *line, int64_t keep) {
  int64_t count;
  OK(emq_add_log(&count, client, Q, ID(*id), line, strlen(line), keep, &error));
  return count;
}

/* ---- per job ---- */

QueueTest(operator, data_is_replaced) {
  emq_id id = enqueue("old");
  emq_outcome outcome;
  OK(emq_update_data(&outcome, client, Q, ID(id), "n\0w", 3, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DONE);
  emq_row *row;
  OK(emq_row_read(&row, client, Q, ID(id), &error));
  cr_assert_eq(emq_row_field(row, "payload", 7).len, 3);
  cr_assert_arr_eq(emq_row_field(row, "payload", 7).ptr, "n\0w", 3);
  emq_row_free(row);
  OK(emq_update_data(&outcome, client, Q, ID(unknown), "new", 3, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_GONE);
  is_in(&unknown, EMQ_STATE_ABSENT);
}

/* Subscribes on a connection of its own; the subscription is confirmed when this returns. */
static redisContext *subscribe(const char *channel) {
  redisContext *context = redisConnectUnix(s.path);
  cr_assert(context && !context->err);
  redisSetTimeout(context, (struct timeval){1, 0});
  redisReply *confirmed = redisCommand(context, "SUBSCRIBE %s", channel);
  cr_assert_not_null(confirmed);
  freeReplyObject(confirmed);
  return context;
}

/* The next message, which must come within a second; the caller's. */
static redisReply *message(redisContext *context) {
  void *reply = NULL;
  cr_assert_eq(redisGetReply(context, &reply), REDIS_OK, "no message: %s", context->errstr);
  return reply;
}

QueueTest(operator, progress_is_kept_and_published) {
  emq_id id = enqueue("x");
  redisContext *events = subscribe("emq:{q}:events");
  emq_outcome outcome;
  OK(emq_update_progress(&outcome, client, Q, ID(id), "50", 2, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DONE);
  cr_assert_str_eq(field(&id, "progress"), "50");
  redisReply *got = message(events);
  cr_assert_str_eq(got->element[0]->str, "message");
  const char *json = got->element[2]->str;
  cr_assert(strstr(json, "\"event\":\"progress\"") && strstr(json, "\"progress\":\"50\""), "%s",
            json);
  char job[32];
  snprintf(job, sizeof job, "\"job\":\"%s\"", id.text);
  cr_assert(strstr(json, job), "%s", json);
  freeReplyObject(got);

  OK(emq_update_progress(&outcome, client, Q, ID(unknown), "50", 2, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_GONE);
  is_in(&unknown, EMQ_STATE_ABSENT);
  /* Nothing was said of the unknown job: the next message is of this one. */
  OK(emq_update_progress(&outcome, client, Q, ID(id), "a\"b\\c\n", 6, &error));
  got = message(events);
  cr_assert(strstr(got->element[2]->str, "\"progress\":\"a\\\"b\\\\c\\n\""), "%s",
            got->element[2]->str);
  freeReplyObject(got);
  redisFree(events);
}

QueueTest(operator, a_log_grows_and_is_cut) {
  emq_id id = enqueue("x");
  log_is(&id, NULL, 0);
  cr_assert_eq(add_log(&id, "line-1", 0), 1);
  cr_assert_eq(add_log(&id, "line-2", 0), 2);
  log_is(&id, (const char *const[]){"line-1", "line-2"}, 2);
  cr_assert_eq(add_log(&id, "line-3", 2), 2);
  log_is(&id, (const char *const[]){"line-2", "line-3"}, 2);
  cr_assert_eq(add_log(&id, "", 9), 3);
  log_is(&id, (const char *const[]){"line-2", "line-3", ""}, 3);
  cr_assert_eq(add_log(&id, "last", 1), 1);
  log_is(&id, (const char *const[]){"last"}, 1);
  cr_assert_eq(add_log(&unknown, "line", 0), -1);
  emq_list *lines = (emq_list *)&id;
  OK(emq_read_logs(&lines, client, Q, ID(unknown), &error));
  cr_assert_null(lines);
  cr_assert_eq(number("EXISTS " ROW "%s:logs", unknown.text), 0);
}

static const char *parked(const char *dedup) {
  static char room[64];
  emq_list *ids;
  OK(emq_dedup_read(&ids, client, Q, dedup, strlen(dedup), &error));
  cr_assert_leq(emq_list_size(ids), 1);
  snprintf(room, sizeof room, "%s", emq_list_size(ids) ? emq_list_text(ids, 0).ptr : "(none)");
  emq_list_free(ids);
  return room;
}

QueueTest(operator, a_removed_job_takes_its_parked_id_along) {
  emq_id loose = enqueue("x"), held = enqueue("x");
  number("SET emq:{q}:de:dedup-7 %s", loose.text);
  number("SET " ROW "%s:lock worker-1", held.text);
  add_log(&loose, "line", 0);
  emq_outcome outcome;
  OK(emq_remove_job(&outcome, client, Q, ID(loose), "dedup-7", 7, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DONE);
  is_in(&loose, EMQ_STATE_ABSENT);
  cr_assert_str_eq(parked("dedup-7"), "(none)");
  cr_assert_eq(number("EXISTS " ROW "%s:logs", loose.text), 0);
  REFUSES(emq_remove_job(&outcome, client, Q, ID(held), NULL, 0, &error), EMQ_ERR_LOCKED,
          "EMQLOCK job is locked");
  is_in(&held, EMQ_STATE_PENDING);
  OK(emq_remove_job(&outcome, client, Q, ID(loose), NULL, 0, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_GONE);
}

QueueTest(operator, a_lock_in_the_row_holds_too) {
  emq_id id = enqueue("x");
  number("HSET " ROW "%s lock worker-1", id.text);
  emq_outcome outcome;
  REFUSES(emq_remove_job(&outcome, client, Q, ID(id), NULL, 0, &error), EMQ_ERR_LOCKED,
          "EMQLOCK job is locked");
  number("HDEL " ROW "%s lock", id.text);
  OK(emq_remove_job(&outcome, client, Q, ID(id), NULL, 0, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DONE);
}

QueueTest(operator, only_its_own_parked_id_goes) {
  emq_id id = enqueue("x"), other = enqueue("x");
  number("SET emq:{q}:de:conf-dedup %s", id.text);
  number("SET emq:{q}:de:conf-orphan %s", other.text);
  emq_outcome outcome;
  OK(emq_remove_job(&outcome, client, Q, ID(id), "conf-dedup", 10, &error));
  cr_assert_str_eq(parked("conf-dedup"), "(none)");
  cr_assert_str_eq(parked("conf-orphan"), other.text);
  emq_id third = enqueue("x");
  OK(emq_remove_job(&outcome, client, Q, ID(third), "conf-orphan", 11, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DONE);
  cr_assert_str_eq(parked("conf-orphan"), other.text);
}

QueueTest(operator, a_job_is_removed_wherever_it_is) {
  emq_id pending = enqueue("x"), active, scheduled, dead;
  active = pending;
  claim(&active, 1, 60000);
  OK(emq_schedule(&scheduled, client, Q, "x", 1, EMQ_IN, 60000, &error));
  dead = enqueue("x");
  claim(&dead, 1, 60000);
  cr_assert_eq(retry(&dead, 1, 0, 1, "x"), EMQ_OUTCOME_DEAD);
  pending = enqueue("x");
  const emq_id *const ids[] = {&pending, &active, &scheduled, &dead};
  for (int i = 0; i < 4; i++) {
    emq_outcome outcome;
    OK(emq_remove_job(&outcome, client, Q, ID(*ids[i]), NULL, 0, &error));
    cr_assert_eq(outcome, EMQ_OUTCOME_DONE);
    is_in(ids[i], EMQ_STATE_ABSENT);
  }
  counts_are(0, 0, 0, 0);
}

QueueTest(operator, a_dead_job_gets_another_life) {
  emq_id dead = enqueue("x");
  claim(&dead, 1, 60000);
  cr_assert_eq(retry(&dead, 1, 0, 1, "boom"), EMQ_OUTCOME_DEAD);
  emq_id live = enqueue("x");
  emq_outcome outcome;
  OK(emq_reprocess_job(&outcome, client, Q, ID(dead), &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DONE);
  is_in(&dead, EMQ_STATE_PENDING);
  cr_assert_str_eq(field(&dead, "last_error"), "(nil)");
  REFUSES(emq_reprocess_job(&outcome, client, Q, ID(live), &error), EMQ_ERR_STATE,
          "EMQSTATE not dead");
  REFUSES(emq_reprocess_job(&outcome, client, Q, ID(dead), &error), EMQ_ERR_STATE,
          "EMQSTATE not dead");
  is_in(&live, EMQ_STATE_PENDING);
  OK(emq_reprocess_job(&outcome, client, Q, ID(unknown), &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_GONE);
  claim(&dead, 2, 60000);
}

/* ---- per queue ---- */

QueueTest(operator, a_paused_queue_is_empty_to_claims) {
  emq_id id = enqueue("p");
  OK(emq_queue_pause(client, Q, &error));
  OK(emq_queue_pause(client, Q, &error));
  cr_assert_str_eq(text("HGET emq:{q}:meta paused"), "1");
  claim_nothing();
  counts_are(1, 0, 0, 0);
  OK(emq_queue_resume(client, Q, &error));
  OK(emq_queue_resume(client, Q, &error));
  claim(&id, 1, 60000);
}

QueueTest(operator, a_drained_queue_keeps_what_is_active) {
  emq_id active = enqueue("x"), first;
  claim(&active, 1, 60000);
  first = enqueue("x");
  add_log(&first, "line", 0);
  enqueue("x"), enqueue("x");
  emq_id later;
  OK(emq_schedule(&later, client, Q, "x", 1, EMQ_IN, 60000, &error));
  int64_t deleted;
  OK(emq_queue_drain(&deleted, client, Q, false, &error));
  cr_assert_eq(deleted, 3);
  counts_are(0, 1, 1, 0);
  is_in(&active, EMQ_STATE_ACTIVE);
  cr_assert_eq(number("EXISTS " ROW "%s " ROW "%s:logs", first.text, first.text), 0);
  enqueue("x");
  OK(emq_queue_drain(&deleted, client, Q, true, &error));
  cr_assert_eq(deleted, 2);
  is_in(&later, EMQ_STATE_ABSENT);
  OK(emq_queue_drain(&deleted, client, Q, true, &error));
  cr_assert_eq(deleted, 0);
  counts_are(0, 1, 0, 0);
}

static bool obliterate(bool force, int64_t budget) {
  bool more;
  OK(emq_queue_obliterate(&more, client, Q, force, budget, &error));
  return more;
}

QueueTest(operator, only_a_paused_queue_is_obliterated) {
  enqueue("x");
  bool more;
  REFUSES(emq_queue_obliterate(&more, client, Q, false, 1000, &error), EMQ_ERR_STATE,
          "EMQSTATE not paused");
  REFUSES(emq_queue_obliterate(&more, client, Q, true, 1000, &error), EMQ_ERR_STATE,
          "EMQSTATE not paused");
  cr_assert_eq(size("pending"), 1);
  OK(emq_queue_pause(client, Q, &error));
  cr_assert_not(obliterate(false, 1000));
  counts_are(0, 0, 0, 0);
  redisReply *left = raw("KEYS emq:{q}:*");
  cr_assert_eq(left->elements, 0);
  freeReplyObject(left);
}

QueueTest(operator, active_jobs_are_obliterated_by_force_alone) {
  emq_id id = enqueue("x");
  claim(&id, 1, 60000);
  number("SET " ROW "%s:lock worker", id.text);
  add_log(&id, "line", 0);
  OK(emq_queue_pause(client, Q, &error));
  bool more;
  REFUSES(emq_queue_obliterate(&more, client, Q, false, 1000, &error), EMQ_ERR_STATE,
          "EMQSTATE active jobs present");
  is_in(&id, EMQ_STATE_ACTIVE);
  cr_assert_not(obliterate(true, 1000));
  cr_assert_eq(number("DBSIZE"), 1); /* the identity */
}

/* Two lanes (one on the ring, one paused), all four sets, a repeat, totals; three jobs at a time.
 */
QueueTest(operator, a_budget_is_kept_to) {
  emq_id first = enqueue("x");
  claim(&first, 1, 60000);
  cr_assert_eq(complete(&first, 1), EMQ_OUTCOME_DONE);
  emq_id dead = enqueue("x"), active = enqueue("x");
  claim(&dead, 1, 60000);
  cr_assert_eq(retry(&dead, 1, 0, 1, "x"), EMQ_OUTCOME_DEAD);
  claim(&active, 1, 60000);
  static const char *const groups[] = {"GRP0KHTOWnGLuC", "GRP0NgWEfAEJfs"};
  for (int i = 0; i < 6; i++) {
    emq_id id = enqueue("x");
    number("ZREM emq:{q}:pending %s", id.text);
    number("HSET " ROW "%s group %s", id.text, groups[i % 2]);
    number("ZADD emq:{q}:g:%s:pending 0 %s", groups[i % 2], id.text);
  }
  number("RPUSH emq:{q}:ring %s", groups[0]);
  number("SADD emq:{q}:paused %s", groups[1]);
  number("LPUSH emq:{q}:wake 1");
  number("HSET emq:{q}:glimit %s 5", groups[0]);
  number("ZADD emq:{q}:repeat 1 daily");
  number("HSET emq:{q}:repeat:daily every 10");
  for (int i = 0; i < 4; i++)
    enqueue("x");
  OK(emq_schedule(NULL, client, Q, "x", 1, EMQ_IN, 60000, &error));
  OK(emq_queue_pause(client, Q, &error));
  /* 13 jobs: four steps that use the budget up, one with the last job. */
  for (int step = 0; step < 4; step++) {
    long long before = number("DBSIZE");
    cr_assert(obliterate(true, 3), "step %d", step);
    cr_assert_geq(before - number("DBSIZE"), 3);
    cr_assert_str_eq(text("HGET emq:{q}:meta paused"), "1");
  }
  cr_assert_not(obliterate(true, 3));
  cr_assert_eq(number("DBSIZE"), 1);
  REFUSES(emq_queue_obliterate(&(bool){false}, client, Q, true, 3, &error), EMQ_ERR_STATE,
          "EMQSTATE not paused");
}
