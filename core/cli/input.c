/* SPDX-License-Identifier: MIT */
#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"

enum { CHUNK = 1 << 16 };

/* Reads a piece more into the buffer; `*n` is 0 at the end. */
static cli_code read_more(cli_buffer *buffer, int fd, const char *path, size_t *n) {
  if (buffer->room - buffer->len < CHUNK) {
    size_t room = buffer->room ? buffer->room * 2 : 2 * CHUNK;
    char *bytes = realloc(buffer->bytes, room);
    if (!bytes) {
      cli_complain("%s: no memory", path);
      return CLI_TROUBLE;
    }
    buffer->bytes = bytes;
    buffer->room = room;
  }
  for (;;) {
    if (cli_stopped())
      return CLI_INTERRUPTED;
    /* Waits in slices, so that a signal that came just before is seen. */
    struct pollfd watched = {fd, POLLIN, 0};
    if (poll(&watched, 1, 100) <= 0)
      continue;
    ssize_t got = read(fd, buffer->bytes + buffer->len, buffer->room - buffer->len);
    if (got >= 0) {
      *n = (size_t)got;
      buffer->len += *n;
      return CLI_DONE;
    }
    if (errno != EINTR && errno != EAGAIN) {
      cli_complain("%s: %s", path, strerror(errno));
      return CLI_TROUBLE;
    }
  }
}

cli_code cli_read_file(cli_buffer *out, const char *path, size_t max) {
  bool standard = strcmp(path, "-") == 0;
  int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    cli_complain("%.200s: %s", path, strerror(errno));
    return CLI_TROUBLE;
  }
  *out = (cli_buffer){NULL, 0, 0};
  size_t n = 1;
  cli_code code = CLI_DONE;
  while (code == CLI_DONE && n > 0 && out->len <= max)
    code = read_more(out, fd, standard ? "standard input" : path, &n);
  if (code == CLI_DONE && out->len > max)
    code = cli_usage("%.200s: more than %zu bytes", path, max);
  if (!standard)
    close(fd);
  return code;
}

/* The end of the line that starts at lines->at, or NULL when more must be read. */
static const char *line_end(cli_lines *lines) {
  cli_buffer *buffer = &lines->buffer;
  if (!buffer->bytes)
    return NULL;
  const char *end = memchr(buffer->bytes + lines->scanned, '\n', buffer->len - lines->scanned);
  lines->scanned = end ? (size_t)(end - buffer->bytes) : buffer->len;
  return end;
}

bool cli_line_ready(cli_lines *lines) {
  if (line_end(lines))
    return true;
  struct pollfd watched = {lines->fd, POLLIN, 0};
  return poll(&watched, 1, 0) > 0;
}

cli_code cli_next_line(emq_bytes *line, cli_lines *lines) {
  cli_buffer *buffer = &lines->buffer;
  const char *end;
  while (!(end = line_end(lines)) && !lines->ended) {
    size_t n;
    if (lines->at > 0) { /* what was given makes room */
      memmove(buffer->bytes, buffer->bytes + lines->at, buffer->len - lines->at);
      buffer->len -= lines->at;
      lines->scanned -= lines->at;
      lines->at = 0;
    }
    if (buffer->len > EMQ_PAYLOAD_MAX)
      return cli_usage("line %lld has more than %zu bytes", (long long)lines->number + 1,
                       EMQ_PAYLOAD_MAX);
    cli_code code = read_more(buffer, lines->fd, "standard input", &n);
    if (code != CLI_DONE)
      return code;
    lines->bytes += (int64_t)n;
    lines->ended = n == 0;
  }
  size_t len = (end ? (size_t)(end - buffer->bytes) : buffer->len) - lines->at;
  if (len > EMQ_PAYLOAD_MAX)
    return cli_usage("line %lld has more than %zu bytes", (long long)lines->number + 1,
                     EMQ_PAYLOAD_MAX);
  *line = (emq_bytes){NULL, 0};
  if (!end && len == 0)
    return CLI_DONE;
  *line = (emq_bytes){buffer->bytes + lines->at, len};
  lines->at += len + (end != NULL);
  lines->scanned = lines->at;
  lines->number++;
  return CLI_DONE;
}
