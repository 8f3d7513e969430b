/* SPDX-License-Identifier: MIT */
#include "client/posix.h"

#include "client/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "client/clock.h"
#include "wire/error.h"

enum { SLICE_MS = 100, CHUNKS = 64 };

/* ---- waiting ---- */

emq_status emq_wait_ask(emq_wait *wait, bool now, emq_error *err) {
  int64_t time = emq_monotonic_ms();
  if (atomic_load(wait->closed))
    return emq_fail(err, EMQ_ERR_CLOSED, "the client was closed during the call");
  if (now || time - wait->asked_ms >= SLICE_MS) {
    const emq_settings *settings = wait->settings;
    wait->asked_ms = time;
    if (settings->interrupt && settings->interrupt(settings->hook_data) != 0)
      return emq_fail(err, EMQ_ERR_INTERRUPTED, "the call was interrupted");
  }
  if (time >= wait->deadline_ms)
    return emq_fail(err, EMQ_ERR_TIMEOUT, "the server did not answer in time");
  return EMQ_OK;
}

/* Waits for the socket; `*ready` gets poll's answer. `fd` -1 waits for time alone. */
static emq_status slice(int fd, short events, int64_t ms, short *ready, emq_wait *wait,
                        emq_error *err) {
  int64_t left = wait->deadline_ms - emq_monotonic_ms();
  ms = ms < left ? ms : left;
  struct pollfd watched = {fd, events, 0};
  int n = poll(&watched, 1, ms < 0 ? 0 : ms < SLICE_MS ? (int)ms : SLICE_MS);
  bool signalled = n < 0 && errno == EINTR;
  if (n < 0 && !signalled)
    return emq_fail(err, EMQ_ERR_CONNECTION, "waiting failed: %s", strerror(errno));
  *ready = n > 0 ? watched.revents : 0;
  return emq_wait_ask(wait, signalled, err);
}

emq_status emq_transport_pause(int64_t ms, emq_wait *wait, emq_error *err) {
  int64_t until = emq_monotonic_ms() + ms;
  emq_status status = EMQ_OK;
  for (int64_t now; status == EMQ_OK && (now = emq_monotonic_ms()) < until;) {
    short ready;
    status = slice(-1, 0, until - now, &ready, wait, err);
  }
  return status;
}

/* ---- connecting ---- */

static void set_option(int fd, int level, int option) {
  int on = 1;
  /* Best effort: without it the connection is slower to notice, not wrong. */
  (void)setsockopt(fd, level, option, &on, sizeof on);
}

/* Connects one address. A full backlog of a unix socket answers EAGAIN and is asked again. */
static emq_status connect_to(int *out, const struct sockaddr *address, socklen_t len,
                             const char *where, emq_wait *wait, emq_error *err) {
  int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return emq_fail(err, EMQ_ERR_CONNECTION, "no socket: %s", strerror(errno));
  emq_status status = EMQ_OK;
  int failure = 0;
  for (;;) {
    failure = connect(fd, address, len) == 0 ? 0 : errno;
    if (failure != EAGAIN && failure != EINTR)
      break;
    status = emq_transport_pause(10, wait, err);
    if (status != EMQ_OK)
      break;
  }
  if (failure == EINPROGRESS || failure == EALREADY) {
    short ready = 0;
    while (status == EMQ_OK && !ready)
      status = slice(fd, POLLOUT, SLICE_MS, &ready, wait, err);
    socklen_t size = sizeof failure;
    if (status == EMQ_OK && getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size) != 0)
      failure = errno;
  }
  if (status == EMQ_OK && failure != 0 && failure != EISCONN)
    status =
        emq_fail(err, EMQ_ERR_CONNECTION, "cannot connect to %.200s: %s", where, strerror(failure));
  if (status != EMQ_OK) {
    close(fd);
    return status;
  }
  *out = fd;
  return EMQ_OK;
}

static emq_status open_unix(int *fd, const emq_settings *settings, emq_wait *wait, emq_error *err) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path, settings->path, strlen(settings->path) + 1);
  return connect_to(fd, (struct sockaddr *)&address, sizeof address, settings->path, wait, err);
}

