/* SPDX-License-Identifier: MIT */
/* Many jobs at once: batch claims, completions and extensions with a verdict each. */
#include "queue.h"

TestSuite(many, .init = queue_start, .fini = queue_stop, .timeout = 60);

static void enqueue_all(emq_id *ids, size_t count) {
  for (size_t i = 0; i < count; i++)
    ids[i] = enqueue("x");
}

static emq_leases *leases_of(const emq_id *ids, size_t count, int64_t token) {
  emq_leases *leases;
  OK(emq_leases_new(&leases, &error));
  for (size_t i = 0; i < count; i++)
    OK(emq_leases_add(leases, ID(ids[i]), token, NULL, 0, &error));
  cr_assert_eq(emq_leases_size(leases), count);
  return leases;
}

static void verdict_is(const emq_leases *leases, size_t index, emq_outcome outcome,
                       emq_status status) {
  const emq_error *why = emq_leases_error(leases, index);
  cr_assert_eq(emq_leases_outcome(leases, index), outcome, "item %zu is %s", index,
               emq_outcome_name(emq_leases_outcome(leases, index)));
  cr_assert_eq(why ? why->code : EMQ_OK, status, "item %zu: %s", index, why ? why->message : "ok");
}

/* ---- claims ---- */

QueueTest(many, the_oldest_come_in_order_under_one_deadline) {
  emq_id ids[8];
  enqueue_all(ids, 8);
  claim_these(ids, 4, 4, 1);
  for (int i = 0; i < 4; i++) {
    cr_assert_eq(score("active", &ids[i]), score("active", &ids[0]));
    is_in(&ids[i], EMQ_STATE_ACTIVE);
  }
  counts_are(4, 4, 0, 0);
}

QueueTest(many, fewer_come_where_fewer_wait) {
  emq_id ids[3];
  enqueue_all(ids, 3);
  claim_these(ids, 3, 7, 1);
  claim_these(NULL, 0, 5, 1);
}

QueueTest(many, a_paused_queue_gives_none) {
  enqueue("x");
  OK(emq_queue_pause(client, Q, &error));
  claim_these(NULL, 0, 5, 1);
  cr_assert_eq(size("pending"), 1);
}

QueueTest(many, payloads_of_a_batch_come_back_unchanged) {
  emq_id ids[2];
  OK(emq_enqueue(&ids[0], client, Q, "", 0, &error));
  OK(emq_enqueue(&ids[1], client, Q, "a\0b", 3, &error));
  emq_jobs *jobs;
  OK(emq_claim_many(&jobs, client, Q, 9, 60000, &error));
  cr_assert_eq(emq_jobs_size(jobs), 2);
  cr_assert_eq(emq_jobs_payload(jobs, 0).len, 0);
  cr_assert_not_null(emq_jobs_payload(jobs, 0).ptr);
  cr_assert_eq(emq_jobs_payload(jobs, 1).len, 3);
  cr_assert_arr_eq(emq_jobs_payload(jobs, 1).ptr, "a\0b", 3);
  cr_assert_null(emq_jobs_id(jobs, 2).ptr);
  cr_assert_null(emq_jobs_payload(jobs, 2).ptr);
  cr_assert_eq(emq_jobs_token(jobs, 2), 0);
  emq_jobs_free(jobs);
}

QueueTest(many, one_poisonous_job_leaves_the_others_alone) {
  emq_id ids[3];
  enqueue_all(ids, 3);
  claim_these(ids, 3, 3, 1);
  emq_outcome outcome;
  REFUSES(emq_complete(&outcome, client, Q, ID(ids[0]), 99, NULL, 0, &error), EMQ_ERR_STALE,
          "EMQSTALE complete token mismatch");
  cr_assert_eq(retry(&ids[0], 1, 5, 3, "poison"), EMQ_OUTCOME_SCHEDULED);
  for (int i = 1; i < 3; i++) {
    cr_assert_eq(complete(&ids[i], 1), EMQ_OUTCOME_DONE);
    is_in(&ids[i], EMQ_STATE_ABSENT);
  }
  is_in(&ids[0], EMQ_STATE_SCHEDULED);
  cr_assert_str_eq(field(&ids[0], "last_error"), "poison");
  await("schedule", &ids[0]);
  cr_assert_eq(promote(10), 1);
  claim_these(ids, 1, 5, 2);
}

