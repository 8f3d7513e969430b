/* SPDX-License-Identifier: MIT */
/* claim, and what ends or keeps a claim: complete, retry, delay, extend. */
#include <stdio.h>
#include <string.h>

#include "cli/output.h"

enum { RETRY_DELAY_MS = 1000, RETRY_MAX = 20 };

const cli_option cli_claim_options[] = {
    CLI_OPTION_SECONDS("lease", lease_ms, 1, EMQ_LEASE_MAX_MS,
                       "how long the jobs are held; 30 without it"),
    CLI_OPTION_NUMBER("size", 0, size, EMQ_CLAIM_MAX, "how many jobs at most; 1 without it"),
    CLI_OPTION_FLAG("raw", raw, "one payload's bytes and nothing else"),
    CLI_OPTIONS_END,
};
const cli_option cli_complete_options[] = {
    CLI_OPTION_TEXT("result", 0, result, "TEXT", "kept for the job's parent, if it has one"),
    CLI_OPTIONS_END,
};
const cli_option cli_retry_options[] = {
    CLI_OPTION_SECONDS("delay", delay_ms, 0, EMQ_DELAY_MAX_MS, "when it comes back; 1 without it"),
    CLI_OPTION_NUMBER("max", 0, max, EMQ_NUMBER_MAX,
                      "how many claims a job may have; 20 without it"),
    CLI_OPTIONS_END,
};
const cli_option cli_delay_options[] = {
    CLI_OPTION_SECONDS("delay", delay_ms, 0, EMQ_DELAY_MAX_MS, "by so many seconds from now"),
    CLI_OPTION_SECONDS("at", at_ms, 0, EMQ_TIME_MAX_MS, "to this unix time"),
    CLI_OPTIONS_END,
};
const cli_option cli_extend_options[] = {
    CLI_OPTION_SECONDS("lease", lease_ms, 1, EMQ_LEASE_MAX_MS,
                       "its length from now; 30 without it"),
    CLI_OPTIONS_END,
};

/* ---- claim ---- */

static cli_code give_raw(cli *c, const emq_jobs *jobs) {
  emq_bytes id = emq_jobs_id(jobs, 0), payload = emq_jobs_payload(jobs, 0);
  if (!c->options.quiet)
    fprintf(stderr, "%.*s %lld\n", (int)id.len, id.ptr, (long long)emq_jobs_token(jobs, 0));
  cli_out(payload.ptr, payload.len);
  return CLI_DONE;
}

cli_code cli_claim(cli *c) {
  const cli_options *o = &c->options;
  emq_error err = EMQ_ERROR_INIT;
  emq_jobs *jobs;
  if (o->raw && (o->json || o->size > 1))
    return cli_usage("--raw goes with neither --json nor a --size above 1");
  cli_code code = cli_connect(c);
  if (code != CLI_DONE)
    return code;
  if (emq_claim_many(&jobs, c->client, c->queue, c->queue_len, o->size, o->lease_ms, &err) !=
      EMQ_OK)
    return cli_failed(&err);
  size_t size = emq_jobs_size(jobs);
  if (size == 0 && !o->quiet)
    cli_complain("nothing to claim: the queue is empty or paused");
  if (size > 0 && o->raw)
    code = give_raw(c, jobs);
  for (size_t i = 0; i < size && !o->raw; i++) {
    cli_record record;
    cli_record_data(&record, c, CLI_LINE);
    cli_record_bytes(&record, "id", emq_jobs_id(jobs, i));
    cli_record_number(&record, "token", emq_jobs_token(jobs, i));
    cli_record_bytes(&record, "payload", emq_jobs_payload(jobs, i));
    cli_record_end(&record);
  }
  emq_jobs_free(jobs);
  return size == 0 ? CLI_NO : code;
}

/* ---- settlement ---- */

static cli_code tell(cli *c, emq_status status, emq_outcome outcome, const emq_error *err) {
  if (status != EMQ_OK)
    return cli_failed(err);
  cli_record record;
  cli_record_confirm(&record, c, CLI_LINE);
  if (c->options.json)
    cli_record_text(&record, "id", c->args[0]);
  cli_record_text(&record, "outcome", emq_outcome_name(outcome));
  cli_record_end(&record);
  return outcome == EMQ_OUTCOME_GONE ? CLI_NO : CLI_DONE;
}

/* The arguments, then the connection. */
static cli_code ready(cli *c, int64_t *token) {
  return cli_read_id(c, 0) && cli_read_token(c, 1, token) ? cli_connect(c) : CLI_USAGE;
}

cli_code cli_complete(cli *c) {
  const char *id = c->args[0], *result = c->options.result;
  emq_outcome outcome = EMQ_OUTCOME_NONE;
  emq_error err = EMQ_ERROR_INIT;
  int64_t token;
  cli_code code = ready(c, &token);
  if (code != CLI_DONE)
    return code;
  emq_status status = emq_complete(&outcome, c->client, c->queue, c->queue_len, id, strlen(id),
                                   token, result, result ? strlen(result) : 0, &err);
  return tell(c, status, outcome, &err);
}

cli_code cli_retry(cli *c) {
  const cli_options *o = &c->options;
  const char *id = c->args[0], *reason = c->args[2];
  emq_outcome outcome = EMQ_OUTCOME_NONE;
  emq_error err = EMQ_ERROR_INIT;
  int64_t token;
  cli_code code = ready(c, &token);
  if (code != CLI_DONE)
    return code;
  emq_status status =
      emq_retry(&outcome, c->client, c->queue, c->queue_len, id, strlen(id), token,
                o->delay_ms == CLI_UNSET ? RETRY_DELAY_MS : o->delay_ms,
                o->max == CLI_UNSET ? RETRY_MAX : o->max, reason, strlen(reason), &err);
  return tell(c, status, outcome, &err);
}

cli_code cli_delay(cli *c) {
  const cli_options *o = &c->options;
  const char *id = c->args[0];
  emq_outcome outcome = EMQ_OUTCOME_NONE;
  emq_error err = EMQ_ERROR_INIT;
  int64_t token;
  if ((o->delay_ms == CLI_UNSET) == (o->at_ms == CLI_UNSET))
    return cli_usage("delay needs one of --delay SECONDS and --at SECONDS");
  cli_code code = ready(c, &token);
  if (code != CLI_DONE)
    return code;
  bool at = o->at_ms != CLI_UNSET;
  emq_status status = emq_delay(&outcome, c->client, c->queue, c->queue_len, id, strlen(id), token,
                                at ? EMQ_AT : EMQ_IN, at ? o->at_ms : o->delay_ms, &err);
  return tell(c, status, outcome, &err);
}

cli_code cli_extend(cli *c) {
  const char *id = c->args[0];
  emq_outcome outcome = EMQ_OUTCOME_NONE;
  emq_error err = EMQ_ERROR_INIT;
  int64_t token;
  cli_code code = ready(c, &token);
  if (code != CLI_DONE)
    return code;
  emq_status status = emq_extend(&outcome, c->client, c->queue, c->queue_len, id, strlen(id), token,
                                 c->options.lease_ms, &err);
  return tell(c, status, outcome, &err);
}
