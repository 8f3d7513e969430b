/* SPDX-License-Identifier: MIT */
/* Lanes and flows as other speakers leave them: what a settlement, a promotion, a reap and a sweep
 * do to a grouped job, and what a child's end does to its parent. */
#include "queue.h"

TestSuite(flows, .init = queue_start, .fini = queue_stop, .timeout = 60);

/* ---- lanes ---- */

#define G "GRP0KHTOWnGLuC"
#define LANE "emq:{q}:g:" G ":pending"

/* A job that waits in the lane; the lane is not put on the ring. */
static emq_id lane_job(void) {
  emq_id id = enqueue("g");
  number("ZREM emq:{q}:pending %s", id.text);
  number("HSET " ROW "%s group " G, id.text);
  number("ZADD " LANE " 0 %s", id.text);
  return id;
}

/* What a claim from the lane leaves behind, with a lease that ends at `deadline`. */
static void lane_claim(const emq_id *id, long long deadline) {
  number("ZREM " LANE " %s", id->text);
  number("HINCRBY " ROW "%s attempts 1", id->text);
  number("HSET " ROW "%s state active", id->text);
  number("ZADD emq:{q}:active %lld %s", deadline, id->text);
  number("HINCRBY emq:{q}:gactive " G " 1");
}

static void lane_is(const emq_id *id) {
  cr_assert_eq(number("ZSCORE " LANE " %s", id->text), 0);
  cr_assert_str_eq(field(id, "state"), "pending");
  cr_assert_eq(size("pending"), 0, "a grouped job is in the flat set");
}

/* Asserts what is in flight, and whether the lane is on the ring, once, with its wake token. */
static void lane_has(long long in_flight, bool on_ring) {
  long long counted_in_flight = number("HGET emq:{q}:gactive " G);
  cr_assert_eq(counted_in_flight, in_flight ? in_flight : -1, "%lld", counted_in_flight);
  cr_assert_eq(number("LLEN emq:{q}:ring"), on_ring);
  cr_assert_eq(number("LLEN emq:{q}:wake"), on_ring);
}

static const long long LATER = 9999999999999;

QueueTest(flows, a_retry_lowers_its_lane) {
  emq_id a = lane_job(), b = lane_job();
  lane_claim(&a, LATER);
  cr_assert_eq(retry(&a, 1, 60000, 9, "x"), EMQ_OUTCOME_SCHEDULED);
  lane_has(0, true); /* b waits */
  is_in(&a, EMQ_STATE_SCHEDULED);
  lane_is(&b);
}

QueueTest(flows, an_empty_lane_stays_off_the_ring) {
  emq_id a = lane_job(), b = lane_job();
  lane_claim(&a, LATER);
  lane_claim(&b, LATER);
  cr_assert_eq(retry(&a, 1, 0, 1, "x"), EMQ_OUTCOME_DEAD);
  lane_has(1, false);
  is_in(&a, EMQ_STATE_DEAD);
  emq_outcome outcome;
  OK(emq_delay(&outcome, client, Q, ID(b), 1, EMQ_IN, 60000, &error));
  lane_has(0, false);
  is_in(&b, EMQ_STATE_SCHEDULED);
}

QueueTest(flows, a_delay_lowers_its_lane) {
  emq_id a = lane_job();
  lane_claim(&a, LATER);
  lane_job();
  emq_outcome outcome;
  OK(emq_delay(&outcome, client, Q, ID(a), 1, EMQ_IN, 60000, &error));
  lane_has(0, true);
}

