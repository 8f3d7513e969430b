/* SPDX-License-Identifier: MIT */
#include "cli/output.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first failure of standard output, an errno; nothing is written after it. */
static int broken;

/* ---- escapes ---- */

/* How many bytes at `at` are one character that can be shown as it is; 0: none. */
static size_t printable(const unsigned char *at, size_t left) {
  if (at[0] < 0x80)
    return at[0] >= 0x20 && at[0] != 0x7f && at[0] != '\\';
  size_t len = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
  if (at[0] < 0xc2 || at[0] > 0xf4 || len > left)
    return 0;
  for (size_t i = 1; i < len; i++)
    if ((at[i] & 0xc0) != 0x80)
      return 0;
  bool overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
  bool beyond = (at[0] == 0xed && at[1] >= 0xa0) || (at[0] == 0xf4 && at[1] >= 0x90);
  bool control = at[0] == 0xc2 && at[1] < 0xa0; /* U+0080 to U+009F */
  return overlong || beyond || control ? 0 : len;
}

/* The next piece to write for the bytes at `at`: `*used` of them; at most 4 bytes. */
static size_t escape_one(char room[5], const char *at, size_t left, size_t *used) {
  *used = printable((const unsigned char *)at, left);
  if (*used) {
    memcpy(room, at, *used);
    return *used;
  }
  *used = 1;
  const char *simple = *at == '\n' ? "\\n" : *at == '\t' ? "\\t" : *at == '\\' ? "\\\\" : NULL;
  if (simple) {
    memcpy(room, simple, 2);
    return 2;
  }
  return (size_t)snprintf(room, 5, "\\x%02x", (unsigned char)*at);
}

const char *cli_escape(char *room, size_t room_size, const char *bytes, size_t len) {
  size_t filled = 0;
  for (size_t at = 0, used; at < len; at += used) {
    char piece[5];
    size_t n = escape_one(piece, bytes + at, len - at, &used);
    if (filled + n >= room_size)
      break;
    memcpy(room + filled, piece, n);
    filled += n;
  }
  room[filled] = '\0';
  return room;
}

/* ---- standard output ---- */

void cli_out(const char *bytes, size_t len) {
  if (!broken && len && fwrite(bytes, 1, len, stdout) < len)
    broken = errno ? errno : EIO;
}

void cli_out_text(const char *text) { cli_out(text, strlen(text)); }

void cli_out_format(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (!broken && vprintf(format, arguments) < 0)
    broken = errno ? errno : EIO;
  va_end(arguments);
}

void cli_out_escaped(const char *bytes, size_t len) {
  for (size_t at = 0, used; at < len && !broken; at += used) {
    /* What needs no escape goes out in one piece. */
    size_t plain = 0, n;
    while (at + plain < len &&
           (n = printable((const unsigned char *)bytes + at + plain, len - at - plain)) > 0)
      plain += n;
    cli_out(bytes + at, plain);
    used = plain;
    if (at + plain < len) {
      char piece[5];
      cli_out(piece, escape_one(piece, bytes + at + plain, len - at - plain, &n));
      used += n;
    }
  }
}

bool cli_out_flush(void) {
  if (!broken && fflush(stdout) != 0)
    broken = errno ? errno : EIO;
  return !broken;
}

bool cli_out_good(void) { return !broken; }

void cli_out_resume(void) {
  if (broken != EINTR)
    return;
  broken = 0;
  clearerr(stdout);
}

cli_code cli_out_finish(cli_code code) {
  if (!broken && (fflush(stdout) != 0 || fclose(stdout) != 0))
    broken = errno ? errno : EIO;
  if (!broken || (broken == EINTR && cli_stopped()))
    return broken ? CLI_INTERRUPTED : code;
  if (broken == EPIPE) {
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
  }
  cli_complain("writing the output: %s", strerror(broken));
  return code == CLI_DONE || code == CLI_NO ? CLI_TROUBLE : code;
}

/* ---- standard error ---- */

static void complain(const char *format, va_list arguments) CLI_FORMAT(1, 0);

static void complain(const char *format, va_list arguments) {
  char message[1024], safe[2048];
  vsnprintf(message, sizeof message, format, arguments);
  cli_progress_hide();
  /* Backslashes of the escapes made before stay as they are. */
  size_t filled = 0;
  for (size_t at = 0, len = strlen(message), used; at < len && filled + 8 < sizeof safe;
       at += used) {
    used = 1;
    if (message[at] == '\\')
      safe[filled++] = '\\';
    else
      filled += escape_one(safe + filled, message + at, len - at, &used);
  }
  fprintf(stderr, "echomq: %.*s\n", (int)filled, safe);
}

void cli_complain(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  complain(format, arguments);
  va_end(arguments);
}

cli_code cli_usage(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  complain(format, arguments);
  va_end(arguments);
  return CLI_USAGE;
}
