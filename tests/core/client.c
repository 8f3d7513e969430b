/* SPDX-License-Identifier: MIT */
/* The blocking client against real servers: one job's life, bytes, refusals, batches. */
#include "server.h"

static server s;
static emq_client *client;
static emq_error error;

static void start(void) {
  server_start(&s, NULL);
  client = client_for(s.url);
}

static void stop(void) {
  emq_client_free(client);
  server_stop(&s);
}

TestSuite(client, .init = start, .fini = stop, .timeout = 60);

#define OK(call) cr_assert_eq(call, EMQ_OK, "%s", error.message)

static emq_id enqueue(const char *payload, size_t len) {
  emq_id id;
  OK(emq_enqueue(&id, client, Q, payload, len, &error));
  return id;
}

static emq_job *claim(void) {
  emq_job *job;
  OK(emq_claim(&job, client, Q, 60000, &error));
  return job;
}

/* The value of a raw HGET on the row, as text. */
static const char *field(const emq_id *id, const char *name) {
  static char value[256], line[128];
  snprintf(line, sizeof line, "HGET emq:{q}:job:%s %s", id->text, name);
  redisReply *reply = server_raw(&s, line);
  snprintf(value, sizeof value, "%s", reply->type == REDIS_REPLY_NIL ? "(nil)" : reply->str);
  freeReplyObject(reply);
  return value;
}

