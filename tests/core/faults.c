/* SPDX-License-Identifier: MIT */
/* What goes wrong between a client and its server, and what the caller then knows. */
#include <stdatomic.h>
#include <time.h>

#include "server.h"

static server s;
static emq_error error;

static void start(void) { server_start(&s, NULL); }

static void stop(void) {
  kill(s.pid, SIGCONT);
  server_stop(&s);
}

TestSuite(faults, .init = start, .fini = stop, .timeout = 60);

#define OK(call) cr_assert_eq(call, EMQ_OK, "%s", error.message)

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static emq_client *quick_client(const char *url) {
  emq_options options = options_for(url);
  options.call_timeout_ms = 400;
  options.connect_timeout_ms = 400;
  emq_client *client = NULL;
  OK(emq_client_open(&client, &options, &error));
  return client;
}

/* ---- a connection that is gone before the call ---- */

Test(faults, a_killed_connection_is_opened_again) {
  emq_client *client = client_for(s.url);
  for (int i = 0; i < 5; i++) {
    emq_id id;
    server_do(&s, "CLIENT KILL TYPE normal");
    OK(emq_enqueue(&id, client, Q, "x", 1, &error));
  }
  cr_assert_eq(server_number(&s, "ZCARD emq:{q}:pending"), 5);
  emq_client_free(client);
}

Test(faults, a_reconnect_passes_the_fence_again) {
  emq_client *client = client_for(s.url);
  server_do(&s, "SET {emq}:version echomq:6.0.0");
  server_do(&s, "CLIENT KILL TYPE normal");
  emq_id id;
  cr_assert_eq(emq_enqueue(&id, client, Q, "x", 1, &error), EMQ_ERR_FENCE);
  cr_assert_str_eq(error.found, "echomq:6.0.0");
  cr_assert_eq(server_number(&s, "DBSIZE"), 1);
  emq_client_free(client);
}

Test(faults, user_database_and_name_survive_a_reconnect) {
  server_do(&s, "ACL SETUSER ann on >pw ~* +@all");
  emq_options options = options_for(s.url);
  char url[300];
  snprintf(url, sizeof url, "unix://%s?db=3", s.path);
  options.url = (emq_bytes){url, strlen(url)};
  options.username = (emq_bytes){"ann", 3};
  options.password = (emq_bytes){"pw", 2};
  options.client_name = (emq_bytes){"worker-1", 8};
  emq_client *client;
  OK(emq_client_open(&client, &options, &error));
  server_do(&s, "CLIENT KILL USER ann");
  emq_id id;
  OK(emq_enqueue(&id, client, Q, "x", 1, &error));
  redisReply *list = server_raw(&s, "CLIENT LIST");
  cr_assert_not_null(strstr(list->str, "name=worker-1"));
  cr_assert_not_null(strstr(list->str, "user=ann"));
  cr_assert_not_null(strstr(list->str, "db=3"));
  freeReplyObject(list);
  emq_client_free(client);
}

static char folder[] = "/tmp/echomq-restart-XXXXXX";

static void *start_again(void *server) {
  server_start(server, "--dir", folder, NULL);
  return NULL;
}

/* The call begins while nobody listens, and ends once somebody does. */
Test(faults, a_server_that_comes_back_is_found_again) {
  server first, second;
  cr_assert_not_null(mkdtemp(folder));
  server_start(&first, "--dir", folder, NULL);
  emq_client *client = client_for(first.url);
  server_stop(&first);
  emq_options options = options_for(first.url);
  refused(&options, EMQ_ERR_CONNECTION);
  pthread_t starter;
  pthread_create(&starter, NULL, start_again, &second);
  emq_id id;
  OK(emq_enqueue(&id, client, Q, "x", 1, &error));
  pthread_join(starter, NULL);
  cr_assert_eq(server_number(&second, "ZCARD emq:{q}:pending"), 1);
  emq_client_free(client);
  server_stop(&second);
  char remove[64]; /* a folder of the caller's keeps what the servers left in it */
  snprintf(remove, sizeof remove, "rm -rf %s", folder);
  cr_assert_eq(system(remove), 0);
}

Test(faults, a_server_that_stays_away) {
  server gone;
  server_start(&gone, NULL);
  emq_client *client = quick_client(gone.url);
  server_stop(&gone);
  double began = seconds();
  emq_id id;
  cr_assert_eq(emq_enqueue(&id, client, Q, "x", 1, &error), EMQ_ERR_CONNECTION, "%s",
               error.message);
  cr_assert(error.retriable);
  cr_assert_lt(seconds() - began, 2.0);
  emq_client_free(client);
}

