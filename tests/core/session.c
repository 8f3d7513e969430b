/* SPDX-License-Identifier: MIT */
/* The session against bytes: whole, split, malformed. No server. */
#include "peer.h"

/* ---- boot and fence ---- */

Test(session, boots_in_one_flush) {
  peer p;
  peer_open(&p, "redis://ann:s%20cret@127.0.0.1/3");
  peer_expect(&p, "*3\r\n$4\r\nAUTH\r\n$3\r\nann\r\n$6\r\ns cret\r\n"
                  "*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n" GET_VERSION);
  cr_assert_eq(peer_feed(&p, "+OK\r\n+OK\r\n" OWN_IDENTITY, SIZE_MAX), EMQ_OK);
  cr_assert(emq_session_ready(p.session));
  cr_assert(emq_session_idle(p.session));
  peer_close(&p);
}

Test(session, password_alone_is_one_argument) {
  peer p;
  peer_open(&p, "redis://:pw@127.0.0.1");
  peer_expect(&p, "*2\r\n$4\r\nAUTH\r\n$2\r\npw\r\n" GET_VERSION);
  peer_close(&p);
}

Test(session, user_alone_sends_an_empty_password) {
  peer p;
  peer_open(&p, "redis://ann@127.0.0.1");
  peer_expect(&p, "*3\r\n$4\r\nAUTH\r\n$3\r\nann\r\n$0\r\n\r\n" GET_VERSION);
  peer_close(&p);
}

Test(session, an_empty_store_is_claimed_and_read_again) {
  peer p;
  peer_open(&p, "redis://127.0.0.1");
  peer_expect(&p, GET_VERSION);
  cr_assert_eq(peer_feed(&p, "$-1\r\n", 1), EMQ_OK);
  cr_assert_not(emq_session_ready(p.session));
  peer_expect(
      &p,
      "*4\r\n$3\r\nSET\r\n$13\r\n{emq}:version\r\n$12\r\nechomq:4.0.0\r\n$2\r\nNX\r\n" GET_VERSION);
  cr_assert_eq(peer_feed(&p, "+OK\r\n" OWN_IDENTITY, 1), EMQ_OK);
  cr_assert(emq_session_ready(p.session));
  peer_close(&p);
}

Test(session, a_lost_race_for_an_empty_store_is_a_foreign_store) {
  peer p;
  peer_open(&p, "redis://127.0.0.1");
  peer_expect(&p, GET_VERSION);
  peer_feed(&p, "$-1\r\n", SIZE_MAX);
  peer_flush(&p, SIZE_MAX);
  cr_assert_eq(peer_feed(&p, "$-1\r\n$12\r\nechomq:6.0.0\r\n", SIZE_MAX), EMQ_ERR_FENCE);
  cr_assert_str_eq(p.error.found, "echomq:6.0.0");
  cr_assert_str_eq(p.error.expected, "echomq:4.0.0");
  cr_assert_not(emq_session_ready(p.session));
  peer_close(&p);
}

Test(session, a_beaten_claim_by_an_equal_passes) {
  peer p;
  peer_open(&p, "redis://127.0.0.1");
  peer_flush(&p, SIZE_MAX);
  peer_feed(&p, "$-1\r\n", SIZE_MAX);
  peer_flush(&p, SIZE_MAX);
  cr_assert_eq(peer_feed(&p, "$-1\r\n" OWN_IDENTITY, SIZE_MAX), EMQ_OK);
  cr_assert(emq_session_ready(p.session));
  peer_close(&p);
}

