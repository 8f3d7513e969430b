/* SPDX-License-Identifier: MIT */
#ifndef EMQ_CLIENT_VALUE_H
#define EMQ_CLIENT_VALUE_H

/* The values that calls give: each takes over its command's reply and views it. */

#include "client/command.h"

/* Makes a job of a claim's result. Returns EMQ_OK or EMQ_ERR_NO_MEMORY. */
emq_status emq_job_new(emq_job **out, emq_command *command, const emq_result *result,
                       emq_error *err);

/* Makes a row of the reply to a read of one. Returns EMQ_OK or EMQ_ERR_NO_MEMORY. */
emq_status emq_row_new(emq_row **out, emq_command *command, emq_error *err);

/* Whether the row of the arguments' id holds the arguments' payload: after a lost reply, whether a
 * duplicate is the call's own. A row that is gone by now was ours too: it was admitted, and ran. */
emq_status emq_client_is_own_row(bool *own, emq_client *client, const emq_args *args,
                                 emq_error *err);

#endif