Test(client, one_jobs_life) {
  emq_id id = enqueue("cargo", 5);
  char line[64];
  snprintf(line, sizeof line, "HGETALL emq:{q}:job:%s", id.text);
  redisReply *row = server_raw(&s, line);
  static const char *const exact[] = {"state", "pending", "attempts", "0", "payload", "cargo"};
  cr_assert_eq(row->elements, 6);
  for (size_t i = 0; i < 6; i++)
    cr_assert_str_eq(row->element[i]->str, exact[i]);
  freeReplyObject(row);
  emq_state state;
  OK(emq_state_lookup(&state, client, Q, ID(id), &error));
  cr_assert_eq(state, EMQ_STATE_PENDING);

  emq_job *job = claim();
  cr_assert_eq(emq_job_id(job).len, EMQ_ID_LEN);
  cr_assert_arr_eq(emq_job_id(job).ptr, id.text, EMQ_ID_LEN);
  cr_assert_eq(emq_job_token(job), 1);
  cr_assert_eq(emq_job_payload(job).len, 5);
  cr_assert_str_eq(field(&id, "state"), "active");
  OK(emq_state_lookup(&state, client, Q, ID(id), &error));
  cr_assert_eq(state, EMQ_STATE_ACTIVE);

  emq_outcome outcome;
  cr_assert_eq(emq_complete(&outcome, client, Q, ID(id), 99, NULL, 0, &error), EMQ_ERR_STALE);
  cr_assert_str_eq(error.server_text, "EMQSTALE complete token mismatch");
  cr_assert_str_eq(field(&id, "state"), "active");
  cr_assert_str_eq(field(&id, "attempts"), "1");
  OK(emq_complete(&outcome, client, Q, ID(id), 1, NULL, 0, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DONE);
  OK(emq_complete(&outcome, client, Q, ID(id), 1, NULL, 0, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_GONE);
  emq_job_free(job);

  OK(emq_state_lookup(&state, client, Q, ID(id), &error));
  cr_assert_eq(state, EMQ_STATE_ABSENT);
  emq_row *none = (emq_row *)&state;
  OK(emq_row_read(&none, client, Q, ID(id), &error));
  cr_assert_null(none);
  emq_counts counts;
  OK(emq_count_queue(&counts, client, Q, EMQ_COUNTS_ALL, &error));
  cr_assert_eq(counts.of[EMQ_COUNT_COMPLETED], 1);
  for (int i = 0; i < 4; i++)
    cr_assert_eq(counts.of[i], 0);
  OK(emq_count_queue(&counts, client, Q, 1u << EMQ_COUNT_COMPLETED, &error));
  cr_assert_eq(counts.of[EMQ_COUNT_COMPLETED], 1);
  cr_assert_eq(counts.of[EMQ_COUNT_PENDING], -1);
}

Test(client, payloads_come_back_unchanged) {
  static char big[1 << 20];
  for (size_t i = 0; i < sizeof big; i++)
    big[i] = (char)(i * 7 + i / 256);
  const emq_bytes payloads[] = {{"", 0}, {"a\0b", 3}, {big, 256}, {big, sizeof big}, {"%s%n%b", 6}};
  for (size_t i = 0; i < sizeof payloads / sizeof *payloads; i++) {
    emq_id id = enqueue(payloads[i].ptr, payloads[i].len);
    emq_row *row;
    OK(emq_row_read(&row, client, Q, ID(id), &error));
    emq_bytes stored = emq_row_field(row, "payload", 7);
    emq_job *job = claim();
    emq_bytes claimed = emq_job_payload(job);
    cr_assert_eq(stored.len, payloads[i].len);
    cr_assert_eq(claimed.len, payloads[i].len);
    cr_assert_eq(memcmp(stored.ptr, payloads[i].ptr, payloads[i].len), 0);
    cr_assert_eq(memcmp(claimed.ptr, payloads[i].ptr, payloads[i].len), 0);
    emq_row_free(row);
    emq_job_free(job);
  }
}

Test(client, jobs_come_in_mint_order) {
  emq_id ids[200];
  for (size_t i = 0; i < 200; i++)
    ids[i] = enqueue("o", 1);
  for (size_t i = 0; i < 200; i++) {
    emq_job *job = claim();
    cr_assert_arr_eq(emq_job_id(job).ptr, ids[i].text, EMQ_ID_LEN);
    emq_job_free(job);
  }
  cr_assert_null(claim());
}

Test(client, a_duplicate_changes_nothing) {
  emq_outcome outcome;
  emq_id id = enqueue("once", 4);
  OK(emq_enqueue_as(&outcome, client, Q, ID(id), "twice", 5, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DUPLICATE);
  cr_assert_str_eq(field(&id, "payload"), "once");
}

Test(client, another_namespace_comes_back_as_the_kind_error) {
  emq_outcome outcome;
  cr_assert_eq(emq_enqueue_as(&outcome, client, Q, "ORD0KHTOWnGLuC", 14, "x", 1, &error),
               EMQ_ERR_KIND);
  cr_assert_str_eq(error.server_text, "EMQKIND job id must be JOB-namespaced");
  cr_assert_eq(server_number(&s, "DBSIZE"), 1);
}

Test(client, a_paused_queue_is_empty_and_untouched) {
  enqueue("p", 1);
  server_do(&s, "HSET emq:{q}:meta paused 1");
  cr_assert_null(claim());
  cr_assert_eq(server_number(&s, "ZCARD emq:{q}:pending"), 1);
  server_do(&s, "HDEL emq:{q}:meta paused");
  emq_job *job = claim();
  cr_assert_eq(emq_job_token(job), 1);
  emq_job_free(job);
}

/* Nothing of these may reach the server: its count of commands stands still. */
Test(client, bad_input_is_refused_before_anything_is_sent) {
  long long before = server_number(&s, "DBSIZE");
  redisReply *reset = server_raw(&s, "CONFIG RESETSTAT");
  freeReplyObject(reset);
  static char long_name[513];
  memset(long_name, 'n', sizeof long_name);
  const emq_bytes names[] = {{"", 0},     {NULL, 0},   {"a{b", 3},  {"a}", 2},
                             {"a\0b", 3}, {"a\nb", 3}, {"\x7f", 1}, {long_name, 513}};
  emq_outcome outcome;
  emq_job *job;
  emq_id id;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *name = names[i].ptr;
    size_t len = names[i].len;
    cr_assert_eq(emq_enqueue(&id, client, name, len, "x", 1, &error), EMQ_ERR_INVALID_ARGUMENT);
    cr_assert_eq(emq_claim(&job, client, name, len, 1000, &error), EMQ_ERR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(error.message, "queue name"), "%s", error.message);
  }
  const emq_bytes ids[] = {{"", 0},
                           {NULL, 0},
                           {"JOB0KHTOWnGLu", 13},
                           {"JOB0KHTOWnGLuCC", 15},
                           {"JOBzzzzzzzzzzz", 14},
                           {"job0KHTOWnGLuC", 14},
                           {"JOB0KHTOWn\0LuC", 14}};
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
    emq_state state;
    emq_row *row;
    const char *bad = ids[i].ptr;
    size_t len = ids[i].len;
    cr_assert_eq(emq_enqueue_as(&outcome, client, Q, bad, len, "x", 1, &error),
                 EMQ_ERR_INVALID_ARGUMENT);
    cr_assert_eq(emq_complete(&outcome, client, Q, bad, len, 1, NULL, 0, &error),
                 EMQ_ERR_INVALID_ARGUMENT);
    cr_assert_eq(emq_state_lookup(&state, client, Q, bad, len, &error), EMQ_ERR_INVALID_ARGUMENT);
    cr_assert_eq(emq_row_read(&row, client, Q, bad, len, &error), EMQ_ERR_INVALID_ARGUMENT);
  }
  static const int64_t leases[] = {0, -1, INT64_MIN, INT64_MAX, EMQ_LEASE_MAX_MS + 1};
  for (size_t i = 0; i < sizeof leases / sizeof *leases; i++)
    cr_assert_eq(emq_claim(&job, client, Q, leases[i], &error), EMQ_ERR_INVALID_ARGUMENT);
  cr_assert_eq(emq_enqueue(&id, client, Q, NULL, 0, &error), EMQ_ERR_INVALID_ARGUMENT);
  cr_assert_eq(emq_enqueue(&id, client, Q, "x", EMQ_PAYLOAD_MAX + 1, &error),
               EMQ_ERR_INVALID_ARGUMENT);
  cr_assert_eq(emq_complete(&outcome, client, Q, "JOB0KHTOWnGLuC", 14, 0, NULL, 0, &error),
               EMQ_ERR_INVALID_ARGUMENT);
  emq_counts counts;
  cr_assert_eq(emq_count_queue(&counts, client, Q, 0, &error), EMQ_ERR_INVALID_ARGUMENT);
  cr_assert_eq(emq_count_queue(&counts, client, Q, 1u << 6, &error), EMQ_ERR_INVALID_ARGUMENT);
  redisReply *stats = server_raw(&s, "INFO commandstats");
  cr_assert_null(strstr(stats->str, "evalsha"), "%s", stats->str);
  cr_assert_null(strstr(stats->str, "hgetall"), "%s", stats->str);
  freeReplyObject(stats);
  cr_assert_eq(server_number(&s, "DBSIZE"), before);
}

/* ---- batches ---- */

Test(client, a_batch_gives_one_verdict_per_item_in_order) {
  emq_batch *batch;
  OK(emq_batch_new(&batch, &error));
  for (int i = 0; i < 2500; i++) {
    char payload[16];
    int len = snprintf(payload, sizeof payload, "%d", i);
    OK(emq_batch_add(batch, payload, (size_t)len, &error));
  }
  emq_id taken = enqueue("first", 5);
  OK(emq_batch_add_as(batch, ID(taken), "again", 5, &error));
  OK(emq_batch_add_as(batch, "ORD0KHTOWnGLuC", 14, "x", 1, &error));
  OK(emq_enqueue_many(client, Q, batch, &error));
  cr_assert_eq(emq_batch_size(batch), 2502);
  for (size_t i = 0; i < 2500; i++) {
    cr_assert_eq(emq_batch_outcome(batch, i), EMQ_OUTCOME_ENQUEUED);
    cr_assert_null(emq_batch_error(batch, i));
    if (i)
      cr_assert_lt(memcmp(emq_batch_id(batch, i - 1).ptr, emq_batch_id(batch, i).ptr, EMQ_ID_LEN),
                   0);
  }
  cr_assert_eq(emq_batch_outcome(batch, 2500), EMQ_OUTCOME_DUPLICATE);
  cr_assert_eq(emq_batch_outcome(batch, 2501), EMQ_OUTCOME_NONE);
  cr_assert_eq(emq_batch_error(batch, 2501)->code, EMQ_ERR_KIND);
  cr_assert_eq(server_number(&s, "ZCARD emq:{q}:pending"), 2501);
  /* Sent again, nothing that has an outcome goes out. */
  OK(emq_enqueue_many(client, Q, batch, &error));
  cr_assert_eq(server_number(&s, "ZCARD emq:{q}:pending"), 2501);
  emq_batch_free(batch);
}

Test(client, a_batch_names_the_item_that_it_refuses) {
  emq_batch *batch;
  OK(emq_batch_new(&batch, &error));
  OK(emq_batch_add(batch, "x", 1, &error));
  cr_assert_eq(emq_batch_add(batch, NULL, 0, &error), EMQ_ERR_INVALID_ARGUMENT);
  cr_assert_eq(strncmp(error.message, "item 1: ", 8), 0);
  cr_assert_eq(emq_batch_add_as(batch, "no", 2, "x", 1, &error), EMQ_ERR_INVALID_ARGUMENT);
  cr_assert_eq(strncmp(error.message, "item 1: ", 8), 0);
  cr_assert_eq(emq_batch_size(batch), 1);
  emq_batch_free(batch);
}

/* Another producer with our node's number has taken the very ids that we mint. */
Test(client, a_minted_id_that_is_taken_is_minted_again) {
  emq_options options = options_for(s.url);
  options.node = 7;
  emq_client *twin;
  OK(emq_client_open(&twin, &options, &error));
  emq_batch *batch;
  OK(emq_batch_new(&batch, &error));
  emq_id last = enqueue("x", 1);
  emq_id_parts parts;
  OK(emq_id_decode(&parts, ID(last), &error));
  /* Rows for every id of node 7 in the next 40 ms, 32 of each millisecond. */
  for (int64_t ms = 0; ms < 40; ms++)
    for (uint32_t sequence = 0; sequence < 32; sequence++) {
      uint64_t snowflake;
      emq_id id;
      OK(emq_snowflake(&snowflake, parts.unix_ms + ms, 7, sequence, &error));
      OK(emq_id_encode(&id, "JOB", 3, snowflake, &error));
      OK(emq_batch_add_as(batch, ID(id), "taken", 5, &error));
    }
  OK(emq_enqueue_many(client, Q, batch, &error));
  emq_batch_clear(batch);
  for (int i = 0; i < 200; i++)
    OK(emq_batch_add(batch, "mine", 4, &error));
  OK(emq_enqueue_many(twin, Q, batch, &error));
  for (size_t i = 0; i < 200; i++) {
    cr_assert_eq(emq_batch_outcome(batch, i), EMQ_OUTCOME_ENQUEUED);
    emq_row *row;
    emq_bytes id = emq_batch_id(batch, i);
    OK(emq_row_read(&row, client, Q, id.ptr, id.len, &error));
    cr_assert_eq(emq_row_field(row, "payload", 7).len, 4);
    emq_row_free(row);
  }
  cr_assert_eq(server_number(&s, "ZCARD emq:{q}:pending"), 1 + 40 * 32 + 200);
  emq_batch_free(batch);
  emq_client_free(twin);
}

/* ---- what other speakers put into the queue ---- */

Test(client, ghosts_are_removed_counted_and_skipped) {
  emq_id first = enqueue("a", 1), second = enqueue("b", 1);
  char line[64];
  snprintf(line, sizeof line, "DEL emq:{q}:job:%s", first.text);
  server_do(&s, line);
  emq_job *job = claim();
  cr_assert_arr_eq(emq_job_id(job).ptr, second.text, EMQ_ID_LEN);
  cr_assert_eq(emq_client_ghosts(client), 1);
  emq_job_free(job);
  cr_assert_eq(server_number(&s, "ZCARD emq:{q}:active"), 1);
  snprintf(line, sizeof line, "EXISTS emq:{q}:job:%s", first.text);
  cr_assert_eq(server_number(&s, line), 0);
}

static void set(const emq_id *id, const char *fields) {
  char line[256];
  snprintf(line, sizeof line, "HSET emq:{q}:job:%s %s", id->text, fields);
  server_do(&s, line);
}

static long long at_parent(const char *command, const emq_id *parent, const char *rest) {
  char line[256];
  snprintf(line, sizeof line, "%s emq:{q}:job:%s%s", command, parent->text, rest);
  return server_number(&s, line);
}

Test(client, a_flow_child_releases_its_parent) {
  emq_id parent = enqueue("P", 1), a = enqueue("a", 1), b = enqueue("b", 1);
  char line[256];
  snprintf(line, sizeof line, "ZREM emq:{q}:pending %s", parent.text);
  server_do(&s, line);
  set(&parent, "state awaiting_children");
  at_parent("SET", &parent, ":dependencies 2");
  snprintf(line, sizeof line, "parent %s", parent.text);
  set(&a, line);
  snprintf(line, sizeof line, "parent %s parent_queue q", parent.text);
  set(&b, line);
  emq_state state;
  OK(emq_state_lookup(&state, client, Q, ID(parent), &error));
  cr_assert_eq(state, EMQ_STATE_AWAITING_CHILDREN);

  emq_outcome outcome;
  emq_job_free(claim());
  emq_job_free(claim());
  OK(emq_complete(&outcome, client, Q, ID(a), 1, "r\0a", 3, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DONE);
  cr_assert_eq(at_parent("GET", &parent, ":dependencies"), 1);
  OK(emq_complete(&outcome, client, Q, ID(b), 1, NULL, 0, &error));
  snprintf(line, sizeof line, ":processed %s", a.text);
  cr_assert_eq(at_parent("HGET", &parent, line), 3);
  snprintf(line, sizeof line, ":processed %s", b.text);
  cr_assert_eq(at_parent("HGET", &parent, line), EMQ_ID_LEN);
  emq_job *job = claim();
  cr_assert_arr_eq(emq_job_id(job).ptr, parent.text, EMQ_ID_LEN);
  emq_job_free(job);
}

Test(client, a_child_of_another_queues_parent_goes_to_the_outbox) {
  emq_id child = enqueue("c", 1);
  set(&child, "parent JOB0KHTOWnGLuC parent_queue other");
  emq_job_free(claim());
  emq_outcome outcome;
  OK(emq_complete(&outcome, client, Q, ID(child), 1, "done", 4, &error));
  redisReply *entry = server_raw(&s, "LPOP emq:{q}:flow:outbox");
  char expected[64];
  int len =
      snprintf(expected, sizeof expected, "other%cJOB0KHTOWnGLuC%c%s%cdone", 0, 0, child.text, 0);
  cr_assert_eq(entry->len, (size_t)len);
  cr_assert_arr_eq(entry->str, expected, (size_t)len);
  freeReplyObject(entry);
  cr_assert_eq(server_number(&s, "ZCARD emq:{q}:active"), 0);
}

Test(client, a_child_whose_parent_is_no_id_is_refused_and_left) {
  emq_id child = enqueue("c", 1);
  set(&child, "parent nonsense");
  emq_job_free(claim());
  emq_outcome outcome;
  cr_assert_eq(emq_complete(&outcome, client, Q, ID(child), 1, NULL, 0, &error), EMQ_ERR_STATE);
  cr_assert_not_null(strstr(error.message, "parent"), "%s", error.message);
  cr_assert_str_eq(field(&child, "state"), "active");
}

Test(client, a_grouped_job_gives_its_lane_back) {
  emq_id job = enqueue("g", 1);
  set(&job, "group GRP0KHTOWnGLuC");
  emq_job_free(claim());
  server_do(&s, "HSET emq:{q}:gactive GRP0KHTOWnGLuC 1");
  server_do(&s, "ZADD emq:{q}:g:GRP0KHTOWnGLuC:pending 0 JOB0KHTOWnGLuC");
  emq_outcome outcome;
  OK(emq_complete(&outcome, client, Q, ID(job), 1, NULL, 0, &error));
  cr_assert_eq(server_number(&s, "EXISTS emq:{q}:gactive"), 0);
  cr_assert_eq(server_number(&s, "LPOS emq:{q}:ring GRP0KHTOWnGLuC"), 0);
  cr_assert_eq(server_number(&s, "LLEN emq:{q}:wake"), 1);
}

/* ---- scripts that the server forgot ---- */

Test(client, script_flush_before_a_call_and_inside_a_batch) {
  server_do(&s, "SCRIPT FLUSH");
  emq_id id = enqueue("x", 1);
  server_do(&s, "SCRIPT FLUSH");
  emq_job *job = claim();
  server_do(&s, "SCRIPT FLUSH");
  emq_outcome outcome;
  OK(emq_complete(&outcome, client, Q, ID(id), emq_job_token(job), NULL, 0, &error));
  cr_assert_eq(outcome, EMQ_OUTCOME_DONE);
  emq_job_free(job);
  emq_batch *batch;
  OK(emq_batch_new(&batch, &error));
  for (int i = 0; i < 100; i++)
    OK(emq_batch_add(batch, "x", 1, &error));
  server_do(&s, "SCRIPT FLUSH");
  server_do(&s, "CONFIG RESETSTAT");
  OK(emq_enqueue_many(client, Q, batch, &error));
  cr_assert_eq(server_number(&s, "ZCARD emq:{q}:pending"), 100);
  redisReply *stats = server_raw(&s, "INFO commandstats");
  cr_assert_not_null(strstr(stats->str, "cmdstat_script|load:calls=1,"), "%s", stats->str);
  freeReplyObject(stats);
  emq_batch_free(batch);
}

/* ---- life ---- */

Test(client, a_closed_client_says_so) {
  emq_client_close(client);
  emq_client_close(client);
  cr_assert(emq_client_closed(client));
  emq_id id;
  cr_assert_eq(emq_enqueue(&id, client, Q, "x", 1, &error), EMQ_ERR_CLOSED);
  emq_client_free(NULL);
  emq_client_close(NULL);
}

Test(client, parent_and_child_of_a_fork_both_go_on) {
  enqueue("before", 6);
  pid_t children[4];
  for (int c = 0; c < 4; c++) {
    children[c] = fork();
    if (children[c] == 0) {
      bool good = true;
      for (int i = 0; i < 200; i++) {
        emq_id id;
        emq_row *row = NULL;
        char payload[32];
        int len = snprintf(payload, sizeof payload, "%d/%d", c, i);
        good = good && emq_enqueue(&id, client, Q, payload, (size_t)len, NULL) == EMQ_OK;
        good = good && emq_row_read(&row, client, Q, ID(id), NULL) == EMQ_OK && row;
        emq_bytes stored = row ? emq_row_field(row, "payload", 7) : (emq_bytes){NULL, 0};
        good = good && stored.len == (size_t)len && memcmp(stored.ptr, payload, stored.len) == 0;
        emq_row_free(row);
      }
      _exit(good ? 0 : 1);
    }
  }
  for (int i = 0; i < 200; i++)
    enqueue("parent", 6);
  for (int c = 0; c < 4; c++) {
    int status;
    cr_assert_eq(waitpid(children[c], &status, 0), children[c]);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  cr_assert_eq(server_number(&s, "ZCARD emq:{q}:pending"), 1001);
}
