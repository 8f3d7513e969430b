/* SPDX-License-Identifier: MIT */
/* A job from its admission to its end: order, tokens, retries, delays, times. */
#include "queue.h"

TestSuite(lifecycle, .init = queue_start, .fini = queue_stop, .timeout = 60);

/* ---- admission ---- */

QueueTest(lifecycle, the_store_has_the_clients_identity) {
  cr_assert_str_eq(text("GET {emq}:version"), emq_client_identity(client));
}

QueueTest(lifecycle, a_new_row_has_exactly_three_fields) {
  emq_id id = enqueue("cargo");
  redisReply *row = raw("HGETALL " ROW "%s", id.text);
  static const char *const exact[] = {"state", "pending", "attempts", "0", "payload", "cargo"};
  cr_assert_eq(row->elements, 6);
  for (size_t i = 0; i < 6; i++)
    cr_assert_str_eq(row->element[i]->str, exact[i]);
  freeReplyObject(row);
  cr_assert_eq(score("pending", &id), 0);
}

QueueTest(lifecycle, a_duplicate_changes_nothing) {
  emq_id id = enqueue("once");
  emq_outcome outcome;
  OK(emq_enqueue_as(&outcome, client, Q, ID(id), "twice", 5, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DUPLICATE);
  OK(emq_schedule_as(&outcome, client, Q, ID(id), "thrice", 6, EMQ_IN, 60000, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DUPLICATE);
  cr_assert_str_eq(field(&id, "payload"), "once");
  is_in(&id, EMQ_STATE_PENDING);
  cr_assert_eq(size("schedule"), 0);
}

QueueTest(lifecycle, an_id_of_another_kind_is_refused) {
  const char kind[] = "EMQKIND job id must be JOB-namespaced";
  emq_outcome outcome;
  REFUSES(emq_enqueue_as(&outcome, client, Q, "ORD0KHTOWnGLuC", 14, "x", 1, &error), EMQ_ERR_KIND,
          kind);
  REFUSES(emq_schedule_as(&outcome, client, Q, "ORD0KHTOWnGLuC", 14, "x", 1, EMQ_IN, 1, &error),
          EMQ_ERR_KIND, kind);
  REFUSES(emq_delay(&outcome, client, Q, "ORD0KHTOWnGLuC", 14, 1, EMQ_IN, 1, &error), EMQ_ERR_KIND,
          kind);
  cr_assert_eq(number("EXISTS " ROW "ORD0KHTOWnGLuC"), 0);
  counts_are(0, 0, 0, 0);
}

QueueTest(lifecycle, byte_order_is_mint_order) {
  emq_id ids[3];
  for (int i = 0; i < 3; i++)
    ids[i] = enqueue("o");
  redisReply *newest = raw("ZRANGE emq:{q}:pending + - BYLEX REV");
  cr_assert_eq(newest->elements, 3);
  for (int i = 0; i < 3; i++)
    cr_assert_str_eq(newest->element[i]->str, ids[2 - i].text);
  freeReplyObject(newest);
}

/* ---- claim and completion ---- */

QueueTest(lifecycle, a_claimed_job_is_active) {
  emq_id id = enqueue("work");
  emq_job *job;
  long long before = server_ms();
  OK(emq_claim(&job, client, Q, 60000, &error));
  long long after = server_ms();
  cr_assert(same_id(emq_job_id(job), &id));
  cr_assert_eq(emq_job_payload(job).len, 4);
  cr_assert_arr_eq(emq_job_payload(job).ptr, "work", 4);
  cr_assert_eq(emq_job_token(job), 1);
  emq_job_free(job);
  is_in(&id, EMQ_STATE_ACTIVE);
  cr_assert(score("active", &id) >= before + 60000 && score("active", &id) <= after + 60000);
}

QueueTest(lifecycle, another_token_is_stale) {
  number("SCRIPT FLUSH");
  emq_id id = enqueue("x");
  claim(&id, 1, 60000);
  emq_outcome outcome;
  REFUSES(emq_complete(&outcome, client, Q, ID(id), 99, NULL, 0, &error), EMQ_ERR_STALE,
          "EMQSTALE complete token mismatch");
  is_in(&id, EMQ_STATE_ACTIVE);
  cr_assert_eq(complete(&id, 1), EMQ_OUTCOME_DONE);
}

QueueTest(lifecycle, a_completed_job_is_gone) {
  emq_id id = enqueue("x");
  claim(&id, 1, 60000);
  cr_assert_eq(complete(&id, 1), EMQ_OUTCOME_DONE);
  cr_assert_eq(number("EXISTS " ROW "%s", id.text), 0);
  cr_assert_eq(size("active"), 0);
  is_in(&id, EMQ_STATE_ABSENT);
  cr_assert_eq(complete(&id, 1), EMQ_OUTCOME_GONE);
  cr_assert_eq(counted(EMQ_COUNT_COMPLETED), 1);
}

/* ---- failure ---- */

QueueTest(lifecycle, a_retry_comes_back_after_its_delay) {
  emq_id id = enqueue("x");
  claim(&id, 1, 60000);
  cr_assert_eq(retry(&id, 1, 10, 3, "boom"), EMQ_OUTCOME_SCHEDULED);
  is_in(&id, EMQ_STATE_SCHEDULED);
  cr_assert_str_eq(field(&id, "last_error"), "boom");
  await("schedule", &id);
  cr_assert_eq(promote(10), 1);
  is_in(&id, EMQ_STATE_PENDING);
  claim(&id, 2, 60000);
  cr_assert_eq(complete(&id, 2), EMQ_OUTCOME_DONE);
}

QueueTest(lifecycle, the_last_attempt_ends_in_dead) {
  emq_id id = enqueue("x");
  claim(&id, 1, 60000);
  cr_assert_eq(retry(&id, 1, 10, 1, "gave up"), EMQ_OUTCOME_DEAD);
  is_in(&id, EMQ_STATE_DEAD);
  cr_assert_str_eq(field(&id, "last_error"), "gave up");
  cr_assert_eq(score("dead", &id), 0);
  emq_list *dead;
  OK(emq_browse(&dead, client, Q, EMQ_STATE_DEAD, 10, &error));
  cr_assert_eq(emq_list_size(dead), 1);
  cr_assert(same_id(emq_list_text(dead, 0), &id));
  emq_list_free(dead);
  cr_assert_eq(counted(EMQ_COUNT_FAILED), 1);
}

/* Waits double and are capped; after three attempts it is over. */
QueueTest(lifecycle, a_poisonous_job_dies_at_its_third_attempt) {
  emq_id id = enqueue("poison");
  for (int attempt = 1; attempt <= 3; attempt++) {
    claim(&id, attempt, 60000);
    char reason[16];
    snprintf(reason, sizeof reason, "boom %d", attempt);
    int64_t delay = 1 << (attempt - 1) < 10 ? 1 << (attempt - 1) : 10;
    cr_assert_eq(retry(&id, attempt, delay, 3, reason),
                 attempt < 3 ? EMQ_OUTCOME_SCHEDULED : EMQ_OUTCOME_DEAD);
    if (attempt < 3) {
      await("schedule", &id);
      cr_assert_eq(promote(10), 1);
    }
  }
  is_in(&id, EMQ_STATE_DEAD);
  cr_assert_str_eq(field(&id, "last_error"), "boom 3");
  cr_assert_str_eq(field(&id, "attempts"), "3");
  claim_nothing();
}

QueueTest(lifecycle, a_reason_is_kept_as_it_is_and_cut_between_characters) {
  emq_id id = enqueue("x");
  claim(&id, 1, 60000);
  emq_outcome outcome;
  OK(emq_retry(&outcome, client, Q, ID(id), 1, 0, 9, "a\0b", 3, &error));
  cr_assert_eq(number("HSTRLEN " ROW "%s last_error", id.text), 3);
  cr_assert_eq(promote(1), 1);
  claim(&id, 2, 60000);
  static char reason[EMQ_REASON_MAX + 100];
  memset(reason, 'x', sizeof reason);
  memcpy(reason + EMQ_REASON_MAX - 1, "\xc3\xa9", 2); /* half of it would fit */
  OK(emq_retry(&outcome, client, Q, ID(id), 2, 0, 2, reason, sizeof reason, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DEAD);
  cr_assert_eq(number("HSTRLEN " ROW "%s last_error", id.text), EMQ_REASON_MAX - 1);
}

QueueTest(lifecycle, retries_that_are_refused) {
  emq_id id = enqueue("x"), unknown = {"JOB0KHTOWnGLuC"};
  claim(&id, 1, 60000);
  emq_outcome outcome;
  REFUSES(emq_retry(&outcome, client, Q, ID(id), 2, 0, 1, "no", 2, &error), EMQ_ERR_STALE,
          "EMQSTALE retry token mismatch");
  is_in(&id, EMQ_STATE_ACTIVE);
  cr_assert_str_eq(field(&id, "last_error"), "(nil)");
  cr_assert_eq(retry(&unknown, 1, 0, 1, "no"), EMQ_OUTCOME_GONE);
  cr_assert_eq(number("EXISTS " ROW "%s", unknown.text), 0);
  cr_assert_eq(size("dead"), 0);
}

/* The token is still the latest; but nobody holds the job. */
QueueTest(lifecycle, what_is_scheduled_or_dead_cannot_be_settled) {
  emq_id id = enqueue("x");
  claim(&id, 1, 60000);
  cr_assert_eq(retry(&id, 1, 60000, 9, "first"), EMQ_OUTCOME_SCHEDULED);
  for (int round = 0; round < 2; round++) {
    emq_state state = round ? EMQ_STATE_DEAD : EMQ_STATE_SCHEDULED;
    int64_t token = round + 1;
    emq_outcome outcome;
    REFUSES(emq_complete(&outcome, client, Q, ID(id), token, NULL, 0, &error), EMQ_ERR_STATE,
            "EMQSTATE not active");
    REFUSES(emq_retry(&outcome, client, Q, ID(id), token, 0, 9, "again", 5, &error), EMQ_ERR_STATE,
            "EMQSTATE not active");
    REFUSES(emq_retry(&outcome, client, Q, ID(id), token, 0, 1, "again", 5, &error), EMQ_ERR_STATE,
            "EMQSTATE not active");
    REFUSES(emq_delay(&outcome, client, Q, ID(id), token, EMQ_IN, 1, &error), EMQ_ERR_STATE,
            "EMQSTATE not active");
    REFUSES(emq_extend(&outcome, client, Q, ID(id), token, 1000, &error), EMQ_ERR_STALE,
            "EMQSTALE lease lapsed");
    is_in(&id, state);
    cr_assert_str_eq(field(&id, "last_error"), round ? "last" : "first");
    if (round == 0) {
      number("ZADD emq:{q}:schedule 1 %s", id.text);
      cr_assert_eq(promote(1), 1);
      claim(&id, 2, 60000);
      cr_assert_eq(retry(&id, 2, 0, 2, "last"), EMQ_OUTCOME_DEAD);
    }
  }
  cr_assert_eq(counted(EMQ_COUNT_COMPLETED), 0);
  cr_assert_eq(counted(EMQ_COUNT_FAILED), 1);
}

/* ---- times ---- */

QueueTest(lifecycle, a_job_scheduled_from_now) {
  emq_id id;
  long long before = server_ms();
  OK(emq_schedule(&id, client, Q, "later", 5, EMQ_IN, 30, &error));
  long long due = score("schedule", &id);
  cr_assert(due >= before + 30 && due <= server_ms() + 30);
  is_in(&id, EMQ_STATE_SCHEDULED);
  cr_assert_str_eq(field(&id, "payload"), "later");
  cr_assert_str_eq(field(&id, "attempts"), "0");
  claim_nothing();
  await("schedule", &id);
  cr_assert_eq(promote(10), 1);
  claim(&id, 1, 60000);
  cr_assert_eq(complete(&id, 1), EMQ_OUTCOME_DONE);
}

QueueTest(lifecycle, a_job_scheduled_at_a_time) {
  emq_id past, far;
  OK(emq_schedule(&far, client, Q, "far", 3, EMQ_AT, EMQ_TIME_MAX_MS, &error));
  OK(emq_schedule(&past, client, Q, "past", 4, EMQ_AT, 0, &error));
  cr_assert_eq(score("schedule", &far), EMQ_TIME_MAX_MS);
  emq_place place;
  OK(emq_locate(&place, client, Q, ID(far), &error));
  cr_assert_eq(place.score_ms, EMQ_TIME_MAX_MS);
  cr_assert_eq(promote(10), 1);
  is_in(&past, EMQ_STATE_PENDING);
  is_in(&far, EMQ_STATE_SCHEDULED);
  cr_assert_eq(promote(10), 0);
}

QueueTest(lifecycle, a_time_of_the_callers_under_an_id_of_the_callers) {
  emq_id id = {"JOB0KHTOWnGLuC"};
  emq_outcome outcome;
  OK(emq_schedule_as(&outcome, client, Q, ID(id), "x", 1, EMQ_AT, 1767225600123, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_SCHEDULED);
  cr_assert_eq(score("schedule", &id), 1767225600123);
  OK(emq_schedule_as(&outcome, client, Q, ID(id), "y", 1, EMQ_AT, 5, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DUPLICATE);
  OK(emq_enqueue_as(&outcome, client, Q, ID(id), "z", 1, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DUPLICATE);
  cr_assert_eq(score("schedule", &id), 1767225600123);
  cr_assert_str_eq(field(&id, "payload"), "x");
}

/* ---- putting off ---- */

QueueTest(lifecycle, a_delay_is_no_failure) {
  emq_id id = enqueue("x");
  claim(&id, 1, 60000);
  emq_outcome outcome;
  OK(emq_delay(&outcome, client, Q, ID(id), 1, EMQ_IN, 40, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DONE);
  is_in(&id, EMQ_STATE_SCHEDULED);
  cr_assert_str_eq(field(&id, "attempts"), "1");
  cr_assert_str_eq(field(&id, "last_error"), "(nil)");
  claim_nothing();
  await("schedule", &id);
  cr_assert_eq(promote(10), 1);
  claim(&id, 2, 60000);
  cr_assert_eq(complete(&id, 2), EMQ_OUTCOME_DONE);
}

QueueTest(lifecycle, a_delay_by_who_lost_the_job_is_stale) {
  number("SCRIPT FLUSH");
  emq_id id = enqueue("x"), unknown = {"JOB0KHTOWnGLuC"};
  claim(&id, 1, 30);
  await("active", &id);
  cr_assert_eq(reap(), 1);
  claim(&id, 2, 60000);
  emq_outcome outcome;
  REFUSES(emq_delay(&outcome, client, Q, ID(id), 1, EMQ_IN, 40, &error), EMQ_ERR_STALE,
          "EMQSTALE delay token mismatch");
  is_in(&id, EMQ_STATE_ACTIVE);
  OK(emq_delay(&outcome, client, Q, ID(id), 2, EMQ_AT, 1767225600000, &error));
  is_in(&id, EMQ_STATE_SCHEDULED);
  cr_assert_eq(score("schedule", &id), 1767225600000);
  OK(emq_delay(&outcome, client, Q, ID(unknown), 1, EMQ_IN, 40, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_GONE);
}

/* A job that was taken back and not claimed again is still its last holder's. */
QueueTest(lifecycle, a_reaped_job_is_still_its_last_holders) {
  emq_id ids[3] = {enqueue("a"), enqueue("b"), enqueue("c")};
  for (int i = 0; i < 3; i++)
    claim(&ids[i], 1, 1);
  await("active", &ids[2]);
  cr_assert_eq(reap(), 3);
  cr_assert_eq(complete(&ids[0], 1), EMQ_OUTCOME_DONE);
  cr_assert_eq(retry(&ids[1], 1, 60000, 5, "late"), EMQ_OUTCOME_SCHEDULED);
  emq_outcome outcome;
  OK(emq_delay(&outcome, client, Q, ID(ids[2]), 1, EMQ_IN, 60000, &error));
  counts_are(0, 0, 2, 0);
}

/* A row that somebody has damaged is refused as a whole. */
QueueTest(lifecycle, attempts_that_are_no_number) {
  queue_offends = true;
  emq_id id = enqueue("x");
  number("HSET " ROW "%s attempts 1x", id.text);
  emq_job *job;
  cr_assert_neq(emq_claim(&job, client, Q, 1000, &error), EMQ_OK);
  emq_jobs *jobs;
  cr_assert_neq(emq_claim_many(&jobs, client, Q, 5, 1000, &error), EMQ_OK);
  cr_assert_eq(score("pending", &id), 0);
  cr_assert_str_eq(field(&id, "state"), "pending");
  emq_outcome outcome;
  REFUSES(emq_retry(&outcome, client, Q, ID(id), 1, 0, 1, "x", 1, &error), EMQ_ERR_STALE, "");
  cr_assert_str_eq(field(&id, "last_error"), "(nil)");
}
