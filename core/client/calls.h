/* SPDX-License-Identifier: MIT */
#ifndef EMQ_CLIENT_CALLS_H
#define EMQ_CLIENT_CALLS_H

/* One request there and its answer back: what the blocking calls are made of. */

#include "client/exchange.h"

/* `result` views the command's reply, so the caller clears `command` when it has read it; on an
 * error there is nothing to clear. */
emq_status emq_ask(emq_result *result, emq_command *command, emq_client *client,
                   emq_transition transition, const emq_args *args, emq_error *err);

/* Reads the reply that a command has: as emq_result_read, and what follows from a reply that is not
 * the wire's, or refuses a second sending. */
emq_status emq_command_read(emq_result *result, emq_client *client, const emq_command *command,
                            const emq_args *args, emq_error *err);

/* emq_ask where the answer is an outcome, or a number. */
emq_status emq_ask_outcome(emq_outcome *outcome, emq_client *client, emq_transition transition,
                           const emq_args *args, emq_error *err);
emq_status emq_ask_number(int64_t *number, emq_client *client, emq_transition transition,
                          const emq_args *args, emq_error *err);

/* The same where the answer is an array of texts: `*list` takes it over. */
emq_status emq_ask_list(emq_list **list, emq_client *client, emq_transition transition,
                        const emq_args *args, emq_error *err);

/* Whether the row of the arguments' id holds the arguments' payload: after a lost reply, whether a
 * duplicate is the call's own. A row that is gone by now was ours too: it was admitted, and ran.
 * Returns EMQ_OK or EMQ_ERR_UNKNOWN_OUTCOME. */
emq_status emq_is_own_row(bool *own, emq_client *client, const emq_args *args, emq_error *err);

/* After so many collisions in a row (1 or more): another producer mints with this client's node,
 * perhaps in step with it. Passes over a random number of ids, more each time, so that they part.
 */
void emq_mint_apart(emq_client *client, int collisions);

/* A flow child's settlement, sent again in the form that its parent calls for. `plain` is the
 * result that named the parent, and must stay until the call is over. Returns also EMQ_ERR_STATE:
 * what the row says of its parent is not acceptable. */
emq_status emq_ask_as_child(emq_outcome *outcome, emq_client *client, emq_args *args,
                            const emq_result *plain, emq_transition child, emq_transition foreign,
                            emq_error *err);

#endif
