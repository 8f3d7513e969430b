/* SPDX-License-Identifier: MIT */
/* Leases that end, jobs that stall, jobs that become due, and members without a row. */
#include "queue.h"

TestSuite(recovery, .init = queue_start, .fini = queue_stop, .timeout = 60);

/* ---- reap ---- */

QueueTest(recovery, a_lapsed_job_comes_back) {
  emq_id id = enqueue("x");
  claim(&id, 1, 30);
  cr_assert_eq(reap(), 0);
  await("active", &id);
  cr_assert_eq(reap(), 1);
  is_in(&id, EMQ_STATE_PENDING);
  cr_assert_str_eq(field(&id, "attempts"), "1");
  claim(&id, 2, 60000);
  cr_assert_eq(complete(&id, 2), EMQ_OUTCOME_DONE);
  cr_assert_eq(reap(), 0);
}

QueueTest(recovery, a_reap_takes_a_hundred) {
  emq_batch *batch;
  OK(emq_batch_new(&batch, &error));
  for (int i = 0; i < 150; i++)
    OK(emq_batch_add(batch, "x", 1, &error));
  OK(emq_enqueue_many(client, Q, batch, &error));
  emq_jobs *jobs;
  OK(emq_claim_many(&jobs, client, Q, 1000, 1, &error));
  cr_assert_eq(emq_jobs_size(jobs), 150);
  emq_id last;
  OK(emq_id_parse(&last, emq_jobs_id(jobs, 149).ptr, EMQ_ID_LEN, &error));
  await("active", &last);
  cr_assert_eq(reap(), 100);
  counts_are(100, 50, 0, 0);
  cr_assert_eq(reap(), 50);
  cr_assert_eq(reap(), 0);
  emq_jobs_free(jobs);
  emq_batch_free(batch);
}

/* ---- extend ---- */

