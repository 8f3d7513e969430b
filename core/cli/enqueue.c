/* SPDX-License-Identifier: MIT */
/* enqueue: one payload, or one a line. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/input.h"
#include "cli/output.h"

enum { BATCH_ITEMS = 1000, BATCH_BYTES = 4 << 20 };

const cli_option cli_enqueue_options[] = {
    CLI_OPTION_TEXT("file", 0, file, "FILE",
                    "the payload is this file's bytes, all of them; - is\nstandard input"),
    CLI_OPTION_TEXT("id", 0, id, "ID", "the job's id; else one is minted"),
    CLI_OPTION_SECONDS("delay", delay_ms, 0, EMQ_DELAY_MAX_MS,
                       "not before so many seconds from now"),
    CLI_OPTION_SECONDS("at", at_ms, 0, EMQ_TIME_MAX_MS, "not before this unix time"),
    CLI_OPTIONS_END,
};

static void tell(cli *c, const char *id, size_t id_len, emq_outcome outcome) {
  cli_record record;
  if (outcome == EMQ_OUTCOME_DUPLICATE && !c->options.json) {
    if (!c->options.quiet)
      cli_complain("%.*s is a job already: it was left as it is", (int)id_len, id);
    return;
  }
  cli_record_confirm(&record, c, CLI_LINE);
  cli_record_bytes(&record, "id", (emq_bytes){id, id_len});
  if (c->options.json)
    cli_record_text(&record, "outcome", emq_outcome_name(outcome));
  cli_record_end(&record);
}

/* Sends one payload, and says how that went. */
static cli_code send_one(cli *c, emq_bytes payload) {
  const cli_options *o = &c->options;
  bool scheduled = o->delay_ms != CLI_UNSET || o->at_ms != CLI_UNSET;
  emq_when when = o->at_ms != CLI_UNSET ? EMQ_AT : EMQ_IN;
  int64_t ms = when == EMQ_AT ? o->at_ms : o->delay_ms;
  const char *id = o->id;
  size_t id_len = id ? strlen(id) : 0;
  emq_outcome outcome = scheduled ? EMQ_OUTCOME_SCHEDULED : EMQ_OUTCOME_ENQUEUED;
  emq_error err = EMQ_ERROR_INIT;
  emq_id minted;
  emq_status status;
  if (scheduled && id)
    status = emq_schedule_as(&outcome, c->client, c->queue, c->queue_len, id, id_len, payload.ptr,
                             payload.len, when, ms, &err);
  else if (scheduled)
    status = emq_schedule(&minted, c->client, c->queue, c->queue_len, payload.ptr, payload.len,
                          when, ms, &err);
  else if (id)
    status = emq_enqueue_as(&outcome, c->client, c->queue, c->queue_len, id, id_len, payload.ptr,
                            payload.len, &err);
  else
    status =
        emq_enqueue(&minted, c->client, c->queue, c->queue_len, payload.ptr, payload.len, &err);
  if (status != EMQ_OK)
    return cli_failed(&err);
  tell(c, id ? id : minted.text, id ? id_len : EMQ_ID_LEN, outcome);
  return outcome == EMQ_OUTCOME_DUPLICATE ? CLI_NO : CLI_DONE;
}

/* ---- many ---- */

typedef struct stream {
  cli *c;
  cli_lines lines;
  emq_batch *batch;
  size_t batch_bytes;
  int64_t sent;
  bool single; /* scheduled jobs go one by one */
} stream;

/* Sends the batch and prints the ids. What was refused is told by its line. */
static cli_code flush(stream *s) {
  cli *c = s->c;
  emq_error err = EMQ_ERROR_INIT;
  size_t size = emq_batch_size(s->batch);
  if (size == 0)
    return CLI_DONE;
  emq_status status = emq_enqueue_many(c->client, c->queue, c->queue_len, s->batch, &err);
  cli_code code = CLI_DONE;
  for (size_t i = 0; i < size; i++) {
    const emq_error *own = emq_batch_error(s->batch, i);
    emq_bytes id = emq_batch_id(s->batch, i);
    if (!own && emq_batch_outcome(s->batch, i) == EMQ_OUTCOME_ENQUEUED) {
      tell(c, id.ptr, id.len, EMQ_OUTCOME_ENQUEUED);
      s->sent++;
    } else if (own && status == EMQ_OK) {
      cli_complain("line %lld: %s", (long long)(s->lines.number - (int64_t)(size - i) + 1),
                   own->message);
      code = code == CLI_DONE ? cli_code_of(own->code) : code;
    }
  }
  emq_batch_clear(s->batch);
  s->batch_bytes = 0;
  if (status != EMQ_OK)
    code = cli_failed(&err);
  return cli_out_flush() || code != CLI_DONE ? code : CLI_TROUBLE;
}