/* Each refusal at the first read of the fence, told apart; nothing held ever leaves. */
Test(session, refusals_are_told_apart) {
  static const struct {
    const char *reply;
    emq_status status;
  } cases[] = {
      {"$12\r\nechomq:6.0.0\r\n", EMQ_ERR_FENCE},
      {"$0\r\n\r\n", EMQ_ERR_FENCE},
      {"-NOAUTH Authentication required.\r\n", EMQ_ERR_AUTH},
      {"-NOPERM No permissions to access a key\r\n", EMQ_ERR_PERMISSION},
      {"-WRONGTYPE Operation against a key holding the wrong kind of value\r\n",
       EMQ_ERR_WRONG_TYPE},
      {"-LOADING Redis is loading the dataset in memory\r\n", EMQ_ERR_LOADING},
      {"-MASTERDOWN Link with MASTER is down\r\n", EMQ_ERR_UNAVAILABLE},
      {"-CLUSTERDOWN The cluster is down\r\n", EMQ_ERR_UNAVAILABLE},
      {"-MOVED 9051 127.0.0.1:7001\r\n", EMQ_ERR_REDIRECT},
      {"-BUSY Redis is busy running a script\r\n", EMQ_ERR_BUSY},
      {"-ERR something else\r\n", EMQ_ERR_SERVER},
      {":1\r\n", EMQ_ERR_PROTOCOL},
      {"*0\r\n", EMQ_ERR_PROTOCOL},
      {"+OK\r\n", EMQ_ERR_PROTOCOL},
      {"HTTP/1.1 400 Bad Request\r\n", EMQ_ERR_PROTOCOL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (size_t piece = 1; piece < 64; piece += 7) {
      peer p;
      emq_command held;
      peer_open(&p, "redis://127.0.0.1");
      peer_command(&held, EMQ_T_ENQUEUE);
      cr_assert_eq(emq_session_submit(p.session, &held, NULL), EMQ_OK);
      peer_expect(&p, GET_VERSION);
      cr_assert_eq(peer_feed(&p, cases[i].reply, piece), cases[i].status, "case %zu: %s", i,
                   p.error.message);
      cr_assert_gt(strlen(p.error.message), 0);
      peer_expect(&p, "");
      emq_session_lost(p.session);
      cr_assert_not(held.left);
      emq_command_clear(&held);
      peer_close(&p);
    }
  }
}

Test(session, a_wrong_password_is_reported_before_what_follows_from_it) {
  peer p;
  peer_open(&p, "redis://:no@127.0.0.1/1");
  peer_flush(&p, SIZE_MAX);
  cr_assert_eq(peer_feed(&p,
                         "-WRONGPASS invalid username-password pair or user is disabled.\r\n"
                         "-NOAUTH Authentication required.\r\n-NOAUTH Authentication required.\r\n",
                         SIZE_MAX),
               EMQ_ERR_AUTH);
  cr_assert_not_null(strstr(p.error.server_text, "WRONGPASS"));
  peer_close(&p);
}

Test(session, a_full_server_speaks_before_it_is_asked) {
  peer p;
  peer_open(&p, "redis://127.0.0.1");
  cr_assert_eq(peer_feed(&p, "-ERR max number of clients reached\r\n", 5), EMQ_ERR_MAX_CLIENTS);
  peer_close(&p);
}

/* ---- commands ---- */

Test(session, a_command_waits_for_the_fence) {
  peer p;
  emq_command command;
  peer_open(&p, "redis://127.0.0.1");
  peer_command(&command, EMQ_T_ROW);
  emq_session_submit(p.session, &command, NULL);
  peer_expect(&p, GET_VERSION);
  peer_feed(&p, OWN_IDENTITY, 1);
  peer_expect(&p, "*2\r\n$7\r\nHGETALL\r\n$26\r\nemq:{q}:job:JOB0KHTOWnGLuC\r\n");
  cr_assert_eq(peer_feed(&p, "*2\r\n$5\r\nstate\r\n$6\r\nactive\r\n", 3), EMQ_OK);
  cr_assert_eq(command.reply->count, 2);
  cr_assert_str_eq(command.reply->elements[1].text, "active");
  cr_assert(emq_session_idle(p.session));
  emq_command_clear(&command);
  peer_close(&p);
}

Test(session, an_answer_nobody_asked_for_ends_the_connection) {
  peer p;
  peer_boot(&p);
  cr_assert_eq(peer_feed(&p, ":1\r\n", SIZE_MAX), EMQ_ERR_PROTOCOL);
  peer_close(&p);
}

Test(session, malformed_replies_end_the_connection) {
  static const char *const cases[] = {
      "?\r\n",       "$x\r\n",        "*x\r\n",         ":x\r\n",
      "*1\r\n?\r\n", "$-7\r\nab\r\n", "*999999999\r\n", "GET / HTTP\r\n",
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (size_t piece = 1; piece < 4; piece++) {
      peer p;
      emq_command command;
      peer_boot(&p);
      peer_command(&command, EMQ_T_ROW);
      emq_session_submit(p.session, &command, NULL);
      peer_flush(&p, SIZE_MAX);
      emq_status status = peer_feed(&p, cases[i], piece);
      cr_assert(status == EMQ_ERR_PROTOCOL || status == EMQ_ERR_NO_MEMORY, "case %zu: %d", i,
                (int)status);
      cr_assert_null(command.reply);
      emq_command_clear(&command);
      peer_close(&p);
    }
  }
}

Test(session, lost_tells_what_may_have_run) {
  peer p;
  emq_command commands[4];
  peer_boot(&p);
  for (size_t i = 0; i < 4; i++) {
    peer_command(&commands[i], EMQ_T_ENQUEUE);
    emq_session_submit(p.session, &commands[i], NULL);
  }
  /* The first is answered, the second sent whole, the third in part, the fourth not at all. */
  peer_flush(&p, commands[0].len + commands[1].len + 5);
  cr_assert_eq(peer_feed(&p, ":1\r\n", SIZE_MAX), EMQ_OK);
  emq_session_lost(p.session);
  cr_assert_not(commands[0].left);
  cr_assert(commands[1].left);
  cr_assert(commands[2].left);
  cr_assert_not(commands[3].left);
  for (size_t i = 0; i < 4; i++)
    emq_command_clear(&commands[i]);
  peer_close(&p);
}

/* ---- NOSCRIPT ---- */

#define NOSCRIPT "-NOSCRIPT No matching script. Please use EVAL.\r\n"

static void expect_load(peer *p, emq_transition transition) {
  const emq_script *script = emq_script_of(transition);
  static char expected[1 << 16];
  snprintf(expected, sizeof expected, "*3\r\n$6\r\nSCRIPT\r\n$4\r\nLOAD\r\n$%zu\r\n%.*s\r\n",
           script->source_len, (int)script->source_len, script->source);
  peer_expect(p, expected);
}

static void feed_digest(peer *p, emq_transition transition) {
  char reply[64];
  snprintf(reply, sizeof reply, "$40\r\n%s\r\n", emq_script_of(transition)->sha1);
  cr_assert_eq(peer_feed(p, reply, 1), EMQ_OK);
}

Test(session, noscript_is_mended_once) {
  peer p;
  emq_command command;
  peer_boot(&p);
  peer_command(&command, EMQ_T_ENQUEUE);
  emq_session_submit(p.session, &command, NULL);
  peer_flush(&p, SIZE_MAX);
  p.sent_len = 0;
  cr_assert_eq(peer_feed(&p, NOSCRIPT, 1), EMQ_OK);
  cr_assert_null(command.reply);
  cr_assert_not(emq_session_idle(p.session));
  expect_load(&p, EMQ_T_ENQUEUE);
  feed_digest(&p, EMQ_T_ENQUEUE);
  peer_flush(&p, SIZE_MAX);
  cr_assert_eq(p.sent_len, command.len);
  cr_assert_arr_eq(p.sent, command.bytes, command.len);
  cr_assert_eq(peer_feed(&p, ":1\r\n", 1), EMQ_OK);
  cr_assert_eq(command.reply->integer, 1);
  cr_assert(emq_session_idle(p.session));
  emq_command_clear(&command);
  peer_close(&p);
}

Test(session, a_second_noscript_is_the_answer) {
  peer p;
  emq_command command;
  peer_boot(&p);
  peer_command(&command, EMQ_T_ENQUEUE);
  emq_session_submit(p.session, &command, NULL);
  peer_flush(&p, SIZE_MAX);
  peer_feed(&p, NOSCRIPT, 1);
  peer_flush(&p, SIZE_MAX);
  feed_digest(&p, EMQ_T_ENQUEUE);
  peer_flush(&p, SIZE_MAX);
  cr_assert_eq(peer_feed(&p, NOSCRIPT, 1), EMQ_OK);
  cr_assert_eq(command.reply->type, EMQ_REPLY_IS_ERROR);
  cr_assert(emq_session_idle(p.session));
  emq_command_clear(&command);
  peer_close(&p);
}

/* Every second of 100 is not known to the server; two scripts are in play. One load each, and
 * every answer reaches its own command. */
Test(session, noscript_inside_a_pipeline) {
  enum { N = 100 };
  peer p;
  emq_command commands[N];
  peer_boot(&p);
  for (size_t i = 0; i < N; i++) {
    peer_command(&commands[i], i % 4 < 2 ? EMQ_T_ENQUEUE : EMQ_T_STATE_LOOKUP);
    emq_session_submit(p.session, &commands[i], NULL);
  }
  peer_flush(&p, SIZE_MAX);
  p.sent_len = 0;
  for (size_t i = 0; i < N; i++) {
    char reply[80];
    snprintf(reply, sizeof reply, i % 2 ? NOSCRIPT : ":%zu\r\n", i);
    cr_assert_eq(peer_feed(&p, reply, 9), EMQ_OK);
  }
  peer_flush(&p, SIZE_MAX);
  p.sent[p.sent_len] = '\0';
  size_t loads = 0;
  for (const char *at = p.sent; (at = strstr(at, "$4\r\nLOAD")); at++)
    loads++;
  cr_assert_eq(loads, 2);
  p.sent_len = 0;
  feed_digest(&p, EMQ_T_ENQUEUE);
  feed_digest(&p, EMQ_T_STATE_LOOKUP);
  peer_flush(&p, SIZE_MAX);
  for (size_t script = 0; script < 2; script++)
    for (size_t i = script * 2 + 1; i < N; i += 4) {
      char reply[32];
      snprintf(reply, sizeof reply, ":%zu\r\n", i);
      cr_assert_eq(peer_feed(&p, reply, 2), EMQ_OK);
    }
  cr_assert(emq_session_idle(p.session));
  for (size_t i = 0; i < N; i++) {
    cr_assert_eq(commands[i].reply->integer, (int64_t)i);
    emq_command_clear(&commands[i]);
  }
  peer_close(&p);
}

Test(session, a_parked_command_has_not_run) {
  peer p;
  emq_command command;
  peer_boot(&p);
  peer_command(&command, EMQ_T_CLAIM);
  emq_session_submit(p.session, &command, NULL);
  peer_flush(&p, SIZE_MAX);
  peer_feed(&p, NOSCRIPT, SIZE_MAX);
  peer_flush(&p, SIZE_MAX);
  emq_session_lost(p.session);
  cr_assert_not(command.left);
  emq_command_clear(&command);
  peer_close(&p);
}

Test(session, a_load_that_fails_answers_those_that_waited) {
  static const struct {
    const char *reply;
    const char *text;
  } cases[] = {
      {"-NOPERM this user has no permissions to run the 'script|load' command\r\n", "NOPERM"},
      {"$40\r\n0000000000000000000000000000000000000000\r\n", "NOSCRIPT script enqueue"},
      {"+OK\r\n", "NOSCRIPT script enqueue"},
      {":1\r\n", "NOSCRIPT script enqueue"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    peer p;
    emq_command a, b;
    peer_boot(&p);
    peer_command(&a, EMQ_T_ENQUEUE);
    peer_command(&b, EMQ_T_ENQUEUE);
    emq_session_submit(p.session, &a, NULL);
    emq_session_submit(p.session, &b, NULL);
    peer_flush(&p, SIZE_MAX);
    peer_feed(&p, NOSCRIPT NOSCRIPT, 11);
    peer_flush(&p, SIZE_MAX);
    cr_assert_eq(peer_feed(&p, cases[i].reply, 3), EMQ_OK);
    cr_assert_eq(a.reply->type, EMQ_REPLY_IS_ERROR);
    cr_assert_eq(strncmp(a.reply->text, cases[i].text, strlen(cases[i].text)), 0, "%s",
                 a.reply->text);
    cr_assert_str_eq(a.reply->text, b.reply->text);
    cr_assert(emq_session_idle(p.session));
    emq_command_clear(&a);
    emq_command_clear(&b);
    peer_close(&p);
  }
}

/* ---- memory ---- */

static size_t allocations, fail_at;

static void *failing_realloc(void *ptr, size_t size, void *data) {
  (void)data;
  return ++allocations == fail_at ? NULL : realloc(ptr, size);
}

static void plain_free(void *ptr, void *data) {
  (void)data;
  free(ptr);
}

/* Boots, runs a pipeline with a NOSCRIPT in it and reads a nested reply, with the n-th allocation
 * failing, for every n: an error or a success, never a crash, and (under ASan) never a leak. */
Test(session, every_allocation_may_fail) {
  emq_allocator allocator = {failing_realloc, plain_free, NULL};
  emq_set_allocator(&allocator);
  char digest[64];
  snprintf(digest, sizeof digest, "$40\r\n%s\r\n", emq_script_of(EMQ_T_ENQUEUE)->sha1);
  size_t failures = 0;
  for (fail_at = 1;; fail_at++) {
    allocations = 0;
    emq_settings settings;
    emq_options options = EMQ_OPTIONS_INIT;
    options.url = (emq_bytes){"redis://u:p@h/1", 15};
    options.client_name = (emq_bytes){"me", 2};
    emq_status status = emq_settings_read(&settings, &options, NULL);
    emq_session *session = status == EMQ_OK ? emq_session_new(&settings) : NULL;
    emq_command commands[2];
    for (size_t i = 0; i < 2; i++) {
      peer_command(&commands[i], i ? EMQ_T_ENQUEUE : EMQ_T_ROW);
      if (session)
        emq_session_submit(session, &commands[i], NULL);
    }
    const char *steps[] = {
        "+OK\r\n+OK\r\n+OK\r\n" OWN_IDENTITY,
        "*2\r\n$5\r\nstate\r\n$6\r\nactive\r\n" NOSCRIPT,
        digest,
        ":1\r\n",
    };
    for (size_t i = 0; session && status == EMQ_OK && i < 4; i++) {
      emq_bytes chunks[8];
      for (size_t n; (n = emq_session_output(session, chunks, 8)) > 0;)
        for (size_t c = 0; c < n; c++)
          emq_session_sent(session, chunks[c].len);
      status = emq_session_input(session, steps[i], strlen(steps[i]), NULL);
    }
    bool whole = status == EMQ_OK && session && commands[1].reply;
    failures += !whole;
    for (size_t i = 0; i < 2; i++)
      emq_command_clear(&commands[i]);
    emq_session_free(session);
    if (session || status == EMQ_OK)
      emq_settings_clear(&settings);
    if (allocations < fail_at) {
      cr_assert(whole, "with nothing failing all must work");
      break;
    }
  }
  cr_assert_gt(failures, 10);
  emq_set_allocator(NULL);
}
