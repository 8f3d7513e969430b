/* SPDX-License-Identifier: MIT */
/* Queues of many thousands of jobs: no transition hands the server's script engine more values at
 * once than it takes (about eight thousand), and none forgets a part. */
#include "queue.h"

TestSuite(bounds, .init = queue_start, .fini = queue_stop, .timeout = 240);

enum { MANY = 20000 };

/* Rows and members of `set` as another speaker would have written them, all with one score. */
static void fill(const char *set, const char *state, long long score_ms, int count) {
  emq_minter *minter;
  OK(emq_minter_new(&minter, 3, &error));
  for (int sent = 0; sent < count;) {
    int chunk = count - sent < 1000 ? count - sent : 1000;
    for (int i = 0; i < chunk; i++) {
      emq_id id;
      OK(emq_minter_next(&id, minter, "JOB", 3, &error));
      redisAppendCommand(raw_context, "HSET " ROW "%s state %s attempts 1 payload x", id.text,
                         state);
      redisAppendCommand(raw_context, "ZADD emq:{q}:%s %lld %s", set, score_ms, id.text);
    }
    for (int i = 0; i < 2 * chunk; i++) {
      void *reply = NULL;
      cr_assert_eq(redisGetReply(raw_context, &reply), REDIS_OK);
      cr_assert_neq(((redisReply *)reply)->type, REDIS_REPLY_ERROR);
      freeReplyObject(reply);
    }
    sent += chunk;
  }
  emq_minter_free(minter);
  cr_assert_eq(size(set), count);
}

static void enqueue_many(size_t count) {
  emq_batch *batch;
  OK(emq_batch_new(&batch, &error));
  for (size_t i = 0; i < count; i++)
    OK(emq_batch_add(batch, "x", 1, &error));
  OK(emq_enqueue_many(client, Q, batch, &error));
  for (size_t i = 0; i < count; i++)
    cr_assert_eq(emq_batch_outcome(batch, i), EMQ_OUTCOME_ENQUEUED);
  emq_batch_free(batch);
}

QueueTest(bounds, twenty_thousand_jobs_become_due) {
  fill("schedule", "scheduled", 1, MANY);
  cr_assert_eq(promote(EMQ_LIMIT_MAX), EMQ_LIMIT_MAX);
  cr_assert_eq(promote(EMQ_LIMIT_MAX), EMQ_LIMIT_MAX);
  cr_assert_eq(promote(EMQ_LIMIT_MAX), 0);
  counts_are(MANY, 0, 0, 0);
}

QueueTest(bounds, twenty_thousand_jobs_are_reaped_a_hundred_at_a_time) {
  fill("active", "active", 1, MANY);
  int64_t all = 0;
  for (int i = 0; i < MANY / 100; i++) {
    int64_t some = reap();
    cr_assert_eq(some, 100);
    all += some;
  }
  cr_assert_eq(reap(), 0);
  cr_assert_eq(all, MANY);
  counts_are(MANY, 0, 0, 0);
}

QueueTest(bounds, twenty_thousand_jobs_are_swept) {
  fill("active", "active", 1, MANY);
  sweep(5, EMQ_LIMIT_MAX, EMQ_LIMIT_MAX, 0);
  sweep(1, EMQ_LIMIT_MAX, 0, EMQ_LIMIT_MAX);
  sweep(1, EMQ_LIMIT_MAX, 0, 0);
  counts_are(EMQ_LIMIT_MAX, 0, 0, EMQ_LIMIT_MAX);
  cr_assert_eq(counted(EMQ_COUNT_FAILED), EMQ_LIMIT_MAX);
}

QueueTest(bounds, batches_around_the_limit_are_enqueued_and_drained) {
  static const size_t sizes[] = {7999, 8000, MANY};
  for (int i = 0; i < 3; i++) {
    enqueue_many(sizes[i]);
    cr_assert_eq(size("pending"), (long long)sizes[i]);
    int64_t deleted;
    OK(emq_queue_drain(&deleted, client, Q, i % 2, &error));
    cr_assert_eq(deleted, (int64_t)sizes[i]);
    cr_assert_eq(number("DBSIZE"), 1); /* the identity */
  }
}

QueueTest(bounds, twenty_thousand_scheduled_jobs_are_drained) {
  fill("schedule", "scheduled", 9999999999999, MANY);
  int64_t deleted;
  OK(emq_queue_drain(&deleted, client, Q, true, &error));
  cr_assert_eq(deleted, MANY);
  cr_assert_eq(number("DBSIZE"), 1);
}

QueueTest(bounds, batches_around_the_limit_are_enqueued_and_obliterated) {
  static const struct {
    size_t jobs;
    int64_t budget;
  } cases[] = {{7999, EMQ_LIMIT_MAX}, {8000, 8000}, {MANY, EMQ_LIMIT_MAX}};
  for (int i = 0; i < 3; i++) {
    enqueue_many(cases[i].jobs);
    OK(emq_queue_pause(client, Q, &error));
    bool more = true;
    int64_t steps = 0;
    for (; more; steps++)
      OK(emq_queue_obliterate(&more, client, Q, false, cases[i].budget, &error));
    cr_assert_eq(steps, (int64_t)cases[i].jobs / cases[i].budget + 1);
    cr_assert_eq(number("DBSIZE"), 1);
  }
}

QueueTest(bounds, twenty_thousand_jobs_are_browsed_claimed_and_completed) {
  enqueue_many(MANY);
  emq_list *ids;
  OK(emq_browse(&ids, client, Q, EMQ_STATE_PENDING, EMQ_LIMIT_MAX, &error));
  cr_assert_eq(emq_list_size(ids), EMQ_LIMIT_MAX);
  emq_list_free(ids);
  emq_leases *leases;
  OK(emq_leases_new(&leases, &error));
  for (int i = 0; i < MANY / EMQ_CLAIM_MAX; i++) {
    emq_jobs *jobs;
    OK(emq_claim_many(&jobs, client, Q, EMQ_CLAIM_MAX, 600000, &error));
    cr_assert_eq(emq_jobs_size(jobs), EMQ_CLAIM_MAX);
    for (size_t n = 0; n < emq_jobs_size(jobs); n++)
      OK(emq_leases_add(leases, emq_jobs_id(jobs, n).ptr, EMQ_ID_LEN, emq_jobs_token(jobs, n), NULL,
                        0, &error));
    emq_jobs_free(jobs);
  }
  OK(emq_browse(&ids, client, Q, EMQ_STATE_ACTIVE, EMQ_LIMIT_MAX, &error));
  cr_assert_eq(emq_list_size(ids), EMQ_LIMIT_MAX);
  emq_list_free(ids);
  OK(emq_extend_many(client, Q, leases, 700000, &error));
  for (size_t i = 0; i < MANY; i++)
    cr_assert_eq(emq_leases_outcome(leases, i), EMQ_OUTCOME_DONE);
  OK(emq_complete_many(client, Q, leases, &error));
  for (size_t i = 0; i < MANY; i++)
    cr_assert_eq(emq_leases_outcome(leases, i), EMQ_OUTCOME_DONE);
  emq_leases_free(leases);
  counts_are(0, 0, 0, 0);
  cr_assert_eq(counted(EMQ_COUNT_COMPLETED), MANY);
}