static cli_code take(stream *s, emq_bytes line) {
  emq_error err = EMQ_ERROR_INIT;
  if (s->single) {
    cli_code code = send_one(s->c, line);
    s->sent += code == CLI_DONE;
    return code == CLI_DONE && !cli_out_good() ? CLI_TROUBLE : code;
  }
  if (emq_batch_add(s->batch, line.ptr, line.len, &err) != EMQ_OK)
    return cli_failed(&err);
  s->batch_bytes += line.len;
  bool full = emq_batch_size(s->batch) >= BATCH_ITEMS || s->batch_bytes >= BATCH_BYTES;
  return full || !cli_line_ready(&s->lines) ? flush(s) : CLI_DONE;
}

static cli_code send_lines(cli *c) {
  stream s = {.c = c, .lines = {.fd = STDIN_FILENO}};
  emq_error err = EMQ_ERROR_INIT;
  s.single = c->options.delay_ms != CLI_UNSET || c->options.at_ms != CLI_UNSET;
  if (emq_batch_new(&s.batch, &err) != EMQ_OK)
    return cli_failed(&err);
  /* Of a file the bytes to come are known. */
  struct stat status;
  bool file = fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode);
  int64_t start = file ? (int64_t)lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
  cli_progress_start(c, "enqueued", file ? (int64_t)status.st_size - start : 0);
  cli_code code;
  for (emq_bytes line;;) {
    code = cli_next_line(&line, &s.lines);
    if (code != CLI_DONE || !line.ptr)
      break;
    code = take(&s, line);
    if (code != CLI_DONE)
      break;
    cli_progress_at(s.lines.bytes - (int64_t)(s.lines.buffer.len - s.lines.at), s.sent);
  }
  if (code == CLI_DONE || code == CLI_USAGE) { /* the lines before a bad one are good */
    cli_code last = flush(&s);
    code = code == CLI_DONE ? last : code;
  }
  cli_progress_end();
  if (code == CLI_INTERRUPTED)
    cli_complain("interrupted: %lld jobs are known to be enqueued", (long long)s.sent);
  else if (code != CLI_DONE && cli_out_good())
    cli_complain("%lld jobs were enqueued", (long long)s.sent);
  emq_batch_free(s.batch);
  free(s.lines.buffer.bytes);
  return code;
}

cli_code cli_enqueue(cli *c) {
  const cli_options *o = &c->options;
  cli_buffer file = {NULL, 0, 0};
  emq_error err = EMQ_ERROR_INIT;
  emq_id id;
  if (o->delay_ms != CLI_UNSET && o->at_ms != CLI_UNSET)
    return cli_usage("--delay and --at exclude each other");
  if (o->file && c->arg_count > 0)
    return cli_usage("the payload is an argument or in --file, not both");
  bool lines = !o->file && c->arg_count == 0;
  if (o->id && lines)
    return cli_usage("--id is for one payload: an argument, or --file");
  if (o->id && emq_id_parse(&id, o->id, strlen(o->id), &err) != EMQ_OK)
    return cli_usage("--id: %s", err.message);
  cli_code code = o->file ? cli_read_file(&file, o->file, EMQ_PAYLOAD_MAX) : CLI_DONE;
  if (code == CLI_DONE)
    code = cli_connect(c);
  if (code == CLI_DONE && lines)
    code = send_lines(c);
  else if (code == CLI_DONE && o->file)
    code = send_one(c, (emq_bytes){file.bytes, file.len});
  else if (code == CLI_DONE)
    code = send_one(c, (emq_bytes){c->args[0], strlen(c->args[0])});
  free(file.bytes);
  return code;
}
