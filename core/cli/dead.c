/* SPDX-License-Identifier: MIT */
/* dead list, dead requeue, dead purge. */
#include <string.h>

#include "cli/output.h"

enum { LIST_LIMIT = 100 };

const cli_option cli_dead_list_options[] = {
    CLI_OPTION_NUMBER("limit", 'n', limit, EMQ_LIMIT_MAX, "how many jobs at most; 100 without it"),
    CLI_OPTIONS_END,
};
const cli_option cli_dead_all_options[] = {
    CLI_OPTION_FLAG("all", all, "every job that is dead"),
    CLI_OPTIONS_END,
};

/* ---- list ---- */

static cli_code print_one(cli *c, emq_bytes id) {
  emq_error err = EMQ_ERROR_INIT;
  emq_row *row = NULL;
  emq_id valid;
  cli_record record;
  /* A member that is no id has no row either; one whose row is of another type has none to show. */
  if (emq_id_parse(&valid, id.ptr, id.len, NULL) == EMQ_OK &&
      emq_row_read(&row, c->client, c->queue, c->queue_len, id.ptr, id.len, &err) != EMQ_OK &&
      err.code != EMQ_ERR_WRONG_TYPE)
    return cli_failed(&err);
  emq_bytes attempts = row ? emq_row_field(row, "attempts", 8) : (emq_bytes){NULL, 0};
  emq_bytes reason = row ? emq_row_field(row, "last_error", 10) : (emq_bytes){NULL, 0};
  cli_record_data(&record, c, CLI_LINE);
  cli_record_bytes(&record, "id", id);
  cli_record_bytes(&record, "attempts",
                   attempts.ptr || c->options.json ? attempts : (emq_bytes){"-", 1});
  cli_record_bytes(&record, "last_error", reason);
  cli_record_end(&record);
  emq_row_free(row);
  return CLI_DONE;
}

cli_code cli_dead_list(cli *c) {
  emq_error err = EMQ_ERROR_INIT;
  emq_list *ids;
  int64_t limit = c->options.limit == CLI_UNSET ? LIST_LIMIT : c->options.limit;
  cli_code code = cli_connect(c);
  if (code != CLI_DONE)
    return code;
  if (emq_browse(&ids, c->client, c->queue, c->queue_len, EMQ_STATE_DEAD, limit, &err) != EMQ_OK)
    return cli_failed(&err);
  for (size_t i = 0; code == CLI_DONE && i < emq_list_size(ids) && cli_out_good(); i++)
    code = print_one(c, emq_list_text(ids, i));
  emq_list_free(ids);
  return code;
}

/* ---- requeue and purge ---- */

typedef emq_status action(emq_outcome *outcome, cli *c, emq_bytes id, emq_error *err);

static emq_status requeue(emq_outcome *outcome, cli *c, emq_bytes id, emq_error *err) {
  return emq_reprocess_job(outcome, c->client, c->queue, c->queue_len, id.ptr, id.len, err);
}

static emq_status purge(emq_outcome *outcome, cli *c, emq_bytes id, emq_error *err) {
  emq_state state;
  emq_status status =
      emq_state_lookup(&state, c->client, c->queue, c->queue_len, id.ptr, id.len, err);
  if (status == EMQ_OK && state == EMQ_STATE_ABSENT) {
    *outcome = EMQ_OUTCOME_GONE;
    return EMQ_OK;
  }
  if (status == EMQ_OK && state != EMQ_STATE_DEAD) {
    *err = (emq_error)EMQ_ERROR_INIT;
    err->code = EMQ_ERR_STATE;
    strncat(err->message, "not dead: it is ", sizeof err->message - 1);
    strncat(err->message, emq_state_name(state), 32);
    return EMQ_ERR_STATE;
  }
  return status == EMQ_OK ? emq_remove_job(outcome, c->client, c->queue, c->queue_len, id.ptr,
                                           id.len, NULL, 0, err)
                          : status;
}

/* Whether the answer concerns this job alone, so that others may follow. */
static bool of_one_job(cli_code code) { return code <= CLI_REFUSED; }

