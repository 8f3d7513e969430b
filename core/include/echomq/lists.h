/* SPDX-License-Identifier: MIT */
#ifndef ECHOMQ_LISTS_H
#define ECHOMQ_LISTS_H

/* The values that calls on many jobs give and take. Views are valid until their list is freed. */

#include <echomq/wire.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct emq_list emq_list;     /* texts: ids, log lines, offenders */
typedef struct emq_jobs emq_jobs;     /* jobs of one claim */
typedef struct emq_leases emq_leases; /* ids with their tokens, then a verdict each */

/* How many texts, and the text at an index; {NULL, 0} past the end. */
EMQ_API size_t emq_list_size(const emq_list *list);
EMQ_API emq_bytes emq_list_text(const emq_list *list, size_t index);
EMQ_API void emq_list_free(emq_list *list); /* NULL is accepted */

/* How many jobs; of each its id, payload and token, as of an emq_job. {NULL, 0} and 0 past the
 * end. */
EMQ_API size_t emq_jobs_size(const emq_jobs *jobs);
EMQ_API emq_bytes emq_jobs_id(const emq_jobs *jobs, size_t index);
EMQ_API emq_bytes emq_jobs_payload(const emq_jobs *jobs, size_t index);
EMQ_API int64_t emq_jobs_token(const emq_jobs *jobs, size_t index);
EMQ_API void emq_jobs_free(emq_jobs *jobs); /* NULL is accepted */

/* An empty set of leases, for emq_complete_many and emq_extend_many. The caller frees `*out`.
 * Returns EMQ_OK or EMQ_ERR_NO_MEMORY. One thread. */
EMQ_API emq_status emq_leases_new(emq_leases **out, emq_error *err);
EMQ_API void emq_leases_free(emq_leases *leases); /* NULL is accepted */

/* Adds a job by its id and its claim's token, 1 or more. `result` (NULL: none) is what a completion
 * keeps for the job's parent. The message of a refusal names the item's index.
 * Returns EMQ_OK, EMQ_ERR_INVALID_ARGUMENT or EMQ_ERR_NO_MEMORY. */
EMQ_API emq_status emq_leases_add(emq_leases *leases, const char *id, size_t id_len, int64_t token,
                                  const char *result, size_t result_len, emq_error *err);

/* How many jobs are in it, and of each after a call: its outcome (DONE, GONE, or NONE when it has
 * an error) and its error (NULL when it has none). */
EMQ_API size_t emq_leases_size(const emq_leases *leases);
EMQ_API emq_outcome emq_leases_outcome(const emq_leases *leases, size_t index);
EMQ_API const emq_error *emq_leases_error(const emq_leases *leases, size_t index);

#ifdef __cplusplus
}
#endif

#endif