/* ---- a server that stands still ---- */

Test(faults, a_server_that_stands_still) {
  emq_client *client = quick_client(s.url);
  emq_id id;
  OK(emq_enqueue(&id, client, Q, "x", 1, &error));
  kill(s.pid, SIGSTOP);
  double began = seconds();
  emq_counts counts;
  cr_assert_eq(emq_count_queue(&counts, client, Q, 1, &error), EMQ_ERR_TIMEOUT, "%s",
               error.message);
  cr_assert(error.retriable);
  cr_assert_lt(seconds() - began, 2.0);
  emq_job *job;
  cr_assert_eq(emq_claim(&job, client, Q, 1000, &error), EMQ_ERR_TIMEOUT, "%s", error.message);
  kill(s.pid, SIGCONT);
  /* The next call gets its own answer, not a late one. */
  OK(emq_count_queue(&counts, client, Q, 1, &error));
  cr_assert_eq(counts.of[EMQ_COUNT_PENDING], 1);
  emq_client_free(client);
}

Test(faults, a_claim_whose_reply_is_late_has_an_unknown_outcome) {
  emq_client *client = quick_client(s.url);
  emq_id id;
  OK(emq_enqueue(&id, client, Q, "x", 1, &error));
  kill(s.pid, SIGSTOP);
  emq_job *job;
  cr_assert_eq(emq_claim(&job, client, Q, 1000, &error), EMQ_ERR_UNKNOWN_OUTCOME, "%s",
               error.message);
  cr_assert_not(error.retriable);
  kill(s.pid, SIGCONT);
  emq_client_free(client);
}

/* ---- replies that are lost or spoilt ---- */

#define BOOT                                                                                       \
  { 1, "$12\r\nechomq:4.0.0\r\n" }

static emq_status claim_from(const line *part, emq_job **job) {
  fake f;
  fake_start(&f, part);
  emq_client *client = quick_client(f.url);
  emq_status status = emq_claim(job, client, Q, 1000, &error);
  emq_client_free(client);
  fake_stop(&f);
  return status;
}

Test(faults, a_server_that_dies_mid_reply) {
  static const line cut[] = {BOOT, {1, "*3\r\n$14\r\nJOB0KHTO"}, {-1, NULL}, {0, NULL}};
  emq_job *job = NULL;
  cr_assert_eq(claim_from(cut, &job), EMQ_ERR_UNKNOWN_OUTCOME, "%s", error.message);
  cr_assert_null(job);
  cr_assert_not_null(strstr(error.message, "closed the connection"), "%s", error.message);
}