/* ---- completions ---- */

QueueTest(many, every_completion_has_its_verdict) {
  emq_id ids[5];
  enqueue_all(ids, 5);
  claim_these(ids, 4, 4, 1);
  emq_leases *leases = leases_of(ids, 1, 1);
  emq_id unknown = {"JOB0KHTOWnGLuC"};
  OK(emq_leases_add(leases, ID(ids[1]), 99, NULL, 0, &error));
  OK(emq_leases_add(leases, ID(unknown), 1, NULL, 0, &error));
  OK(emq_leases_add(leases, ID(ids[2]), 1, "ignored", 7, &error));
  OK(emq_leases_add(leases, ID(ids[0]), 1, NULL, 0, &error)); /* said twice */
  OK(emq_leases_add(leases, ID(ids[4]), 1, NULL, 0, &error)); /* never claimed */
  OK(emq_complete_many(client, Q, leases, &error));
  verdict_is(leases, 0, EMQ_OUTCOME_DONE, EMQ_OK);
  verdict_is(leases, 1, EMQ_OUTCOME_NONE, EMQ_ERR_STALE);
  cr_assert_str_eq(emq_leases_error(leases, 1)->server_text, "EMQSTALE complete token mismatch");
  verdict_is(leases, 2, EMQ_OUTCOME_GONE, EMQ_OK);
  verdict_is(leases, 3, EMQ_OUTCOME_DONE, EMQ_OK);
  verdict_is(leases, 4, EMQ_OUTCOME_GONE, EMQ_OK);
  verdict_is(leases, 5, EMQ_OUTCOME_NONE, EMQ_ERR_STALE);
  verdict_is(leases, 6, EMQ_OUTCOME_NONE, EMQ_OK);
  emq_leases_free(leases);
  counts_are(1, 2, 0, 0);
}

QueueTest(many, more_completions_than_one_flush_takes) {
  static emq_id ids[2300];
  emq_batch *batch;
  OK(emq_batch_new(&batch, &error));
  for (size_t i = 0; i < 2300; i++)
    OK(emq_batch_add(batch, "x", 1, &error));
  OK(emq_enqueue_many(client, Q, batch, &error));
  for (size_t i = 0; i < 2300; i++)
    OK(emq_id_parse(&ids[i], emq_batch_id(batch, i).ptr, EMQ_ID_LEN, &error));
  claim_these(ids, 1000, 1000, 1);
  claim_these(ids + 1000, 1000, 1000, 1);
  claim_these(ids + 2000, 300, 1000, 1);
  emq_leases *leases = leases_of(ids, 2300, 1);
  OK(emq_complete_many(client, Q, leases, &error));
  for (size_t i = 0; i < 2300; i++)
    verdict_is(leases, i, EMQ_OUTCOME_DONE, EMQ_OK);
  counts_are(0, 0, 0, 0);
  cr_assert_eq(counted(EMQ_COUNT_COMPLETED), 2300);
  emq_leases_free(leases);
  emq_batch_free(batch);
}

