/* SPDX-License-Identifier: MIT */
#ifndef EMQ_TESTS_QUEUE_H
#define EMQ_TESTS_QUEUE_H

/* A queue on a server of its own, for one test: a client, raw commands beside it, and short words
 * for what tests do with jobs. Such a test is written QueueTest(suite, name) { ... }: at its end
 * emq_check_queue must find the queue sound. */

#include <time.h>

#include "server.h"

static server s;
static emq_client *client;
static emq_error error;
static redisContext *raw_context;
static bool queue_offends; /* set by a test that has put something wrong into the queue */

#define OK(call) cr_assert_eq(call, EMQ_OK, "%s", error.message)

/* A call that is refused with a code and a server's text ("": any or none). */
#define REFUSES(call, status, text)                                                                \
  do {                                                                                             \
    emq_status refusal = call;                                                                     \
    cr_assert_eq(refusal, status, "%d: %s", (int)refusal, error.message);                          \
    if (*(text))                                                                                   \
      cr_assert_str_eq(error.server_text, text);                                                   \
  } while (0)

/* Asserts that the check finds nothing. */
static inline void sound(void) {
  emq_list *offenders;
  OK(emq_check_queue(&offenders, client, Q, &error));
  cr_assert_eq(emq_list_size(offenders), 0, "%zu offend: %s", emq_list_size(offenders),
               emq_list_text(offenders, 0).ptr);
  emq_list_free(offenders);
}

static inline void queue_start(void) {
  server_start(&s, NULL);
  client = client_for(s.url);
  raw_context = redisConnectUnix(s.path);
  cr_assert(raw_context && !raw_context->err);
}

static inline void queue_stop(void) {
  redisFree(raw_context);
  emq_client_free(client);
  server_stop(&s);
}

/* An assertion of a .fini would not count: the check is made where the test's body has ended. */
#define QueueTest(suite, name)                                                                     \
  static void suite##_##name##_body(void);                                                         \
  Test(suite, name) {                                                                              \
    suite##_##name##_body();                                                                       \
    if (!queue_offends)                                                                            \
      sound();                                                                                     \
  }                                                                                                \
  static void suite##_##name##_body(void)

/* ---- raw commands, in the format of redisCommand ---- */

static inline redisReply *raw_reply(const char *format, va_list arguments) {
  redisReply *reply = redisvCommand(raw_context, format, arguments);
  cr_assert_not_null(reply, "%s: %s", format, raw_context->errstr);
  cr_assert_neq(reply->type, REDIS_REPLY_ERROR, "%s: %s", format, reply->str);
  return reply;
}

static inline redisReply *raw(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  redisReply *reply = raw_reply(format, arguments);
  va_end(arguments);
  return reply;
}

/* A number, or a text as one; -1 for nil. */
static inline long long number(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  redisReply *reply = raw_reply(format, arguments);
  va_end(arguments);
  long long value = reply->type == REDIS_REPLY_INTEGER ? reply->integer
                    : reply->type == REDIS_REPLY_NIL   ? -1
                    : reply->str                       ? atoll(reply->str)
                                                       : (long long)reply->elements;
  freeReplyObject(reply);
  return value;
}

/* A text, "(nil)" for nil; valid until the eighth text after it. */
static inline const char *text(const char *format, ...) {
  static char rooms[8][256];
  static int next;
  char *room = rooms[next++ % 8];
  va_list arguments;
  va_start(arguments, format);
  redisReply *reply = raw_reply(format, arguments);
  va_end(arguments);
  snprintf(room, sizeof *rooms, "%s", reply->type == REDIS_REPLY_NIL ? "(nil)" : reply->str);
  freeReplyObject(reply);
  return room;
}

#define ROW "emq:{q}:job:"

static inline const char *field(const emq_id *id, const char *name) {
  return text("HGET " ROW "%s %s", id->text, name);
}

static inline long long score(const char *set, const emq_id *id) {
  return number("ZSCORE emq:{q}:%s %s", set, id->text);
}

static inline long long size(const char *set) { return number("ZCARD emq:{q}:%s", set); }

/* ---- the server's clock ---- */

static inline long long server_ms(void) {
  redisReply *time = raw("TIME");
  long long ms = atoll(time->element[0]->str) * 1000 + atoll(time->element[1]->str) / 1000;
  freeReplyObject(time);
  return ms;
}