QueueTest(flows, a_paused_lane_and_one_at_its_limit_stay_off_the_ring) {
  emq_id a = lane_job(), b = lane_job(), c = lane_job();
  lane_claim(&a, LATER);
  lane_claim(&b, LATER);
  number("HSET emq:{q}:glimit " G " 1");
  cr_assert_eq(retry(&a, 1, 60000, 9, "x"), EMQ_OUTCOME_SCHEDULED);
  lane_has(1, false); /* b is in flight, which is the limit */
  number("SADD emq:{q}:paused " G);
  cr_assert_eq(complete(&b, 1), EMQ_OUTCOME_DONE);
  lane_has(0, false);
  number("SREM emq:{q}:paused " G);
  lane_claim(&c, LATER);
  lane_job();
  cr_assert_eq(complete(&c, 1), EMQ_OUTCOME_DONE);
  lane_has(0, true);
}

QueueTest(flows, a_lane_is_on_the_ring_once) {
  emq_id a = lane_job(), b = lane_job();
  lane_job();
  lane_claim(&a, LATER);
  lane_claim(&b, LATER);
  cr_assert_eq(complete(&a, 1), EMQ_OUTCOME_DONE);
  cr_assert_eq(retry(&b, 1, 60000, 9, "x"), EMQ_OUTCOME_SCHEDULED);
  lane_has(0, true);
}

QueueTest(flows, a_reaped_job_waits_in_its_lane) {
  emq_id a = lane_job(), b = lane_job();
  lane_claim(&a, 1);
  lane_claim(&b, LATER);
  cr_assert_eq(reap(), 1);
  lane_is(&a);
  lane_has(1, true);
  cr_assert_eq(number("ZCARD emq:{q}:active"), 1);
}

/* Its last holder may still settle it: it is taken from the lane, and an empty lane from the ring.
 */
QueueTest(flows, a_reaped_job_is_settled_out_of_its_lane) {
  for (int way = 0; way < 3; way++) {
    emq_id a = lane_job();
    lane_claim(&a, 1);
    cr_assert_eq(reap(), 1);
    lane_is(&a);
    emq_outcome outcome;
    if (way == 0)
      cr_assert_eq(complete(&a, 1), EMQ_OUTCOME_DONE);
    else if (way == 1)
      cr_assert_eq(retry(&a, 1, 60000, 9, "x"), EMQ_OUTCOME_SCHEDULED);
    else
      OK(emq_delay(&outcome, client, Q, ID(a), 1, EMQ_IN, 60000, &error));
    cr_assert_eq(number("EXISTS " LANE " emq:{q}:ring emq:{q}:gactive"), 0, "way %d", way);
  }
  counts_are(0, 0, 2, 0);
}

QueueTest(flows, a_stalled_job_waits_in_its_lane_until_it_is_dead) {
  emq_id a = lane_job();
  lane_claim(&a, 1);
  sweep(2, 10, 1, 0);
  lane_is(&a);
  lane_has(0, true);
  cr_assert_str_eq(field(&a, "stalled"), "1");
  number("DEL emq:{q}:ring emq:{q}:wake");
  lane_claim(&a, 1);
  sweep(2, 10, 0, 1);
  is_in(&a, EMQ_STATE_DEAD);
  lane_has(0, false);
}

QueueTest(flows, a_promoted_job_waits_in_its_lane) {
  emq_id a = lane_job(), b = lane_job();
  lane_claim(&a, LATER);
  lane_claim(&b, LATER);
  cr_assert_eq(retry(&a, 1, 0, 9, "x"), EMQ_OUTCOME_SCHEDULED);
  lane_has(1, false);
  number("HSET emq:{q}:glimit " G " 1");
  cr_assert_eq(promote(10), 1);
  lane_is(&a);
  lane_has(1, false); /* b is in flight, which is the limit */
  number("HSET emq:{q}:glimit " G " 2");
  cr_assert_eq(retry(&b, 1, 0, 9, "x"), EMQ_OUTCOME_SCHEDULED);
  cr_assert_eq(promote(10), 1);
  lane_is(&b);
  lane_has(0, true);
}

/* The tokens for parked consumers are no more than that. */
QueueTest(flows, wake_tokens_are_at_most_sixty_four) {
  for (int i = 0; i < 70; i++)
    number("LPUSH emq:{q}:wake 1");
  emq_id a = lane_job();
  lane_claim(&a, 1);
  cr_assert_eq(reap(), 1);
  cr_assert_eq(number("LLEN emq:{q}:wake"), 64);
}