/* Children of flows among plain jobs: the one queue's parent, another's, and one that is no id. */
QueueTest(many, flow_children_are_completed_among_the_others) {
  emq_id parent = enqueue("P"), ids[5];
  number("ZREM emq:{q}:pending %s", parent.text);
  number("HSET " ROW "%s state awaiting_children", parent.text);
  number("SET " ROW "%s:dependencies 2", parent.text);
  enqueue_all(ids, 5);
  number("HSET " ROW "%s parent %s", ids[1].text, parent.text);
  number("HSET " ROW "%s parent JOB0KHTOWnGLuC parent_queue far", ids[2].text);
  number("HSET " ROW "%s parent %s parent_queue q", ids[3].text, parent.text);
  number("HSET " ROW "%s parent nonsense", ids[4].text);
  claim_these(ids, 5, 9, 1);
  emq_leases *leases;
  OK(emq_leases_new(&leases, &error));
  for (int i = 0; i < 5; i++)
    OK(emq_leases_add(leases, ID(ids[i]), 1, i == 1 ? NULL : "r\0", i == 1 ? 0 : 2, &error));
  OK(emq_complete_many(client, Q, leases, &error));
  for (size_t i = 0; i < 4; i++)
    verdict_is(leases, i, EMQ_OUTCOME_DONE, EMQ_OK);
  verdict_is(leases, 4, EMQ_OUTCOME_NONE, EMQ_ERR_STATE);
  emq_leases_free(leases);
  is_in(&parent, EMQ_STATE_PENDING);
  cr_assert_eq(number("GET " ROW "%s:dependencies", parent.text), 0);
  cr_assert_str_eq(text("HGET " ROW "%s:processed %s", parent.text, ids[1].text), ids[1].text);
  cr_assert_eq(number("HSTRLEN " ROW "%s:processed %s", parent.text, ids[3].text), 2);
  cr_assert_eq(number("LLEN emq:{q}:flow:outbox"), 1);
  is_in(&ids[4], EMQ_STATE_ACTIVE);
}

/* ---- extensions ---- */

QueueTest(many, an_id_that_comes_twice_is_told_apart_by_its_token) {
  emq_id job = enqueue("x");
  claim(&job, 1, 60000);
  emq_leases *leases = leases_of(&job, 1, 1);
  OK(emq_leases_add(leases, ID(job), 7, NULL, 0, &error));
  OK(emq_extend_many(client, Q, leases, 90000, &error));
  verdict_is(leases, 0, EMQ_OUTCOME_DONE, EMQ_OK);
  verdict_is(leases, 1, EMQ_OUTCOME_NONE, EMQ_ERR_STALE);
  emq_leases_free(leases);
}

QueueTest(many, every_extension_has_its_verdict) {
  emq_id live = enqueue("x"), stale = enqueue("x"), gone = {"JOB0KHTOWnGLuC"};
  claim(&live, 1, 60000);
  claim(&stale, 1, 60000);
  long long before = score("active", &stale);
  emq_leases *leases = leases_of(&live, 1, 1);
  OK(emq_leases_add(leases, ID(stale), 999, NULL, 0, &error));
  OK(emq_leases_add(leases, ID(gone), 1, NULL, 0, &error));
  OK(emq_extend_many(client, Q, leases, 90000, &error));
  verdict_is(leases, 0, EMQ_OUTCOME_DONE, EMQ_OK);
  verdict_is(leases, 1, EMQ_OUTCOME_NONE, EMQ_ERR_STALE);
  verdict_is(leases, 2, EMQ_OUTCOME_NONE, EMQ_ERR_STALE);
  cr_assert_geq(score("active", &live), before + 29000);
  cr_assert_eq(score("active", &stale), before);
  cr_assert_eq(size("active"), 2);
  emq_leases_free(leases);
}

/* Its token is still the latest; but it is pending, and must not be active too. */
QueueTest(many, a_lease_that_was_taken_back_is_not_extended_among_others) {
  emq_id ids[2];
  enqueue_all(ids, 2);
  claim(&ids[0], 1, 1);
  claim(&ids[1], 1, 60000);
  await("active", &ids[0]);
  cr_assert_eq(reap(), 1);
  emq_leases *leases = leases_of(ids, 2, 1);
  OK(emq_extend_many(client, Q, leases, 90000, &error));
  verdict_is(leases, 0, EMQ_OUTCOME_NONE, EMQ_ERR_STALE);
  verdict_is(leases, 1, EMQ_OUTCOME_DONE, EMQ_OK);
  is_in(&ids[0], EMQ_STATE_PENDING);
  emq_leases_free(leases);
}