/* Waits until the server's clock has reached the time that a job has in a set. */
static inline void await(const char *set, const emq_id *id) {
  long long due = score(set, id), start = server_ms();
  cr_assert_gt(due, 0, "%s is not in %s", id->text, set);
  cr_assert_lt(due - start, 5000, "%s is due in %lld ms", id->text, due - start);
  while (server_ms() < due)
    nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* ---- jobs ---- */

static inline emq_id enqueue(const char *payload) {
  emq_id id;
  OK(emq_enqueue(&id, client, Q, payload, strlen(payload), &error));
  return id;
}

static inline bool same_id(emq_bytes got, const emq_id *id) {
  return got.len == EMQ_ID_LEN && memcmp(got.ptr, id->text, EMQ_ID_LEN) == 0;
}

/* Claims the job that must come next, with the token it must have. */
static inline void claim(const emq_id *id, int64_t token, int64_t lease_ms) {
  emq_job *job;
  OK(emq_claim(&job, client, Q, lease_ms, &error));
  cr_assert_not_null(job, "the queue is empty, %s was expected", id->text);
  cr_assert(same_id(emq_job_id(job), id), "%s came, not %s", emq_job_id(job).ptr, id->text);
  cr_assert_eq(emq_job_token(job), token);
  emq_job_free(job);
}

static inline void claim_nothing(void) {
  emq_job *job;
  OK(emq_claim(&job, client, Q, 60000, &error));
  cr_assert_null(job);
}

/* Claims jobs that must be exactly these, in order, all with the same token. */
static inline void claim_these(const emq_id *ids, size_t count, int64_t size, int64_t token) {
  emq_jobs *jobs;
  OK(emq_claim_many(&jobs, client, Q, size, 60000, &error));
  cr_assert_eq(emq_jobs_size(jobs), count);
  for (size_t i = 0; i < count; i++) {
    cr_assert(same_id(emq_jobs_id(jobs, i), &ids[i]), "job %zu", i);
    cr_assert_eq(emq_jobs_token(jobs, i), token);
  }
  emq_jobs_free(jobs);
}

static inline emq_outcome complete(const emq_id *id, int64_t token) {
  emq_outcome outcome;
  OK(emq_complete(&outcome, client, Q, ID(*id), token, NULL, 0, &error));
  return outcome;
}

static inline emq_outcome retry(const emq_id *id, int64_t token, int64_t delay_ms, int64_t max,
                                const char *reason) {
  emq_outcome outcome;
  OK(emq_retry(&outcome, client, Q, ID(*id), token, delay_ms, max, reason, strlen(reason), &error));
  return outcome;
}

static inline int64_t promote(int64_t limit) {
  int64_t moved;
  OK(emq_promote(&moved, client, Q, limit, &error));
  return moved;
}

static inline int64_t reap(void) {
  int64_t recovered;
  OK(emq_reap(&recovered, client, Q, &error));
  return recovered;
}

/* Sweeps, and asserts how many came back and how many died. */
static inline void sweep(int64_t max, int64_t limit, size_t recovered, size_t dead) {
  emq_list *back, *gone;
  OK(emq_sweep_stalled(&back, &gone, client, Q, max, limit, &error));
  cr_assert_eq(emq_list_size(back), recovered, "%zu came back", emq_list_size(back));
  cr_assert_eq(emq_list_size(gone), dead, "%zu died", emq_list_size(gone));
  emq_list_free(back);
  emq_list_free(gone);
}

static inline emq_state state_of(const emq_id *id) {
  emq_state state;
  OK(emq_state_lookup(&state, client, Q, ID(*id), &error));
  return state;
}

/* Asserts where a job is, by every way to ask. */
static inline void is_in(const emq_id *id, emq_state state) {
  emq_place place;
  OK(emq_locate(&place, client, Q, ID(*id), &error));
  cr_assert_eq(place.state, state, "%s is %s", id->text, emq_state_name(place.state));
  cr_assert_eq(place.sets, state != EMQ_STATE_ABSENT && state != EMQ_STATE_AWAITING_CHILDREN);
  cr_assert_eq(state_of(id), state, "%s is %s", id->text, emq_state_name(state_of(id)));
  if (state != EMQ_STATE_ABSENT)
    cr_assert_str_eq(field(id, "state"), emq_state_name(state));
}

static inline int64_t counted(emq_count count) {
  emq_counts counts;
  OK(emq_count_queue(&counts, client, Q, EMQ_COUNTS_ALL, &error));
  return counts.of[count];
}

/* Asserts what is pending, active, scheduled and dead. */
static inline void counts_are(int64_t pending, int64_t active, int64_t scheduled, int64_t dead) {
  cr_assert_eq(counted(EMQ_COUNT_PENDING), pending);
  cr_assert_eq(counted(EMQ_COUNT_ACTIVE), active);
  cr_assert_eq(counted(EMQ_COUNT_SCHEDULE), scheduled);
  cr_assert_eq(counted(EMQ_COUNT_DEAD), dead);
}

#endif
