/* SPDX-License-Identifier: MIT */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

/* What the tool reads: whole files, and lines as they come. */

#include "cli/cli.h"

/* A growing buffer; free() its bytes. */
typedef struct cli_buffer {
  char *bytes;
  size_t len, room;
} cli_buffer;

/* Reads a whole file, or standard input for "-", of at most `max` bytes. It complains. */
cli_code cli_read_file(cli_buffer *out, const char *path, size_t max);

/* Lines from a descriptor, each up to EMQ_PAYLOAD_MAX bytes. */
typedef struct cli_lines {
  int fd;
  cli_buffer buffer;
  size_t at;      /* where the next line starts */
  size_t scanned; /* no line end lies before it */
  int64_t number; /* of the line given last; 1 is the first */
  int64_t bytes;  /* read so far */
  bool ended;
} cli_lines;

/* The next line without its end. `*line` is {NULL, 0} after the last one. A line is valid until the
 * next call. It complains. */
cli_code cli_next_line(emq_bytes *line, cli_lines *lines);

/* Whether the next line is there already, so that cli_next_line would not wait. */
bool cli_line_ready(cli_lines *lines);

#endif
