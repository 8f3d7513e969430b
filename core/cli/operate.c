/* SPDX-License-Identifier: MIT */
/* What is done to a whole queue: pause, resume, drain, obliterate, promote, reap, sweep. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"

enum { STEP = 1000, MOVE_LIMIT = 1000 };

const cli_option cli_drain_options[] = {
    CLI_OPTION_FLAG("scheduled", scheduled, "the scheduled jobs too"),
    CLI_OPTIONS_END,
};
const cli_option cli_obliterate_options[] = {
    CLI_OPTION_FLAG("yes", yes, "do not ask"),
    CLI_OPTION_FLAG("force", force, "even though jobs are active"),
    CLI_OPTIONS_END,
};
const cli_option cli_promote_options[] = {
    CLI_OPTION_NUMBER("limit", 'n', limit, EMQ_LIMIT_MAX, "how many jobs at most; 1000 without it"),
    CLI_OPTIONS_END,
};
const cli_option cli_sweep_options[] = {
    CLI_OPTION_NUMBER("max", 0, max, EMQ_NUMBER_MAX,
                      "how many lapses make a job dead; 1 without it"),
    CLI_OPTION_NUMBER("limit", 'n', limit, EMQ_LIMIT_MAX, "how many jobs at most; 1000 without it"),
    CLI_OPTIONS_END,
};

static cli_code tell_word(cli *c, const char *word) {
  cli_record record;
  cli_record_confirm(&record, c, CLI_LINE);
  cli_record_text(&record, "outcome", word);
  cli_record_end(&record);
  return CLI_DONE;
}

static cli_code tell_number(cli *c, const char *name, int64_t number) {
  cli_record record;
  cli_record_confirm(&record, c, CLI_PAIRS);
  cli_record_number(&record, name, number);
  cli_record_end(&record);
  return CLI_DONE;
}

cli_code cli_pause(cli *c) {
  emq_error err = EMQ_ERROR_INIT;
  cli_code code = cli_connect(c);
  if (code == CLI_DONE && emq_queue_pause(c->client, c->queue, c->queue_len, &err) != EMQ_OK)
    return cli_failed(&err);
  return code == CLI_DONE ? tell_word(c, "paused") : code;
}

cli_code cli_resume(cli *c) {
  emq_error err = EMQ_ERROR_INIT;
  cli_code code = cli_connect(c);
  if (code == CLI_DONE && emq_queue_resume(c->client, c->queue, c->queue_len, &err) != EMQ_OK)
    return cli_failed(&err);
  return code == CLI_DONE ? tell_word(c, "resumed") : code;
}

cli_code cli_drain(cli *c) {
  emq_error err = EMQ_ERROR_INIT;
  int64_t deleted = 0;
  cli_code code = cli_connect(c);
  if (code == CLI_DONE && emq_queue_drain(&deleted, c->client, c->queue, c->queue_len,
                                          c->options.scheduled, &err) != EMQ_OK)
    return cli_failed(&err);
  return code == CLI_DONE ? tell_number(c, "deleted", deleted) : code;
}

cli_code cli_promote(cli *c) {
  emq_error err = EMQ_ERROR_INIT;
  int64_t moved = 0, limit = c->options.limit == CLI_UNSET ? MOVE_LIMIT : c->options.limit;
  cli_code code = cli_connect(c);
  if (code == CLI_DONE &&
      emq_promote(&moved, c->client, c->queue, c->queue_len, limit, &err) != EMQ_OK)
    return cli_failed(&err);
  return code == CLI_DONE ? tell_number(c, "promoted", moved) : code;
}

cli_code cli_reap(cli *c) {
  emq_error err = EMQ_ERROR_INIT;
  int64_t recovered = 0;
  cli_code code = cli_connect(c);
  if (code == CLI_DONE && emq_reap(&recovered, c->client, c->queue, c->queue_len, &err) != EMQ_OK)
    return cli_failed(&err);
  return code == CLI_DONE ? tell_number(c, "recovered", recovered) : code;
}

cli_code cli_sweep(cli *c) {
  const cli_options *o = &c->options;
  emq_error err = EMQ_ERROR_INIT;
  emq_list *recovered, *dead;
  cli_record record;
  cli_code code = cli_connect(c);
  if (code != CLI_DONE)
    return code;
  if (emq_sweep_stalled(&recovered, &dead, c->client, c->queue, c->queue_len,
                        o->max == CLI_UNSET ? 1 : o->max,
                        o->limit == CLI_UNSET ? MOVE_LIMIT : o->limit, &err) != EMQ_OK)
    return cli_failed(&err);
  cli_record_confirm(&record, c, CLI_BLOCK);
  cli_record_list(&record, "recovered", recovered);
  cli_record_list(&record, "dead", dead);
  cli_record_end(&record);
  emq_list_free(recovered);
  emq_list_free(dead);
  return CLI_DONE;
}

/* ---- obliterate ---- */

/* Asks on the terminal; only the whole word does. */
static cli_code ask(const cli *c, int64_t jobs) {
  char queue[600], answer[16];
  size_t len = 0;
  fprintf(stderr, "Delete the queue \"%s\" and its %lld jobs? Type yes: ",
          cli_escape(queue, sizeof queue, c->queue, c->queue_len), (long long)jobs);
  fflush(stderr);
  for (;;) {
    struct pollfd watched = {STDIN_FILENO, POLLIN, 0};
    if (cli_stopped())
      return CLI_INTERRUPTED;
    if (poll(&watched, 1, 100) <= 0)
      continue;
    char byte;
    ssize_t n = read(STDIN_FILENO, &byte, 1);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0 || byte == '\n')
      break;
    if (len < sizeof answer)
      answer[len++] = byte;
  }
  if (len == 3 && memcmp(answer, "yes", 3) == 0)
    return CLI_DONE;
  cli_complain("nothing was deleted");
  return CLI_NO;
}

static cli_code delete_all(cli *c, int64_t jobs) {
  emq_error err = EMQ_ERROR_INIT;
  bool more = true;
  cli_progress_start(c, "deleted", jobs);
  for (int64_t steps = 1; more; steps++) {
    if (cli_stopped()) {
      cli_complain("interrupted: a part of the queue is left, and it is paused");
      return CLI_INTERRUPTED;
    }
    if (emq_queue_obliterate(&more, c->client, c->queue, c->queue_len, c->options.force, STEP,
                             &err) != EMQ_OK)
      return cli_failed(&err);
    if (more)
      cli_progress_at(steps * STEP, steps * STEP);
  }
  cli_progress_end();
  return tell_word(c, "obliterated");
}

cli_code cli_obliterate(cli *c) {
  emq_error err = EMQ_ERROR_INIT;
  emq_counts counts;
  if (!c->options.yes && !isatty(STDIN_FILENO))
    return cli_usage("obliterate asks first, and there is no terminal to ask on: use --yes");
  cli_code code = cli_connect(c);
  if (code != CLI_DONE)
    return code;
  if (emq_count_queue(&counts, c->client, c->queue, c->queue_len, EMQ_COUNTS_ALL, &err) != EMQ_OK)
    return cli_failed(&err);
  int64_t jobs = counts.of[EMQ_COUNT_PENDING] + counts.of[EMQ_COUNT_ACTIVE] +
                 counts.of[EMQ_COUNT_SCHEDULE] + counts.of[EMQ_COUNT_DEAD];
  code = c->options.yes ? CLI_DONE : ask(c, jobs);
  return code == CLI_DONE ? delete_all(c, jobs) : code;
}