/* One job. Refusals name it. */
static cli_code act(cli *c, action *run, emq_bytes id, emq_outcome *outcome) {
  char quoted[64];
  emq_error err = EMQ_ERROR_INIT;
  *outcome = EMQ_OUTCOME_NONE;
  if (run(outcome, c, id, &err) == EMQ_OK)
    return *outcome == EMQ_OUTCOME_GONE ? CLI_NO : CLI_DONE;
  cli_code code = cli_code_of(err.code);
  if (code == CLI_USAGE) /* what lies in the set is no id */
    code = CLI_REFUSED;
  if (!of_one_job(code))
    return cli_failed(&err);
  cli_complain("%s: %s", cli_escape(quoted, sizeof quoted, id.ptr, id.len), err.message);
  return code;
}

static cli_code act_on_named(cli *c, action *run) {
  cli_code worst = CLI_DONE;
  for (int i = 0; i < c->arg_count; i++) {
    emq_bytes id = {c->args[i], strlen(c->args[i])};
    emq_outcome outcome;
    cli_record record;
    cli_code code = act(c, run, id, &outcome);
    if (!of_one_job(code))
      return code;
    worst = code > worst ? code : worst;
    if (outcome == EMQ_OUTCOME_NONE)
      continue;
    cli_record_confirm(&record, c, CLI_LINE);
    cli_record_bytes(&record, "id", id);
    cli_record_text(&record, "outcome", emq_outcome_name(outcome));
    cli_record_end(&record);
  }
  return worst;
}

/* Page by page. What stays in the set (it has no row, or is no id) is met again in the next page:
 * a round that took nothing out is the last. */
static cli_code act_on_all(cli *c, action *run, const char *what) {
  emq_error err = EMQ_ERROR_INIT;
  emq_counts counts;
  if (emq_count_queue(&counts, c->client, c->queue, c->queue_len, 1U << EMQ_COUNT_DEAD, &err) !=
      EMQ_OK)
    return cli_failed(&err);
  int64_t done = 0, before = -1, left = 0;
  cli_code worst = CLI_DONE;
  size_t size = EMQ_LIMIT_MAX;
  cli_progress_start(c, what, counts.of[EMQ_COUNT_DEAD]);
  while (size == EMQ_LIMIT_MAX && done > before) {
    emq_list *ids;
    before = done;
    left = 0;
    worst = CLI_DONE;
    if (emq_browse(&ids, c->client, c->queue, c->queue_len, EMQ_STATE_DEAD, EMQ_LIMIT_MAX, &err) !=
        EMQ_OK)
      return cli_failed(&err);
    size = emq_list_size(ids);
    for (size_t i = 0; i < size; i++) {
      emq_outcome outcome;
      cli_code code =
          cli_stopped() ? CLI_INTERRUPTED : act(c, run, emq_list_text(ids, i), &outcome);
      if (!of_one_job(code)) {
        emq_list_free(ids);
        return code;
      }
      worst = code > worst ? code : worst;
      if (code == CLI_DONE)
        done++;
      else
        left++;
      cli_progress_at(done, done);
    }
    emq_list_free(ids);
  }
  cli_progress_end();
  cli_record record;
  cli_record_confirm(&record, c, CLI_PAIRS);
  cli_record_number(&record, what, done);
  cli_record_number(&record, "left", left);
  cli_record_end(&record);
  return worst;
}

static cli_code run(cli *c, action *action, const char *what) {
  if (c->options.all == (c->arg_count > 0))
    return cli_usage("%s needs either ids or --all", c->command->name);
  for (int i = 0; i < c->arg_count; i++)
    if (!cli_read_id(c, i))
      return CLI_USAGE;
  cli_code code = cli_connect(c);
  if (code != CLI_DONE)
    return code;
  return c->options.all ? act_on_all(c, action, what) : act_on_named(c, action);
}

cli_code cli_dead_requeue(cli *c) { return run(c, requeue, "requeued"); }

cli_code cli_dead_purge(cli *c) { return run(c, purge, "purged"); }