/* What another speaker has broken is refused before anything moves. */
QueueTest(flows, a_lane_whose_count_is_no_number) {
  emq_id a = lane_job();
  lane_claim(&a, 1);
  number("HSET emq:{q}:gactive " G " many");
  emq_outcome outcome;
  int64_t moved;
  cr_assert_neq(emq_complete(&outcome, client, Q, ID(a), 1, NULL, 0, &error), EMQ_OK);
  cr_assert_neq(emq_retry(&outcome, client, Q, ID(a), 1, 0, 1, "x", 1, &error), EMQ_OK);
  cr_assert_neq(emq_delay(&outcome, client, Q, ID(a), 1, EMQ_IN, 0, &error), EMQ_OK);
  cr_assert_neq(emq_reap(&moved, client, Q, &error), EMQ_OK);
  emq_list *back, *dead;
  cr_assert_neq(emq_sweep_stalled(&back, &dead, client, Q, 1, 10, &error), EMQ_OK);
  is_in(&a, EMQ_STATE_ACTIVE);
  cr_assert_str_eq(field(&a, "last_error"), "(nil)");
  cr_assert_str_eq(field(&a, "stalled"), "(nil)");
}

/* ---- flows ---- */

/* A parent that waits for `children`. */
static emq_id parent_of(int children) {
  emq_id parent = enqueue("P");
  number("ZREM emq:{q}:pending %s", parent.text);
  number("HSET " ROW "%s state awaiting_children", parent.text);
  number("SET " ROW "%s:dependencies %d", parent.text, children);
  return parent;
}

/* A claimed child; a policy or a queue of NULL is not written. */
static emq_id child_of(const emq_id *parent, const char *queue, const char *policy) {
  emq_id child = enqueue("c");
  number("HSET " ROW "%s parent %s", child.text, parent->text);
  if (queue)
    number("HSET " ROW "%s parent_queue %s", child.text, queue);
  if (policy)
    number("HSET " ROW "%s parent_policy %s", child.text, policy);
  claim(&child, 1, 60000);
  return child;
}

static long long left(const emq_id *parent) {
  return number("GET " ROW "%s:dependencies", parent->text);
}

/* Asserts the entry of the outbox, in which a newline stands for NUL, and that there is no other.
 */
static void outbox_is(const char *format, ...) {
  char wanted[256];
  va_list arguments;
  va_start(arguments, format);
  size_t len = (size_t)vsnprintf(wanted, sizeof wanted, format, arguments);
  va_end(arguments);
  for (size_t i = 0; i < len; i++)
    wanted[i] = wanted[i] == '\n' ? '\0' : wanted[i];
  redisReply *entry = raw("LPOP emq:{q}:flow:outbox");
  cr_assert_eq(entry->type, REDIS_REPLY_STRING, "the outbox is empty");
  cr_assert_eq(entry->len, len, "%zu bytes, not %zu", entry->len, len);
  cr_assert_arr_eq(entry->str, wanted, len);
  freeReplyObject(entry);
  cr_assert_eq(number("LLEN emq:{q}:flow:outbox"), 0);
}

QueueTest(flows, a_child_that_is_tried_again_leaves_its_parent_alone) {
  emq_id parent = parent_of(1), child = child_of(&parent, NULL, NULL);
  cr_assert_eq(retry(&child, 1, 60000, 9, "once"), EMQ_OUTCOME_SCHEDULED);
  is_in(&parent, EMQ_STATE_AWAITING_CHILDREN);
  cr_assert_eq(left(&parent), 1);
  cr_assert_eq(number("EXISTS " ROW "%s:failed " ROW "%s:unsuccessful", parent.text, parent.text),
               0);
}