static emq_status open_tcp(int *fd, const emq_settings *settings, emq_wait *wait, emq_error *err) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_family = AF_UNSPEC};
  struct addrinfo *found = NULL;
  int failure = getaddrinfo(settings->host, settings->port, &hints, &found);
  if (failure != 0)
    return emq_fail(err, EMQ_ERR_CONNECTION, "cannot look up the host %.200s: %s", settings->host,
                    failure == EAI_SYSTEM ? strerror(errno) : gai_strerror(failure));
  char host[200], where[220];
  emq_quote(host, sizeof host, settings->host, strlen(settings->host));
  bool v6 = strchr(settings->host, ':') != NULL;
  snprintf(where, sizeof where, v6 ? "[%s]:%s" : "%s:%s", host, settings->port);
  emq_status status = EMQ_ERR_CONNECTION;
  for (const struct addrinfo *at = found; at; at = at->ai_next) {
    status = connect_to(fd, at->ai_addr, at->ai_addrlen, where, wait, err);
    if (status != EMQ_ERR_CONNECTION)
      break;
  }
  freeaddrinfo(found);
  if (status == EMQ_OK) {
    set_option(*fd, IPPROTO_TCP, TCP_NODELAY);
    set_option(*fd, SOL_SOCKET, SO_KEEPALIVE);
  }
  return status;
}

emq_status emq_transport_open(int *fd, const emq_settings *settings, emq_wait *wait,
                              emq_error *err) {
  return settings->path ? open_unix(fd, settings, wait, err) : open_tcp(fd, settings, wait, err);
}

bool emq_transport_stale(int fd) {
  char byte;
  ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

/* ---- moving bytes ---- */

static bool again(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

/* Sends what the session has, as far as the socket takes it. */
static emq_status send_some(int fd, emq_session *session, bool *more, emq_error *err) {
  for (;;) {
    emq_bytes chunks[CHUNKS];
    struct iovec vector[CHUNKS];
    size_t count = emq_session_output(session, chunks, CHUNKS);
    *more = count > 0;
    if (count == 0)
      return EMQ_OK;
    for (size_t i = 0; i < count; i++)
      vector[i] = (struct iovec){(void *)chunks[i].ptr, chunks[i].len};
    struct msghdr message = {.msg_iov = vector, .msg_iovlen = count};
    ssize_t n = sendmsg(fd, &message, MSG_NOSIGNAL);
    if (n < 0)
      return again(errno)
                 ? EMQ_OK
                 : emq_fail(err, EMQ_ERR_CONNECTION, "the connection broke: %s", strerror(errno));
    emq_session_sent(session, (size_t)n);
  }
}

static emq_status receive_some(int fd, emq_session *session, char *room, size_t room_size,
                               emq_error *err) {
  ssize_t n = recv(fd, room, room_size, 0);
  if (n > 0)
    return emq_session_input(session, room, (size_t)n, err);
  if (n == 0)
    return emq_fail(err, EMQ_ERR_CONNECTION, "the server closed the connection");
  return again(errno)
             ? EMQ_OK
             : emq_fail(err, EMQ_ERR_CONNECTION, "the connection broke: %s", strerror(errno));
}

emq_status emq_transport_run(int fd, emq_session *session, char *room, size_t room_size,
                             emq_wait *wait, emq_error *err) {
  while (!emq_session_ready(session) || !emq_session_idle(session)) {
    bool more = false;
    emq_status status = send_some(fd, session, &more, err);
    if (status != EMQ_OK) {
      /* A server that turned us away has said why before it closed. */
      emq_error why = EMQ_ERROR_INIT;
      emq_status heard = receive_some(fd, session, room, room_size, &why);
      if (heard == EMQ_OK || heard == EMQ_ERR_CONNECTION)
        return status;
      if (err)
        *err = why;
      return heard;
    }
    short ready = 0;
    status = slice(fd, more ? POLLIN | POLLOUT : POLLIN, SLICE_MS, &ready, wait, err);
    if (status == EMQ_OK && (ready & (POLLIN | POLLHUP | POLLERR)))
      status = receive_some(fd, session, room, room_size, err);
    if (status != EMQ_OK)
      return status;
  }
  return EMQ_OK;
}
