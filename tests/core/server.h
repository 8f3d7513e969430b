/* SPDX-License-Identifier: MIT */
#ifndef EMQ_TESTS_SERVER_H
#define EMQ_TESTS_SERVER_H

/* Servers for tests: a real one by tests/support/server, and one that says what it is told to. */

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <echomq/echomq.h>
#include <hiredis/hiredis.h>

/* ---- a real server ---- */

typedef struct server {
  pid_t launcher, pid;
  int control; /* closing it stops the server */
  char url[256], path[256];
} server;

/* Starts a server of the kind in ECHOMQ_TEST_KIND, with more arguments of its own, NULL last. */
static inline void server_start(server *s, ...) {
  const char *launcher = getenv("ECHOMQ_TEST_SERVER"), *kind = getenv("ECHOMQ_TEST_KIND");
  cr_assert(launcher && kind, "set ECHOMQ_TEST_SERVER and ECHOMQ_TEST_KIND");
  const char *arguments[32] = {launcher, "--kind", kind};
  size_t count = 3;
  va_list more;
  va_start(more, s);
  while ((arguments[count] = va_arg(more, const char *)))
    count++;
  va_end(more);
  int in[2], out[2];
  cr_assert(pipe(in) == 0 && pipe(out) == 0);
  s->launcher = fork();
  if (s->launcher == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    close(in[0]), close(in[1]), close(out[0]), close(out[1]);
    execv(launcher, (char *const *)arguments);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  s->control = in[1];
  FILE *lines = fdopen(out[0], "r");
  char pid[32];
  cr_assert(fgets(s->url, sizeof s->url, lines) && fgets(pid, sizeof pid, lines),
            "the server did not start");
  s->url[strcspn(s->url, "\n")] = '\0';
  s->pid = (pid_t)atol(pid);
  snprintf(s->path, sizeof s->path, "%s", s->url + strlen("unix://"));
  s->path[strcspn(s->path, "?")] = '\0';
  /* `lines` stays open: the launcher takes a closed one for the end of its user. */
}

static inline void server_stop(server *s) {
  close(s->control);
  waitpid(s->launcher, NULL, 0);
}

/* A raw command, split at spaces; the reply is the caller's. */
static inline redisReply *server_raw(const server *s, const char *line) {
  char copy[1024];
  snprintf(copy, sizeof copy, "%s", line);
  const char *parts[32];
  int count = 0;
  for (char *at = strtok(copy, " "); at; at = strtok(NULL, " "))
    parts[count++] = at;
  redisContext *context = redisConnectUnix(s->path);
  cr_assert(context && !context->err, "raw connection to %s", s->path);
  redisReply *reply = redisCommandArgv(context, count, parts, NULL);
  cr_assert_not_null(reply, "%s: %s", line, context->errstr);
  redisFree(context);
  return reply;
}

/* The same for a reply that is a number; a text's length where it is one, -1 for nil. */
static inline long long server_number(const server *s, const char *line) {
  redisReply *reply = server_raw(s, line);
  cr_assert_neq(reply->type, REDIS_REPLY_ERROR, "%s: %s", line, reply->str);
  long long value = reply->type == REDIS_REPLY_INTEGER ? reply->integer
                    : reply->type == REDIS_REPLY_NIL   ? -1
                                                       : (long long)reply->len;
  freeReplyObject(reply);
  return value;
}

static inline void server_do(const server *s, const char *line) { server_number(s, line); }

/* ---- a server that says what it is told to ---- */

/* Takes one connection after another; of each it reads until `await` bytes have come (0: not at
 * all), writes a reply and goes on to the next line of its part. An `await` of -1 closes. */
typedef struct line {
  long await;
  const char *reply;
} line;

typedef struct fake {
  char url[128], folder[64];
  int listener;
  pthread_t thread;
  const line *part; /* ends with {0, NULL} */
} fake;

static inline void *fake_run(void *data) {
  fake *f = data;
  int fd = -1;
  for (const line *l = f->part; l->await || l->reply; l++) {
    if (fd < 0 && (fd = accept(f->listener, NULL, NULL)) < 0)
      break;
    if (l->await < 0) {
      close(fd);
      fd = -1;
      continue;
    }
    char room[65536];
    long got = 0;
    for (ssize_t n; got < l->await && (n = recv(fd, room, sizeof room, 0)) > 0;)
      got += n;
    if (l->reply)
      send(fd, l->reply, strlen(l->reply), MSG_NOSIGNAL);
  }
  /* What is left of the connection stays silent until the other side closes it. */
  char rest;
  while (fd >= 0 && recv(fd, &rest, 1, 0) > 0)
    ;
  if (fd >= 0)
    close(fd);
  return NULL;
}

static inline void fake_start(fake *f, const line *part) {
  snprintf(f->folder, sizeof f->folder, "/tmp/echomq-fake-XXXXXX");
  cr_assert_not_null(mkdtemp(f->folder));
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/s", f->folder);
  snprintf(f->url, sizeof f->url, "unix://%s/s", f->folder);
  f->listener = socket(AF_UNIX, SOCK_STREAM, 0);
  cr_assert_eq(bind(f->listener, (struct sockaddr *)&address, sizeof address), 0);
  cr_assert_eq(listen(f->listener, 8), 0);
  f->part = part;
  pthread_create(&f->thread, NULL, fake_run, f);
}

static inline void fake_stop(fake *f) {
  shutdown(f->listener, SHUT_RDWR);
  pthread_join(f->thread, NULL);
  close(f->listener);
  char path[80];
  snprintf(path, sizeof path, "%s/s", f->folder);
  unlink(path);
  rmdir(f->folder);
}

/* ---- clients ---- */

static inline emq_options options_for(const char *url) {
  emq_options options = EMQ_OPTIONS_INIT;
  options.url = (emq_bytes){url, strlen(url)};
  return options;
}

static inline emq_client *client_for(const char *url) {
  emq_options options = options_for(url);
  emq_client *client = NULL;
  emq_error error = EMQ_ERROR_INIT;
  cr_assert_eq(emq_client_open(&client, &options, &error), EMQ_OK, "%s", error.message);
  return client;
}

/* Opens a client that must be refused with that status. */
static inline emq_error refused(const emq_options *options, emq_status status) {
  emq_client *client = NULL;
  emq_error error = EMQ_ERROR_INIT;
  emq_status got = emq_client_open(&client, options, &error);
  cr_assert_eq(got, status, "%d: %s", (int)got, error.message);
  cr_assert_eq(error.code, status);
  cr_assert_null(client);
  return error;
}

#define Q "q", 1
#define ID(id) (id).text, EMQ_ID_LEN

#endif
