/* SPDX-License-Identifier: MIT */
#ifndef EMQ_TESTS_PEER_H
#define EMQ_TESTS_PEER_H

/* A session without a socket, for tests: what it wants to send is gathered, what a server would
 * answer is fed. */

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/alloc.h"
#include "client/session.h"

typedef struct peer {
  emq_settings settings;
  emq_session *session;
  char sent[1 << 16];
  size_t sent_len;
  emq_error error;
} peer;

static inline void peer_open(peer *p, const char *url) {
  memset(p, 0, sizeof *p);
  emq_options options = EMQ_OPTIONS_INIT;
  options.url = (emq_bytes){url, strlen(url)};
  cr_assert_eq(emq_settings_read(&p->settings, &options, &p->error), EMQ_OK, "%s",
               p->error.message);
  p->session = emq_session_new(&p->settings);
  cr_assert_not_null(p->session);
}

static inline void peer_close(peer *p) {
  emq_session_free(p->session);
  emq_settings_clear(&p->settings);
}

/* Takes at most `max` bytes of what the session wants to send. */
static inline void peer_flush(peer *p, size_t max) {
  emq_bytes chunks[8];
  size_t count;
  while (max > 0 && (count = emq_session_output(p->session, chunks, 8)) > 0) {
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) {
      size_t n = chunks[i].len < max - taken ? chunks[i].len : max - taken;
      cr_assert_lt(p->sent_len + n, sizeof p->sent);
      memcpy(p->sent + p->sent_len, chunks[i].ptr, n);
      p->sent_len += n;
      taken += n;
    }
    emq_session_sent(p->session, taken);
    max -= taken;
  }
}

/* Flushes, and asserts that exactly this has been sent since the last time. */
static inline void peer_expect(peer *p, const char *bytes) {
  peer_flush(p, SIZE_MAX);
  p->sent[p->sent_len] = '\0';
  cr_assert_str_eq(p->sent, bytes);
  p->sent_len = 0;
}

/* Feeds bytes in pieces of that size. */
static inline emq_status peer_feed(peer *p, const char *bytes, size_t piece) {
  size_t len = strlen(bytes);
  emq_status status = EMQ_OK;
  for (size_t at = 0; at < len && status == EMQ_OK; at += piece)
    status =
        emq_session_input(p->session, bytes + at, len - at < piece ? len - at : piece, &p->error);
  return status;
}

#define GET_VERSION "*2\r\n$3\r\nGET\r\n$13\r\n{emq}:version\r\n"
#define OWN_IDENTITY "$12\r\nechomq:4.0.0\r\n"

/* A session that has passed the fence. */
static inline void peer_boot(peer *p) {
  peer_open(p, "redis://127.0.0.1");
  peer_expect(p, GET_VERSION);
  cr_assert_eq(peer_feed(p, OWN_IDENTITY, SIZE_MAX), EMQ_OK);
  cr_assert(emq_session_ready(p->session));
}

/* A command of the transition `counts` (its reply is easy to write) or another one. */
static inline void peer_command(emq_command *command, emq_transition transition) {
  emq_args args = {.queue = {"q", 1},
                   .id = {"JOB0KHTOWnGLuC", 14},
                   .payload = {"x", 1},
                   .token = 1,
                   .lease_ms = 1000,
                   .counted = 1};
  emq_error error = EMQ_ERROR_INIT;
  cr_assert_eq(emq_command_build(command, transition, EMQ_EXECUTOR_SCRIPTED, &args, &error), EMQ_OK,
               "%s", error.message);
}

#endif