QueueTest(flows, a_dying_child_takes_its_parent_along) {
  static const char *const policies[] = {NULL, "fp", "other", "ID"};
  for (int i = 0; i < 4; i++) {
    emq_id parent = parent_of(2), child = child_of(&parent, i % 2 ? "q" : NULL, policies[i]);
    cr_assert_eq(retry(&child, 1, 0, 1, "boom-sq"), EMQ_OUTCOME_DEAD);
    is_in(&child, EMQ_STATE_DEAD);
    cr_assert_str_eq(field(&child, "last_error"), "boom-sq");
    is_in(&parent, EMQ_STATE_DEAD);
    cr_assert_eq(left(&parent), 2);
    cr_assert_str_eq(text("HGET " ROW "%s:failed %s", parent.text, child.text), "boom-sq");
    cr_assert_eq(number("EXISTS " ROW "%s:unsuccessful", parent.text), 0);
  }
  cr_assert_eq(counted(EMQ_COUNT_FAILED), 4);
}

/* A parent that was released by hand goes from pending to dead. */
QueueTest(flows, a_dying_child_takes_its_parent_out_of_pending) {
  emq_id parent = parent_of(1), child = child_of(&parent, NULL, "fp");
  number("ZADD emq:{q}:pending 0 %s", parent.text);
  number("HSET " ROW "%s state pending", parent.text);
  cr_assert_eq(retry(&child, 1, 0, 1, "x"), EMQ_OUTCOME_DEAD);
  is_in(&parent, EMQ_STATE_DEAD);
}

QueueTest(flows, a_dying_child_that_does_not_matter_is_counted_down) {
  emq_id parent = parent_of(2), ignored = child_of(&parent, NULL, "id"),
         good = child_of(&parent, "q", NULL);
  cr_assert_eq(retry(&ignored, 1, 0, 1, "skip-me"), EMQ_OUTCOME_DEAD);
  cr_assert_eq(left(&parent), 1);
  is_in(&parent, EMQ_STATE_AWAITING_CHILDREN);
  cr_assert_str_eq(text("HGET " ROW "%s:unsuccessful %s", parent.text, ignored.text), "skip-me");
  emq_outcome outcome;
  OK(emq_complete(&outcome, client, Q, ID(good), 1, "g-done", 6, &error));
  cr_assert_eq(left(&parent), 0);
  is_in(&parent, EMQ_STATE_PENDING);
  cr_assert_str_eq(text("HGET " ROW "%s:processed %s", parent.text, good.text), "g-done");
  cr_assert_eq(number("HLEN " ROW "%s:processed", parent.text), 1);
  cr_assert_eq(number("EXISTS " ROW "%s:failed", parent.text), 0);
  claim(&parent, 1, 60000);
}

QueueTest(flows, the_last_child_that_does_not_matter_releases_its_parent) {
  emq_id parent = parent_of(1), child = child_of(&parent, NULL, "id");
  cr_assert_eq(retry(&child, 1, 0, 1, "x"), EMQ_OUTCOME_DEAD);
  is_in(&parent, EMQ_STATE_PENDING);
  is_in(&child, EMQ_STATE_DEAD);
}

QueueTest(flows, a_dying_child_tells_a_parent_of_another_queue) {
  static const char *const policies[] = {NULL, "fp", "id"};
  static const emq_id parent = {"JOB0KHTOWnGLuC"};
  for (int i = 0; i < 3; i++) {
    emq_id child = child_of(&parent, "far away", policies[i]);
    cr_assert_eq(retry(&child, 1, 0, 1, "boom-xq"), EMQ_OUTCOME_DEAD);
    is_in(&child, EMQ_STATE_DEAD);
    outbox_is("\nfail\nfar away\n%s\n%s\n%s\nboom-xq", parent.text, child.text,
              i == 2 ? "id" : "fp");
  }
  is_in(&parent, EMQ_STATE_ABSENT);
}