Test(faults, replies_of_another_shape) {
  static const struct {
    const char *reply;
  } cases[] = {{":1\r\n"},  {"$2\r\nhi\r\n"},       {"*1\r\n$1\r\nx\r\n"},
               {"+OK\r\n"}, {"*2\r\n:1\r\n:2\r\n"}, {"$-1\r\n"},
               {"?!\r\n"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const line part[] = {BOOT, {1, cases[i].reply}, {0, NULL}};
    emq_job *job = NULL;
    cr_assert_eq(claim_from(part, &job), EMQ_ERR_PROTOCOL, "case %zu: %s", i, error.message);
  }
}

/* The reply to an enqueue is lost; the repeat finds the row that the first sending made. */
Test(faults, an_enqueue_whose_reply_is_lost_is_sent_again) {
  emq_client *client = client_for(s.url);
  emq_id id;
  OK(emq_enqueue(&id, client, Q, "first", 5, &error));
  emq_client_free(client);
  static const line own[] = {BOOT,     {1, NULL},     {-1, NULL},
                             BOOT,     {1, ":0\r\n"}, {1, "*2\r\n$7\r\npayload\r\n$4\r\nmine\r\n"},
                             {0, NULL}};
  fake f;
  fake_start(&f, own);
  client = client_for(f.url);
  emq_id mine;
  OK(emq_enqueue(&mine, client, Q, "mine", 4, &error));
  emq_client_free(client);
  fake_stop(&f);
  /* Another's row under the same id is no proof: a new id is minted. */
  static const line others[] = {BOOT,          {1, NULL},
                                {-1, NULL},    BOOT,
                                {1, ":0\r\n"}, {1, "*2\r\n$7\r\npayload\r\n$6\r\nothers\r\n"},
                                {1, ":1\r\n"}, {0, NULL}};
  fake_start(&f, others);
  client = client_for(f.url);
  OK(emq_enqueue(&mine, client, Q, "mine", 4, &error));
  emq_client_free(client);
  fake_stop(&f);
}

Test(faults, a_batch_whose_connection_breaks_is_finished_on_the_next) {
  static const line part[] = {BOOT, {1, ":1\r\n:1\r\n"}, {-1, NULL},
                              BOOT, {1, ":1\r\n"},       {0, NULL}};
  fake f;
  fake_start(&f, part);
  emq_client *client = client_for(f.url);
  emq_batch *batch;
  OK(emq_batch_new(&batch, &error));
  for (int i = 0; i < 3; i++)
    OK(emq_batch_add(batch, "x", 1, &error));
  OK(emq_enqueue_many(client, Q, batch, &error));
  for (size_t i = 0; i < 3; i++)
    cr_assert_eq(emq_batch_outcome(batch, i), EMQ_OUTCOME_ENQUEUED);
  emq_batch_free(batch);
  emq_client_free(client);
  fake_stop(&f);
}

Test(faults, a_batch_that_cannot_be_finished_says_what_is_known_of_each) {
  static const line part[] = {BOOT, {1, ":1\r\n-OOM command not allowed\r\n"}, {0, NULL}};
  fake f;
  fake_start(&f, part);
  emq_client *client = quick_client(f.url);
  emq_batch *batch;
  OK(emq_batch_new(&batch, &error));
  for (int i = 0; i < 3; i++)
    OK(emq_batch_add(batch, "x", 1, &error));
  cr_assert_eq(emq_enqueue_many(client, Q, batch, &error), EMQ_ERR_UNKNOWN_OUTCOME);
  cr_assert_eq(emq_batch_outcome(batch, 0), EMQ_OUTCOME_ENQUEUED);
  cr_assert_eq(emq_batch_error(batch, 1)->code, EMQ_ERR_SERVER_MEMORY);
  cr_assert_eq(emq_batch_error(batch, 2)->code, EMQ_ERR_UNKNOWN_OUTCOME);
  cr_assert_eq(emq_batch_id(batch, 2).len, EMQ_ID_LEN);
  emq_batch_free(batch);
  emq_client_free(client);
  fake_stop(&f);
}

/* What never left may be sent again without a second thought, and must not be called unknown. */
Test(faults, items_that_never_left_are_told_from_those_that_may_have_run) {
  static const line part[] = {BOOT, {1, ":1\r\n"}, {-1, NULL}, {0, NULL}};
  fake f;
  fake_start(&f, part);
  emq_client *client = quick_client(f.url);
  emq_batch *batch;
  OK(emq_batch_new(&batch, &error));
  for (int i = 0; i < 2500; i++)
    OK(emq_batch_add(batch, "x", 1, &error));
  cr_assert_eq(emq_enqueue_many(client, Q, batch, &error), EMQ_ERR_UNKNOWN_OUTCOME);
  cr_assert_eq(emq_batch_error(batch, 1)->code, EMQ_ERR_UNKNOWN_OUTCOME);
  for (size_t i = 1000; i < 2500; i++) {
    emq_status code = emq_batch_error(batch, i)->code;
    cr_assert(code == EMQ_ERR_CONNECTION || code == EMQ_ERR_TIMEOUT, "%zu: %d", i, (int)code);
  }
  emq_batch_free(batch);
  emq_client_free(client);
  fake_stop(&f);
}

/* The repeat of a lost flush is answered with a duplicate that cannot be looked into; the flush
 * after it is not tried. */
Test(faults, every_item_of_a_failed_batch_has_an_error) {
  enum { LARGE = 3 << 20 }; /* two of them do not fit into one flush */
  static const char request[] =
      "*7\r\n$7\r\nEVALSHA\r\n$40\r\n\r\n$1\r\n2\r\n$26\r\n\r\n$15\r\n\r\n"
      "$14\r\n\r\n$3145728\r\n\r\n";
  const long whole = (long)sizeof request - 1 + 40 + 26 + 15 + 14 + LARGE;
  const line part[] = {BOOT,     {1, NULL}, {-1, NULL}, BOOT, {whole, ":0\r\n"}, {1, "-OOM no\r\n"},
                       {0, NULL}};
  fake f;
  fake_start(&f, part);
  emq_client *client = quick_client(f.url);
  emq_batch *batch;
  static char payload[LARGE];
  OK(emq_batch_new(&batch, &error));
  for (int i = 0; i < 2; i++)
    OK(emq_batch_add(batch, payload, LARGE, &error));
  cr_assert_neq(emq_enqueue_many(client, Q, batch, &error), EMQ_OK);
  cr_assert_not_null(strstr(error.message, "OOM"), "%s", error.message);
  for (size_t i = 0; i < 2; i++)
    cr_assert(emq_batch_error(batch, i) && emq_batch_outcome(batch, i) == EMQ_OUTCOME_NONE,
              "item %zu has no error", i);
  emq_batch_free(batch);
  emq_client_free(client);
  fake_stop(&f);
}

#define LOST                                                                                       \
  BOOT, {1, NULL}, { -1, NULL }

/* The first sending may have been carried out, whatever the second is answered. */
Test(faults, a_second_sending_that_is_refused_is_an_unknown_outcome) {
  static const line refused_by_server[] = {LOST, BOOT, {1, "-READONLY replica\r\n"}, {0, NULL}};
  static const line row_unread[] = {LOST, BOOT, {1, ":0\r\n"}, {1, "-OOM no\r\n"}, {0, NULL}};
  static const line another_kind[] = {LOST, BOOT, {1, "-EMQKIND job id\r\n"}, {0, NULL}};
  static const struct {
    const line *part;
    emq_status status;
  } cases[] = {{refused_by_server, EMQ_ERR_UNKNOWN_OUTCOME},
               {row_unread, EMQ_ERR_UNKNOWN_OUTCOME},
               {another_kind, EMQ_ERR_KIND}};
  for (size_t i = 0; i < 3; i++) {
    fake f;
    fake_start(&f, cases[i].part);
    emq_client *client = client_for(f.url);
    emq_id id;
    cr_assert_eq(emq_enqueue(&id, client, Q, "mine", 4, &error), cases[i].status, "case %zu: %s", i,
                 error.message);
    cr_assert_not(error.retriable);
    emq_client_free(client);
    fake_stop(&f);
  }
}

/* The same batch sent again goes under the ids that it had, so that nothing is enqueued twice. */
Test(faults, a_batch_that_is_sent_again_keeps_its_ids) {
  static const line oom[] = {
      LOST,     BOOT, {1, "-OOM no\r\n"}, {1, ":0\r\n"}, {1, "*2\r\n$7\r\npayload\r\n$1\r\nx\r\n"},
      {0, NULL}};
  static const line unread[] = {LOST,          BOOT,
                                {1, ":0\r\n"}, {1, "-OOM no\r\n"},
                                {1, ":0\r\n"}, {1, "*2\r\n$7\r\npayload\r\n$1\r\nx\r\n"},
                                {0, NULL}};
  const line *const parts[] = {oom, unread};
  for (size_t i = 0; i < 2; i++) {
    fake f;
    fake_start(&f, parts[i]);
    emq_client *client = client_for(f.url);
    emq_batch *batch;
    OK(emq_batch_new(&batch, &error));
    OK(emq_batch_add(batch, "x", 1, &error));
    (void)emq_enqueue_many(client, Q, batch, &error);
    cr_assert_eq(emq_batch_error(batch, 0)->code, EMQ_ERR_UNKNOWN_OUTCOME, "%s",
                 emq_batch_error(batch, 0)->message);
    char id[EMQ_ID_LEN];
    memcpy(id, emq_batch_id(batch, 0).ptr, EMQ_ID_LEN);
    OK(emq_enqueue_many(client, Q, batch, &error));
    cr_assert_eq(emq_batch_outcome(batch, 0), EMQ_OUTCOME_ENQUEUED);
    cr_assert_arr_eq(emq_batch_id(batch, 0).ptr, id, EMQ_ID_LEN);
    emq_batch_free(batch);
    emq_client_free(client);
    fake_stop(&f);
  }
}

/* A reply that is not the wire's may belong to another request: the connection ends with it. */
Test(faults, a_reply_of_another_shape_ends_the_connection) {
  /* Were the connection used again, the second claim would be swallowed. */
  static const line part[] = {BOOT, {1, ":1\r\n"}, {1, NULL}, {-1, NULL},
                              BOOT, {1, "*0\r\n"}, {0, NULL}};
  fake f;
  fake_start(&f, part);
  emq_client *client = quick_client(f.url);
  emq_job *job;
  cr_assert_eq(emq_claim(&job, client, Q, 1000, &error), EMQ_ERR_PROTOCOL);
  OK(emq_claim(&job, client, Q, 1000, &error));
  cr_assert_null(job);
  emq_client_free(client);
  fake_stop(&f);
}

Test(faults, a_full_server_is_a_class_of_its_own) {
  static const line part[] = {{0, "-ERR max number of clients reached\r\n"}, {-1, NULL}, {0, NULL}};
  fake f;
  fake_start(&f, part);
  emq_options options = options_for(f.url);
  refused(&options, EMQ_ERR_MAX_CLIENTS);
  fake_stop(&f);
}

/* ---- hooks ---- */

static atomic_int asked, outside_calls;
static atomic_bool say_stop;

static int interrupt(void *data) {
  (void)data;
  atomic_fetch_add(&asked, 1);
  return atomic_load(&say_stop);
}

static int outside(void (*body)(void *), void *body_data, void *data) {
  (void)data;
  if (atomic_fetch_add(&outside_calls, 1) == 3)
    return 1;
  body(body_data);
  return 0;
}

static void on_signal(int number) {
  (void)number;
  atomic_store(&say_stop, true);
}

Test(faults, the_hooks) {
  emq_options options = options_for(s.url);
  options.interrupt = interrupt;
  options.outside = outside;
  emq_client *client;
  OK(emq_client_open(&client, &options, &error));
  cr_assert_eq(outside_calls, 1);
  emq_counts counts;
  OK(emq_count_queue(&counts, client, Q, 1, &error));
  cr_assert_eq(outside_calls, 2);
  kill(s.pid, SIGSTOP);
  signal(SIGALRM, on_signal);
  alarm(1);
  double began = seconds();
  cr_assert_eq(emq_count_queue(&counts, client, Q, 1, &error), EMQ_ERR_INTERRUPTED);
  double took = seconds() - began;
  cr_assert(took > 0.9 && took < 1.5, "%f s", took);
  cr_assert_geq(asked, 8);
  kill(s.pid, SIGCONT);
  /* A body that was not run is an interruption; nothing was sent. */
  cr_assert_eq(emq_count_queue(&counts, client, Q, 1, &error), EMQ_ERR_INTERRUPTED);
  atomic_store(&say_stop, false);
  OK(emq_count_queue(&counts, client, Q, 1, &error));
  emq_client_free(client);
}

static emq_client *reentered;

static int reenter(void *data) {
  (void)data;
  emq_counts counts;
  emq_error inner = EMQ_ERROR_INIT;
  return emq_count_queue(&counts, reentered, Q, 1, &inner) == EMQ_ERR_UNSUPPORTED ? 1 : 0;
}

Test(faults, a_call_from_inside_a_call_is_refused_not_deadlocked) {
  emq_options options = options_for(s.url);
  options.interrupt = reenter;
  OK(emq_client_open(&reentered, &options, &error));
  kill(s.pid, SIGSTOP);
  emq_counts counts;
  cr_assert_eq(emq_count_queue(&counts, reentered, Q, 1, &error), EMQ_ERR_INTERRUPTED);
  kill(s.pid, SIGCONT);
  emq_client_free(reentered);
}

/* ---- two threads ---- */

static void *count_on(void *client) {
  emq_counts counts;
  return (void *)(intptr_t)emq_count_queue(&counts, client, Q, 1, NULL);
}

Test(faults, close_ends_another_threads_call) {
  emq_client *client = client_for(s.url);
  kill(s.pid, SIGSTOP);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, count_on, client);
  usleep(50000); /* so that one is most likely inside and one waiting; either way is legal */
  double began = seconds();
  emq_client_close(client);
  cr_assert_lt(seconds() - began, 0.09);
  for (int i = 0; i < 2; i++) {
    void *status;
    pthread_join(threads[i], &status);
    cr_assert_eq((intptr_t)status, EMQ_ERR_CLOSED);
  }
  cr_assert_lt(seconds() - began, 1.0);
  kill(s.pid, SIGCONT);
  emq_client_free(client);
}
