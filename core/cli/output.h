/* SPDX-License-Identifier: MIT */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

/* What the tool writes: answers on standard output, as text or as JSON, and complaints on standard
 * error. Writing is checked: the first failure stays, everything after it is dropped, and
 * cli_out_finish makes it the exit code. */

#include "cli/cli.h"

/* Lets the compiler check a printf-like function's arguments against its format. */
#if defined(__GNUC__)
#define CLI_FORMAT(at, first) __attribute__((format(printf, at, first)))
#else
#define CLI_FORMAT(at, first)
#endif

/* ---- standard output ---- */

void cli_out(const char *bytes, size_t len);
void cli_out_text(const char *text);
void cli_out_format(const char *format, ...) CLI_FORMAT(1, 2);

/* Bytes as one line of text: what a terminal would act on, line ends, backslashes and what is not
 * UTF-8 as \n, \\ and \xNN. */
void cli_out_escaped(const char *bytes, size_t len);

/* Sends what is buffered. False once anything could not be written. */
bool cli_out_flush(void);
bool cli_out_good(void);

/* Makes output go on after a signal has cut it short; other failures stay. */
void cli_out_resume(void);

/* The end: flushes, and turns a failure into its code. A reader that has gone away ends the process
 * as SIGPIPE would, without a word. */
cli_code cli_out_finish(cli_code code);

/* ---- standard error ---- */

/* "echomq: " and a line, made safe for a terminal. */
void cli_complain(const char *format, ...) CLI_FORMAT(1, 2);

/* Complains, and returns CLI_USAGE. */
cli_code cli_usage(const char *format, ...) CLI_FORMAT(1, 2);

/* The escapes of cli_out_escaped into a room, cut to it and terminated; returns the room. */
const char *cli_escape(char *room, size_t room_size, const char *bytes, size_t len);

/* ---- records: one answer, a line of JSON or text in the style that it asks for ---- */

typedef enum cli_style {
  CLI_LINE,  /* the values, separated by spaces */
  CLI_PAIRS, /* name=value, separated by spaces */
  CLI_BLOCK, /* a line for each: name and value */
} cli_style;

typedef struct cli_record {
  bool json, silent;
  cli_style style;
  size_t fields;
  void *object; /* json_t, owned until the end */
} cli_record;

/* Starts one. A confirmation of what was done is silent under --quiet; data never is. */
void cli_record_data(cli_record *record, const cli *c, cli_style style);
void cli_record_confirm(cli_record *record, const cli *c, cli_style style);

void cli_record_bytes(cli_record *record, const char *name, emq_bytes value);
void cli_record_text(cli_record *record, const char *name, const char *value);
void cli_record_number(cli_record *record, const char *name, int64_t value);
void cli_record_rate(cli_record *record, const char *name, double value);
/* A list that is NULL is empty; a row that is NULL is null in JSON, and nothing in text. */
void cli_record_list(cli_record *record, const char *name, const emq_list *list);
void cli_record_row(cli_record *record, const char *name, const emq_row *row);

/* A time in unix ms: in JSON the number, as `name`_ms; in text a date, UTC. */
void cli_record_time(cli_record *record, const char *name, int64_t unix_ms);

/* Writes it out. */
void cli_record_end(cli_record *record);

/* ---- progress: a bar on standard error, where that is a terminal and --quiet is not said ---- */

/* `total` 0: unknown. It shows once the work has taken a moment. */
void cli_progress_start(const cli *c, const char *what, int64_t total);
/* `done` of the total, and how many jobs that were. */
void cli_progress_at(int64_t done, int64_t jobs);
/* Takes the bar away; the next cli_progress_at draws it again, cli_progress_end does not. */
void cli_progress_hide(void);
void cli_progress_end(void);

#endif
