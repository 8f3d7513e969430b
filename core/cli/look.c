/* SPDX-License-Identifier: MIT */
/* ls, show, stats, check: what only reads. */
#include <string.h>

#include "cli/output.h"

enum { LS_LIMIT = 100 };

const cli_option cli_ls_options[] = {
    CLI_OPTION_NUMBER("limit", 'n', limit, EMQ_LIMIT_MAX,
                      "how many jobs at most, of each state; 100 without it"),
    CLI_OPTIONS_END,
};

/* ---- ls ---- */

static cli_code list_state(cli *c, emq_state state, bool name_it) {
  emq_error err = EMQ_ERROR_INIT;
  emq_list *ids;
  int64_t limit = c->options.limit == CLI_UNSET ? LS_LIMIT : c->options.limit;
  if (emq_browse(&ids, c->client, c->queue, c->queue_len, state, limit, &err) != EMQ_OK)
    return cli_failed(&err);
  for (size_t i = 0; i < emq_list_size(ids) && cli_out_good(); i++) {
    cli_record record;
    cli_record_data(&record, c, CLI_LINE);
    if (name_it || c->options.json)
      cli_record_text(&record, "state", emq_state_name(state));
    cli_record_bytes(&record, "id", emq_list_text(ids, i));
    cli_record_end(&record);
  }
  emq_list_free(ids);
  return CLI_DONE;
}

cli_code cli_ls(cli *c) {
  emq_state only = EMQ_STATE_ABSENT;
  emq_error err = EMQ_ERROR_INIT;
  if (c->arg_count > 0 && emq_state_parse(&only, c->args[0], strlen(c->args[0]), &err) != EMQ_OK)
    return cli_failed(&err);
  cli_code code = cli_connect(c);
  if (only != EMQ_STATE_ABSENT)
    return code == CLI_DONE ? list_state(c, only, false) : code;
  for (int state = EMQ_STATE_PENDING; code == CLI_DONE && state <= EMQ_STATE_DEAD; state++)
    code = list_state(c, (emq_state)state, true);
  return code;
}

/* ---- show ---- */

static void print_job(cli *c, const emq_place *place, const emq_row *row, const emq_list *logs) {
  emq_id_parts parts;
  cli_record record;
  const char *id = c->args[0];
  (void)emq_id_decode(&parts, id, strlen(id), NULL); /* it was parsed before */
  cli_record_data(&record, c, CLI_BLOCK);
  cli_record_text(&record, "id", id);
  cli_record_time(&record, "minted", parts.unix_ms);
  cli_record_number(&record, "node", parts.node);
  cli_record_number(&record, "sequence", parts.sequence);
  cli_record_text(&record, "place", emq_state_name(place->state));
  if (place->state == EMQ_STATE_ACTIVE)
    cli_record_time(&record, "lease_ends", place->score_ms);
  if (place->state == EMQ_STATE_SCHEDULED)
    cli_record_time(&record, "due", place->score_ms);
  cli_record_number(&record, "sets", place->sets);
  cli_record_row(&record, "row", row);
  cli_record_list(&record, c->options.json ? "logs" : "log", logs);
  cli_record_end(&record);
}

cli_code cli_show(cli *c) {
  const char *id = c->args[0];
  emq_error err = EMQ_ERROR_INIT;
  emq_place place;
  emq_row *row = NULL;
  emq_list *logs = NULL;
  cli_code code = cli_read_id(c, 0) ? cli_connect(c) : CLI_USAGE;
  if (code != CLI_DONE)
    return code;
  emq_status status = emq_locate(&place, c->client, c->queue, c->queue_len, id, strlen(id), &err);
  if (status == EMQ_OK)
    status = emq_row_read(&row, c->client, c->queue, c->queue_len, id, strlen(id), &err);
  if (status == EMQ_OK && row)
    status = emq_read_logs(&logs, c->client, c->queue, c->queue_len, id, strlen(id), &err);
  if (status != EMQ_OK) {
    code = cli_failed(&err);
  } else if (!row && place.sets == 0) {
    if (!c->options.quiet)
      cli_complain("%s: there is no such job in the queue", id);
    code = CLI_NO;
  } else {
    print_job(c, &place, row, logs);
  }
  emq_list_free(logs);
  emq_row_free(row);
  return code;
}

/* ---- stats ---- */

cli_code cli_stats(cli *c) {
  emq_error err = EMQ_ERROR_INIT;
  emq_counts counts;
  cli_record record;
  cli_code code = cli_connect(c);
  if (code != CLI_DONE)
    return code;
  if (emq_count_queue(&counts, c->client, c->queue, c->queue_len, EMQ_COUNTS_ALL, &err) != EMQ_OK)
    return cli_failed(&err);
  cli_record_data(&record, c, CLI_BLOCK);
  for (int i = 0; i < EMQ_COUNTS; i++)
    cli_record_number(&record, emq_count_name((emq_count)i), counts.of[i]);
  cli_record_end(&record);
  return CLI_DONE;
}

/* ---- check ---- */

/* A line is the id, a colon, and what is wrong. */
static void print_offender(cli *c, emq_bytes line) {
  cli_record record;
  if (!c->options.json) {
    cli_out(line.ptr, line.len); /* it has its escapes already */
    cli_out_text("\n");
    return;
  }
  const char *colon = line.ptr;
  while (colon + 1 < line.ptr + line.len && !(colon[0] == ':' && colon[1] == ' '))
    colon++;
  const char *rest = colon + 2 <= line.ptr + line.len ? colon + 2 : line.ptr + line.len;
  cli_record_data(&record, c, CLI_LINE);
  cli_record_bytes(&record, "id", (emq_bytes){line.ptr, (size_t)(colon - line.ptr)});
  cli_record_bytes(&record, "problem", (emq_bytes){rest, (size_t)(line.ptr + line.len - rest)});
  cli_record_end(&record);
}

cli_code cli_check(cli *c) {
  emq_error err = EMQ_ERROR_INIT;
  emq_list *offenders;
  cli_code code = cli_connect(c);
  if (code != CLI_DONE)
    return code;
  if (emq_check_queue(&offenders, c->client, c->queue, c->queue_len, &err) != EMQ_OK)
    return cli_failed(&err);
  size_t size = emq_list_size(offenders);
  for (size_t i = 0; i < size && !c->options.quiet && cli_out_good(); i++)
    print_offender(c, emq_list_text(offenders, i));
  if (size == 0 && !c->options.json && !c->options.quiet)
    cli_out_text("no offenders\n");
  emq_list_free(offenders);
  return size ? CLI_NO : CLI_DONE;
}
