/* SPDX-License-Identifier: MIT */
/* id decode, id mint: no server. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/output.h"

const cli_option cli_mint_options[] = {
    CLI_OPTION_NUMBER("number", 'n', number, EMQ_NUMBER_MAX, "how many; 1 without it"),
    CLI_OPTIONS_END,
};

cli_code cli_id_decode(cli *c) {
  for (int i = 0; i < c->arg_count; i++)
    if (!cli_read_id(c, i))
      return CLI_USAGE;
  for (int i = 0; i < c->arg_count && cli_out_good(); i++) {
    emq_id_parts parts;
    cli_record record;
    char snowflake[24];
    const char *id = c->args[i];
    (void)emq_id_decode(&parts, id, strlen(id), NULL); /* it was parsed above */
    /* As text: readers of JSON that keep numbers as doubles would round it. */
    snprintf(snowflake, sizeof snowflake, "%" PRIu64, parts.snowflake);
    if (i > 0 && !c->options.json)
      cli_out_text("\n");
    cli_record_data(&record, c, CLI_BLOCK);
    cli_record_text(&record, "id", id);
    cli_record_bytes(&record, "namespace", (emq_bytes){id, EMQ_NAMESPACE_LEN});
    cli_record_text(&record, "snowflake", snowflake);
    cli_record_time(&record, "minted", parts.unix_ms);
    cli_record_number(&record, "node", parts.node);
    cli_record_number(&record, "sequence", parts.sequence);
    cli_record_number(&record, "hash32", parts.hash32);
    cli_record_end(&record);
  }
  return CLI_DONE;
}

cli_code cli_id_mint(cli *c) {
  emq_error err = EMQ_ERROR_INIT;
  emq_minter *minter;
  if (emq_minter_new(&minter, -1, &err) != EMQ_OK)
    return cli_failed(&err);
  cli_code code = CLI_DONE;
  for (int64_t i = 0; code == CLI_DONE && i < c->options.number && cli_out_good(); i++) {
    emq_id id;
    cli_record record;
    if (cli_stopped()) {
      code = CLI_INTERRUPTED;
    } else if (emq_minter_next(&id, minter, "JOB", 3, &err) != EMQ_OK) {
      code = cli_failed(&err);
    } else {
      cli_record_data(&record, c, CLI_LINE);
      cli_record_text(&record, "id", id.text);
      cli_record_end(&record);
    }
  }
  emq_minter_free(minter);
  return code;
}