QueueTest(flows, a_completed_child_tells_a_parent_of_another_queue) {
  static const emq_id parent = {"JOB0KHTOWnGLuC"};
  emq_id child = child_of(&parent, "far", NULL);
  emq_outcome outcome;
  OK(emq_complete(&outcome, client, Q, ID(child), 1, "done", 4, &error));
  outbox_is("far\n%s\n%s\ndone", parent.text, child.text);
  child = child_of(&parent, "far", NULL);
  OK(emq_complete(&outcome, client, Q, ID(child), 1, "", 0, &error));
  outbox_is("far\n%s\n%s\n", parent.text, child.text);
}

/* Reaped, and not held any more: the parent hears of it from who claims it next. */
QueueTest(flows, a_reaped_child_counts_for_nothing_until_it_is_claimed) {
  emq_id parent = parent_of(1), child = child_of(&parent, NULL, NULL);
  number("ZADD emq:{q}:active 1 %s", child.text);
  cr_assert_eq(reap(), 1);
  emq_outcome outcome;
  REFUSES(emq_extend(&outcome, client, Q, ID(child), 1, 1000, &error), EMQ_ERR_STALE,
          "EMQSTALE lease lapsed");
  claim(&child, 2, 60000);
  OK(emq_complete(&outcome, client, Q, ID(child), 2, NULL, 0, &error));
  is_in(&parent, EMQ_STATE_PENDING);
}

QueueTest(flows, a_child_whose_parent_cannot_be_told_is_left_as_it_was) {
  static const emq_id parent = {"JOB0KHTOWnGLuC"};
  emq_id nonsense = child_of(&parent, NULL, NULL), nowhere = child_of(&parent, NULL, NULL);
  number("HSET " ROW "%s parent nonsense", nonsense.text);
  number("HSET " ROW "%s parent_queue %b", nowhere.text, "a\0b", (size_t)3);
  const emq_id *const children[] = {&nonsense, &nowhere};
  for (int i = 0; i < 2; i++) {
    emq_outcome outcome;
    REFUSES(emq_retry(&outcome, client, Q, ID(*children[i]), 1, 0, 1, "x", 1, &error),
            EMQ_ERR_STATE, "");
    cr_assert_not_null(strstr(error.message, "parent"), "%s", error.message);
    is_in(children[i], EMQ_STATE_ACTIVE);
    cr_assert_str_eq(field(children[i], "last_error"), "(nil)");
    /* While it is only tried again, nobody has to be told. */
    cr_assert_eq(retry(children[i], 1, 60000, 2, "x"), EMQ_OUTCOME_SCHEDULED);
  }
  cr_assert_eq(counted(EMQ_COUNT_FAILED), 0);
}

/* A count that is no number refuses the child's end as a whole. */
QueueTest(flows, a_parent_whose_count_is_no_number) {
  emq_id parent = parent_of(1), child = child_of(&parent, NULL, "id");
  number("DEL " ROW "%s:dependencies", parent.text);
  number("SET " ROW "%s:dependencies few", parent.text);
  emq_outcome outcome;
  cr_assert_neq(emq_retry(&outcome, client, Q, ID(child), 1, 0, 1, "x", 1, &error), EMQ_OK);
  cr_assert_neq(emq_complete(&outcome, client, Q, ID(child), 1, NULL, 0, &error), EMQ_OK);
  is_in(&child, EMQ_STATE_ACTIVE);
  is_in(&parent, EMQ_STATE_AWAITING_CHILDREN);
  cr_assert_str_eq(field(&child, "last_error"), "(nil)");
}

/* Grouped and a child: both bookkeepings in one step. */
QueueTest(flows, a_grouped_child_dies) {
  emq_id parent = parent_of(1), child = lane_job();
  number("HSET " ROW "%s parent %s", child.text, parent.text);
  lane_claim(&child, LATER);
  lane_job();
  cr_assert_eq(retry(&child, 1, 0, 1, "x"), EMQ_OUTCOME_DEAD);
  lane_has(0, true);
  is_in(&parent, EMQ_STATE_DEAD);
}
