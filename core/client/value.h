/* SPDX-License-Identifier: MIT */
#ifndef EMQ_CLIENT_VALUE_H
#define EMQ_CLIENT_VALUE_H

/* The values that calls give: each takes over its command's reply and views it. */

#include "client/command.h"

/* The command's reply, which is the caller's from now on. */
emq_reply *emq_take_reply(emq_command *command);

/* Room for a job, made before the claim: a job that has been claimed must not be lost for want of
 * memory. Returns EMQ_OK or EMQ_ERR_NO_MEMORY. */
emq_status emq_job_new(emq_job **out, emq_error *err);

/* Makes it the job of a claim's result. */
void emq_job_fill(emq_job *job, emq_command *command, const emq_result *result);

/* Makes a row of the reply to a read of one. Returns EMQ_OK or EMQ_ERR_NO_MEMORY. */
emq_status emq_row_new(emq_row **out, emq_command *command, emq_error *err);

/* Makes a list of the reply to a command that answers with texts: it takes the reply over.
 * Returns EMQ_OK or EMQ_ERR_NO_MEMORY. */
emq_status emq_list_new(emq_list **out, emq_command *command, emq_error *err);

/* Makes a list of copies: an empty one, and what is added to it.
 * Return EMQ_OK or EMQ_ERR_NO_MEMORY. */
emq_status emq_list_new_empty(emq_list **out, emq_error *err);
emq_status emq_list_add(emq_list *list, const char *text, size_t len, emq_error *err);

/* Room for the jobs of a batch claim of that size, likewise; and what fills it: those without a
 * payload are ghosts, and apart. */
emq_status emq_jobs_new(emq_jobs **out, size_t size, emq_error *err);
void emq_jobs_fill(emq_jobs *jobs, emq_command *command);
size_t emq_jobs_ghosts(const emq_jobs *jobs);
emq_bytes emq_jobs_ghost(const emq_jobs *jobs, size_t index);

#endif