QueueTest(recovery, an_extended_lease_is_not_reaped) {
  emq_id id = enqueue("x"), unknown = {"JOB0KHTOWnGLuC"};
  claim(&id, 1, 50);
  long long first = score("active", &id);
  emq_outcome outcome;
  OK(emq_extend(&outcome, client, Q, ID(id), 1, 60000, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DONE);
  cr_assert(score("active", &id) >= first + 59000 && score("active", &id) <= server_ms() + 60000);
  while (server_ms() < first)
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  cr_assert_eq(reap(), 0);
  is_in(&id, EMQ_STATE_ACTIVE);
  REFUSES(emq_extend(&outcome, client, Q, ID(id), 2, 60000, &error), EMQ_ERR_STALE,
          "EMQSTALE extend token mismatch");
  OK(emq_extend(&outcome, client, Q, ID(unknown), 1, 60000, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_GONE);
  cr_assert_eq(size("active"), 1);
}

/* Lapsed and taken back, though not yet claimed by another. */
QueueTest(recovery, a_lease_that_was_taken_back_is_not_extended) {
  emq_id id = enqueue("x");
  claim(&id, 1, 1);
  await("active", &id);
  cr_assert_eq(reap(), 1);
  emq_outcome outcome;
  REFUSES(emq_extend(&outcome, client, Q, ID(id), 1, 60000, &error), EMQ_ERR_STALE,
          "EMQSTALE lease lapsed");
  is_in(&id, EMQ_STATE_PENDING);
}

/* Lapsed, and nobody has noticed: it is still held. */
QueueTest(recovery, a_lapsed_lease_that_is_still_there_is_extended) {
  emq_id id = enqueue("x");
  claim(&id, 1, 1);
  await("active", &id);
  emq_outcome outcome;
  OK(emq_extend(&outcome, client, Q, ID(id), 1, 60000, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DONE);
  cr_assert_eq(reap(), 0);
}

/* ---- sweep ---- */

QueueTest(recovery, a_job_that_stalls_twice_is_dead) {
  emq_id id = enqueue("x");
  claim(&id, 1, 30);
  cr_assert_str_eq(field(&id, "stalled"), "(nil)");
  sweep(2, 100, 0, 0);
  await("active", &id);
  emq_list *back, *dead;
  OK(emq_sweep_stalled(&back, &dead, client, Q, 2, 100, &error));
  cr_assert_eq(emq_list_size(back), 1);
  cr_assert(same_id(emq_list_text(back, 0), &id));
  cr_assert_eq(emq_list_size(dead), 0);
  emq_list_free(back);
  emq_list_free(dead);
  is_in(&id, EMQ_STATE_PENDING);
  cr_assert_str_eq(field(&id, "stalled"), "1");
  claim(&id, 2, 30);
  await("active", &id);
  OK(emq_sweep_stalled(&back, &dead, client, Q, 2, 100, &error));
  cr_assert_eq(emq_list_size(back), 0);
  cr_assert_eq(emq_list_size(dead), 1);
  cr_assert(same_id(emq_list_text(dead, 0), &id));
  emq_list_free(back);
  emq_list_free(dead);
  is_in(&id, EMQ_STATE_DEAD);
  cr_assert_str_eq(field(&id, "last_error"), "stalled");
  cr_assert_eq(counted(EMQ_COUNT_FAILED), 1);
  /* Another life: attempts and lapses stay, the error goes. */
  emq_outcome outcome;
  OK(emq_reprocess_job(&outcome, client, Q, ID(id), &error));
  cr_assert_str_eq(field(&id, "last_error"), "(nil)");
  claim(&id, 3, 60000);
}

QueueTest(recovery, a_sweep_takes_no_more_than_its_limit) {
  emq_id ids[5];
  for (int i = 0; i < 5; i++)
    ids[i] = enqueue("x");
  for (int i = 0; i < 5; i++)
    claim(&ids[i], 1, 1);
  await("active", &ids[4]);
  sweep(9, 2, 2, 0);
  sweep(1, 2, 0, 2);
  sweep(9, 100, 1, 0);
  sweep(9, 100, 0, 0);
  counts_are(3, 0, 0, 2);
}

/* ---- promote ---- */

QueueTest(recovery, a_promotion_takes_no_more_than_its_limit) {
  for (int i = 0; i < 5; i++)
    OK(emq_schedule(NULL, client, Q, "x", 1, EMQ_AT, 1 + i, &error));
  OK(emq_schedule(NULL, client, Q, "x", 1, EMQ_IN, 60000, &error));
  cr_assert_eq(promote(2), 2);
  cr_assert_eq(promote(EMQ_LIMIT_MAX), 3);
  cr_assert_eq(promote(1), 0);
  counts_are(5, 0, 1, 0);
}

/* ---- members without a row ---- */

QueueTest(recovery, ghosts_are_taken_out_and_not_counted) {
  static const char *const sets[] = {"schedule", "active", "active"};
  for (int round = 0; round < 3; round++) {
    emq_id good = enqueue("x");
    number("ZREM emq:{q}:pending %s", good.text);
    number("HSET " ROW "%s state %s", good.text, round ? "active" : "scheduled");
    number("ZADD emq:{q}:%s 1 JOB0KHTOWnGLuC 2 no-id 3 %s", sets[round], good.text);
    if (round == 0)
      cr_assert_eq(promote(10), 1);
    else if (round == 1)
      cr_assert_eq(reap(), 1);
    else
      sweep(5, 10, 1, 0);
    is_in(&good, EMQ_STATE_PENDING);
    cr_assert_eq(size(sets[round]), 0);
    cr_assert_eq(number("EXISTS " ROW "JOB0KHTOWnGLuC " ROW "no-id"), 0);
  }
  counts_are(3, 0, 0, 0);
}

QueueTest(recovery, a_batch_passes_ghosts_over) {
  emq_id ids[6];
  for (int i = 0; i < 6; i++)
    ids[i] = enqueue("x");
  number("DEL " ROW "%s " ROW "%s " ROW "%s", ids[0].text, ids[2].text, ids[5].text);
  emq_id good[] = {ids[1], ids[3], ids[4]};
  claim_these(good, 3, 6, 1);
  cr_assert_eq(emq_client_ghosts(client), 3);
  counts_are(0, 3, 0, 0);
  cr_assert_eq(number("EXISTS " ROW "%s", ids[0].text), 0);
}

/* A round of ghosts alone is no empty queue. */
QueueTest(recovery, a_batch_goes_on_behind_ghosts) {
  emq_id ids[5];
  for (int i = 0; i < 5; i++)
    ids[i] = enqueue("x");
  for (int i = 0; i < 4; i++)
    number("DEL " ROW "%s", ids[i].text);
  claim_these(&ids[4], 1, 2, 1);
  cr_assert_eq(emq_client_ghosts(client), 4);
  claim_these(NULL, 0, 2, 1);
}

QueueTest(recovery, a_ghost_with_a_lock_stays_until_its_lease_ends) {
  emq_id ghost = enqueue("x"), good = enqueue("y");
  number("DEL " ROW "%s", ghost.text);
  number("SET " ROW "%s:lock worker-1", ghost.text);
  claim_these(&good, 1, 2, 1);
  is_in(&ghost, EMQ_STATE_ACTIVE);
  number("DEL " ROW "%s:lock", ghost.text);
  emq_outcome outcome;
  OK(emq_remove_job(&outcome, client, Q, ID(ghost), NULL, 0, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DONE);
}

/* A row that no number is in ends a batch before it: what was good comes out. */
QueueTest(recovery, a_batch_ends_before_a_damaged_row) {
  queue_offends = true;
  emq_id a = enqueue("a"), bad = enqueue("b"), c = enqueue("c");
  number("HSET " ROW "%s attempts none", bad.text);
  claim_these(&a, 1, 3, 1);
  emq_jobs *jobs;
  cr_assert_neq(emq_claim_many(&jobs, client, Q, 3, 1000, &error), EMQ_OK);
  cr_assert_eq(score("pending", &bad), 0);
  cr_assert_eq(score("pending", &c), 0);
  cr_assert_str_eq(field(&bad, "attempts"), "none");
}