QueueTest(many, more_extensions_than_one_request_takes) {
  emq_id ids[200];
  enqueue_all(ids, 200);
  claim_these(ids, 200, 1000, 1);
  emq_leases *leases = leases_of(ids, 200, 1);
  cr_assert_eq(complete(&ids[0], 1), EMQ_OUTCOME_DONE);
  cr_assert_eq(complete(&ids[64], 1), EMQ_OUTCOME_DONE);
  cr_assert_eq(complete(&ids[199], 1), EMQ_OUTCOME_DONE);
  long long before = score("active", &ids[100]);
  OK(emq_extend_many(client, Q, leases, 90000, &error));
  for (size_t i = 0; i < 200; i++) {
    bool left = i == 0 || i == 64 || i == 199;
    verdict_is(leases, i, left ? EMQ_OUTCOME_NONE : EMQ_OUTCOME_DONE,
               left ? EMQ_ERR_STALE : EMQ_OK);
    if (!left)
      cr_assert_geq(score("active", &ids[i]), before + 29000);
  }
  cr_assert_eq(size("active"), 197);
  emq_leases_free(leases);
}

/* What a heartbeat has said of a job is no word on its completion. */
QueueTest(many, leases_that_were_extended_can_be_completed) {
  emq_id ids[3];
  enqueue_all(ids, 3);
  claim_these(ids, 3, 3, 1);
  emq_leases *leases = leases_of(ids, 3, 1);
  for (int beat = 0; beat < 2; beat++)
    OK(emq_extend_many(client, Q, leases, 90000, &error));
  OK(emq_complete_many(client, Q, leases, &error));
  for (size_t i = 0; i < 3; i++)
    verdict_is(leases, i, EMQ_OUTCOME_DONE, EMQ_OK);
  counts_are(0, 0, 0, 0);
  cr_assert_eq(counted(EMQ_COUNT_COMPLETED), 3);
  OK(emq_extend_many(client, Q, leases, 90000, &error));
  for (size_t i = 0; i < 3; i++)
    verdict_is(leases, i, EMQ_OUTCOME_NONE, EMQ_ERR_STALE);
  emq_leases_free(leases);
}

QueueTest(many, an_extension_of_bad_length_is_refused_for_all) {
  emq_id id = enqueue("x");
  claim(&id, 1, 60000);
  emq_leases *leases = leases_of(&id, 1, 1);
  REFUSES(emq_extend_many(client, Q, leases, 0, &error), EMQ_ERR_INVALID_ARGUMENT, "");
  cr_assert_str_eq(error.message, "lease is 0 ms, 1 to 31536000000 are allowed");
  verdict_is(leases, 0, EMQ_OUTCOME_NONE, EMQ_ERR_INVALID_ARGUMENT);
  OK(emq_extend_many(client, Q, leases, 70000, &error));
  verdict_is(leases, 0, EMQ_OUTCOME_DONE, EMQ_OK);
  REFUSES(emq_complete_many(client, "", 0, leases, &error), EMQ_ERR_INVALID_ARGUMENT, "");
  emq_leases_free(leases);
}

QueueTest(many, nothing_at_all) {
  emq_leases *leases = leases_of(NULL, 0, 1);
  OK(emq_complete_many(client, Q, leases, &error));
  OK(emq_extend_many(client, Q, leases, 1000, &error));
  emq_leases_free(leases);
  emq_leases_free(NULL);
  emq_jobs_free(NULL);
  emq_list_free(NULL);
}

QueueTest(many, a_lease_that_is_none_names_its_item) {
  emq_id id = {"JOB0KHTOWnGLuC"};
  emq_leases *leases = leases_of(&id, 1, 1);
  REFUSES(emq_leases_add(leases, ID(id), 0, NULL, 0, &error), EMQ_ERR_INVALID_ARGUMENT, "");
  cr_assert_str_eq(error.message, "item 1: token 0 is of no claim: tokens start at 1");
  REFUSES(emq_leases_add(leases, "no", 2, 1, NULL, 0, &error), EMQ_ERR_INVALID_ARGUMENT, "");
  cr_assert_eq(strncmp(error.message, "item 1: ", 8), 0, "%s", error.message);
  REFUSES(emq_leases_add(leases, ID(id), 1, "x", EMQ_PAYLOAD_MAX + 1, &error),
          EMQ_ERR_INVALID_ARGUMENT, "");
  cr_assert_eq(emq_leases_size(leases), 1);
  emq_leases_free(leases);
}
