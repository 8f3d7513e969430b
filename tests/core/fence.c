/* SPDX-License-Identifier: MIT */
/* The fence against real servers: each outcome told apart, and nothing written by who is refused.
 */
#include "server.h"

static server s;

static void start(void) { server_start(&s, NULL); }
static void stop(void) { server_stop(&s); }

TestSuite(fence, .init = start, .fini = stop, .timeout = 60);

Test(fence, an_empty_store_is_stamped) {
  emq_client *client = client_for(s.url);
  cr_assert_str_eq(emq_client_identity(client), "echomq:4.0.0");
  cr_assert_eq(emq_client_executor(client), EMQ_EXECUTOR_SCRIPTED);
  redisReply *reply = server_raw(&s, "GET {emq}:version");
  cr_assert_str_eq(reply->str, "echomq:4.0.0");
  freeReplyObject(reply);
  cr_assert_eq(server_number(&s, "DBSIZE"), 1);
  emq_client_free(client);
}

Test(fence, a_foreign_store_is_refused_and_left_alone) {
  server_do(&s, "SET {emq}:version echomq:6.0.0");
  emq_options options = options_for(s.url);
  emq_error error = refused(&options, EMQ_ERR_FENCE);
  cr_assert_str_eq(error.found, "echomq:6.0.0");
  cr_assert_str_eq(error.expected, "echomq:4.0.0");
  cr_assert_str_eq(error.message, "store speaks echomq:6.0.0, this client speaks echomq:4.0.0");
  cr_assert_not(error.retriable);
  cr_assert_eq(server_number(&s, "DBSIZE"), 1);
  cr_assert_eq(server_number(&s, "GET {emq}:version"), 12);
}

Test(fence, is_per_database) {
  server_do(&s, "SET {emq}:version echomq:6.0.0");
  char url[300];
  snprintf(url, sizeof url, "unix://%s?db=1", s.path);
  emq_client *client = client_for(url);
  emq_client_free(client);
}

Test(fence, a_deployments_own_identity) {
  emq_options options = options_for(s.url);
  options.identity = (emq_bytes){"echomq:3.0.0", 12};
  emq_client *client;
  cr_assert_eq(emq_client_open(&client, &options, NULL), EMQ_OK);
  cr_assert_str_eq(emq_client_identity(client), "echomq:3.0.0");
  emq_client_free(client);
  options.identity = (emq_bytes){NULL, 0};
  emq_error error = refused(&options, EMQ_ERR_FENCE);
  cr_assert_str_eq(error.found, "echomq:3.0.0");
}

Test(fence, a_version_of_another_type) {
  server_do(&s, "LPUSH {emq}:version echomq:4.0.0");
  emq_options options = options_for(s.url);
  emq_error error = refused(&options, EMQ_ERR_WRONG_TYPE);
  cr_assert_not_null(strstr(error.message, "{emq}:version"));
  cr_assert_eq(server_number(&s, "DBSIZE"), 1);
}

Test(fence, credentials_and_permissions) {
  server_do(&s, "ACL SETUSER default on >secret");
  emq_options options = options_for(s.url);
  emq_error error = refused(&options, EMQ_ERR_AUTH);
  cr_assert_eq(strncmp(error.server_text, "NOAUTH", 6), 0, "%s", error.server_text);
  options.password = (emq_bytes){"wrong", 5};
  error = refused(&options, EMQ_ERR_AUTH);
  cr_assert_eq(strncmp(error.server_text, "WRONGPASS", 9), 0, "%s", error.server_text);
  options.password = (emq_bytes){"secret", 6};
  emq_client *client;
  cr_assert_eq(emq_client_open(&client, &options, &error), EMQ_OK, "%s", error.message);
  emq_client_free(client);
}

Test(fence, a_user_without_the_versions_key) {
  server_do(&s, "ACL SETUSER ann on >pw ~emq:* +@all");
  emq_options options = options_for(s.url);
  options.username = (emq_bytes){"ann", 3};
  options.password = (emq_bytes){"pw", 2};
  emq_error error = refused(&options, EMQ_ERR_PERMISSION);
  cr_assert_not_null(strstr(error.message, "{emq}:version"), "%s", error.message);
  cr_assert_eq(server_number(&s, "DBSIZE"), 0);
  server_do(&s, "ACL SETUSER ann ~{emq}:*");
  emq_client *client;
  cr_assert_eq(emq_client_open(&client, &options, &error), EMQ_OK, "%s", error.message);
  emq_client_free(client);
}

Test(fence, nobody_listens) {
  emq_options options = options_for("unix:///tmp/echomq-nobody-listens-here");
  emq_error error = refused(&options, EMQ_ERR_CONNECTION);
  cr_assert_not_null(strstr(error.message, "/tmp/echomq-nobody-listens-here"));
  options = options_for("redis://127.0.0.1:1");
  error = refused(&options, EMQ_ERR_CONNECTION);
  cr_assert_not_null(strstr(error.message, "127.0.0.1:1"));
}

enum { RACERS = 16 };

static void *race(void *identity) {
  emq_options options = options_for(s.url);
  options.identity = (emq_bytes){identity, strlen(identity)};
  emq_client *client = NULL;
  bool passed = emq_client_open(&client, &options, NULL) == EMQ_OK;
  emq_client_free(client);
  return passed ? identity : NULL;
}

/* Two wires race for one empty store: one of them gets it, whole. */
Test(fence, an_empty_store_is_claimed_once) {
  static char a[] = "echomq:4.0.0", b[] = "echomq:3.0.0";
  for (int round = 0; round < 20; round++) {
    server_do(&s, "FLUSHALL");
    pthread_t threads[RACERS];
    for (int i = 0; i < RACERS; i++)
      pthread_create(&threads[i], NULL, race, i % 2 ? a : b);
    int passed_a = 0, passed_b = 0;
    for (int i = 0; i < RACERS; i++) {
      void *who;
      pthread_join(threads[i], &who);
      passed_a += who == a;
      passed_b += who == b;
    }
    cr_assert((passed_a == RACERS / 2 && passed_b == 0) ||
                  (passed_b == RACERS / 2 && passed_a == 0),
              "%d and %d passed", passed_a, passed_b);
  }
}

/* A server that loads its data is waited for, within the connect timeout. */
Test(fence, a_loading_server_is_waited_for) {
  static const line part[] = {
      {1, "-LOADING Redis is loading the dataset in memory\r\n"},
      {-1, NULL},
      {1, "-LOADING Redis is loading the dataset in memory\r\n"},
      {-1, NULL},
      {1, "$12\r\nechomq:4.0.0\r\n"},
      {0, NULL},
  };
  fake f;
  fake_start(&f, part);
  emq_client *client = client_for(f.url);
  emq_client_free(client);
  fake_stop(&f);
}

Test(fence, a_server_that_loads_for_too_long) {
  static line part[201];
  for (int i = 0; i < 200; i += 2) {
    part[i] = (line){1, "-LOADING Redis is loading the dataset in memory\r\n"};
    part[i + 1] = (line){-1, NULL};
  }
  fake f;
  fake_start(&f, part);
  emq_options options = options_for(f.url);
  options.connect_timeout_ms = 300;
  emq_error error = refused(&options, EMQ_ERR_LOADING);
  cr_assert(error.retriable);
  fake_stop(&f);
}
