/* SPDX-License-Identifier: MIT */
#ifndef ECHOMQ_CLIENT_H
#define ECHOMQ_CLIENT_H

/* Blocking calls on one connection.
 *
 * Arguments. Every input is a pointer and a length; nothing is kept after the call. Each name, id,
 * number and payload is checked before anything is sent: EMQ_ERR_INVALID_ARGUMENT then, with a
 * message that says what and where.
 *
 * Returns. Each call that talks to the server can return, beside what its comment names, the codes
 * of the connection, the fence and the server's states in error.h. Out-parameters are written on
 * EMQ_OK only.
 *
 * Loss. A connection that broke is opened, authenticated and fenced again by the next call. A call
 * whose bytes never left is sent again; one whose reply was lost is sent again only where that is
 * safe (the table of transitions says where: enqueue and schedule, extensions, promote and reap,
 * and the reads are among them), else it ends with EMQ_ERR_UNKNOWN_OUTCOME; so does a second
 * sending that the server refuses. EMQ_ERR_PROTOCOL, EMQ_ERR_INTERRUPTED and EMQ_ERR_CLOSED may
 * come after the request has left, too, and say so.
 *
 * Threads. One client may be used from several threads, whose calls wait for each other; a call
 * from inside a call (a signal handler's, on the same thread) is EMQ_ERR_UNSUPPORTED. After a fork
 * the child's first call opens a connection of its own and leaves the parent's alone. */

#include <echomq/id.h>
#include <echomq/lists.h>
#include <echomq/options.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct emq_client emq_client; /* a connection that has passed the fence */
typedef struct emq_batch emq_batch;   /* payloads for one flush, then their verdicts */
typedef struct emq_job emq_job;       /* a claimed job */
typedef struct emq_row emq_row;       /* a job's row as it is in the store */

/* ---- the connection ---- */

/* Connects and passes the fence. `options` NULL: the defaults. The caller frees `*out`.
 * A refused or failed connection is an error at once; LOADING and its like are tried again until
 * connect_timeout_ms. Returns also EMQ_ERR_FENCE, final: nothing was written to that store;
 * EMQ_ERR_INVALID_ARGUMENT and EMQ_ERR_UNSUPPORTED for the options (TLS, an executor that this
 * build has not). */
EMQ_API emq_status emq_client_open(emq_client **out, const emq_options *options, emq_error *err);

/* Closes the connection without waiting: a call that another thread is in ends within 100 ms (after
 * the look-up of a host's name, which cannot be cut short), and it and every later call return
 * EMQ_ERR_CLOSED. Closing twice is harmless; NULL is accepted. */
EMQ_API void emq_client_close(emq_client *client);

/* Closes and frees. No other thread may be using the client. NULL is accepted. */
EMQ_API void emq_client_free(emq_client *client);

/* Whether emq_client_close has been called. */
EMQ_API bool emq_client_closed(const emq_client *client);

/* The identity that the fence compared, such as "echomq:4.0.0". Valid until the client is freed. */
EMQ_API const char *emq_client_identity(const emq_client *client);

/* The executor in use: never EMQ_EXECUTOR_AUTO. */
EMQ_API emq_executor emq_client_executor(const emq_client *client);

/* How many ghosts (members of a set whose row is gone) this client has removed. */
EMQ_API uint64_t emq_client_ghosts(const emq_client *client);

/* ---- admission (the wire, section 6) ---- */

/* Enqueues a payload under an id that the client's minter makes, and writes the id to `id`.
 * `payload` may be empty and hold any byte, but not be NULL. `id` may be NULL.
 * A minted id that another producer has used is minted again: the outcome is always ENQUEUED, or
 * EMQ_ERR_STATE when 16 in a row were taken. */
EMQ_API emq_status emq_enqueue(emq_id *id, emq_client *client, const char *queue, size_t queue_len,
                               const char *payload, size_t payload_len, emq_error *err);

/* Enqueues under an id of the caller's: `*outcome` is ENQUEUED or DUPLICATE. After a lost reply
 * DUPLICATE may mean this very call. Returns also EMQ_ERR_KIND for an id that is not a JOB. */
EMQ_API emq_status emq_enqueue_as(emq_outcome *outcome, emq_client *client, const char *queue,
                                  size_t queue_len, const char *id, size_t id_len,
                                  const char *payload, size_t payload_len, emq_error *err);

/* Enqueues a batch, in order, in as few round trips as its size allows; each item then has its
 * verdict in the batch. EMQ_OK says that every item has one, refusals of the server among them. On
 * another return the items that the server answered keep their verdicts, and the others have the
 * error: EMQ_ERR_UNKNOWN_OUTCOME where the item was sent. The same batch may then be sent again:
 * items that have an outcome stay out, the others go under the id they had. */
EMQ_API emq_status emq_enqueue_many(emq_client *client, const char *queue, size_t queue_len,
                                    emq_batch *batch, emq_error *err);

/* Schedules a payload for a time, as emq_enqueue does for now: `ms` from the server's now (EMQ_IN,
 * 0 to EMQ_DELAY_MAX_MS) or at a unix time in ms (EMQ_AT, 0 to EMQ_TIME_MAX_MS). */
EMQ_API emq_status emq_schedule(emq_id *id, emq_client *client, const char *queue, size_t queue_len,
                                const char *payload, size_t payload_len, emq_when when, int64_t ms,
                                emq_error *err);

/* The same under an id of the caller's: `*outcome` is SCHEDULED or DUPLICATE. */
EMQ_API emq_status emq_schedule_as(emq_outcome *outcome, emq_client *client, const char *queue,
                                   size_t queue_len, const char *id, size_t id_len,
                                   const char *payload, size_t payload_len, emq_when when,
                                   int64_t ms, emq_error *err);

/* ---- claim and settle ---- */

/* Claims the oldest pending job for `lease_ms` (1 to EMQ_LEASE_MAX_MS) of the server's clock.
 * `*job` is NULL when the queue is empty or paused; else the caller frees it. Returns also
 * EMQ_ERR_STATE: a hundred members without a row, or one that is no id. */
EMQ_API emq_status emq_claim(emq_job **job, emq_client *client, const char *queue, size_t queue_len,
                             int64_t lease_ms, emq_error *err);

/* Claims up to `size` (1 to EMQ_CLAIM_MAX) of the oldest jobs in one step, under one deadline. The
 * list is empty when the queue is; the caller frees it. */
EMQ_API emq_status emq_claim_many(emq_jobs **jobs, emq_client *client, const char *queue,
                                  size_t queue_len, int64_t size, int64_t lease_ms, emq_error *err);

/* Completes a job: `*outcome` is DONE, or GONE when it has no row. `token` is the claim's, 1 or
 * more. `result` is kept for the job's parent, if it has one; NULL: the job's own id.
 * Returns also EMQ_ERR_STALE, with the job as it was, and EMQ_ERR_STATE for a job that is not
 * active or whose row names no parent that can be told. */
EMQ_API emq_status emq_complete(emq_outcome *outcome, emq_client *client, const char *queue,
                                size_t queue_len, const char *id, size_t id_len, int64_t token,
                                const char *result, size_t result_len, emq_error *err);

/* Completes many jobs in as few round trips as their number allows; each then has its verdict.
 * EMQ_OK says that every item has one, refusals of the server among them. */
EMQ_API emq_status emq_complete_many(emq_client *client, const char *queue, size_t queue_len,
                                     emq_leases *leases, emq_error *err);

/* Says that a claimed job failed: `*outcome` is SCHEDULED (it comes back after `delay_ms`, 0 to
 * EMQ_DELAY_MAX_MS), DEAD (its attempts have reached `max`, 1 to EMQ_NUMBER_MAX) or GONE. `reason`
 * is kept as last_error; what is longer than EMQ_REASON_MAX is cut. Returns also EMQ_ERR_STALE, and
 * EMQ_ERR_STATE for a job that is not active. */
EMQ_API emq_status emq_retry(emq_outcome *outcome, emq_client *client, const char *queue,
                             size_t queue_len, const char *id, size_t id_len, int64_t token,
                             int64_t delay_ms, int64_t max, const char *reason, size_t reason_len,
                             emq_error *err);

/* Puts a claimed job off without counting a failure: `*outcome` is DONE or GONE. Times as in
 * emq_schedule. Returns also EMQ_ERR_STALE, EMQ_ERR_STATE and EMQ_ERR_KIND. */
EMQ_API emq_status emq_delay(emq_outcome *outcome, emq_client *client, const char *queue,
                             size_t queue_len, const char *id, size_t id_len, int64_t token,
                             emq_when when, int64_t ms, emq_error *err);

/* Sets a claimed job's lease to `lease_ms` from the server's now: `*outcome` is DONE or GONE.
 * Returns also EMQ_ERR_STALE: another token, or the lease lapsed and the job was taken back. */
EMQ_API emq_status emq_extend(emq_outcome *outcome, emq_client *client, const char *queue,
                              size_t queue_len, const char *id, size_t id_len, int64_t token,
                              int64_t lease_ms, emq_error *err);

/* The same for many; an item that could not be extended has the error EMQ_ERR_STALE. */
EMQ_API emq_status emq_extend_many(emq_client *client, const char *queue, size_t queue_len,
                                   emq_leases *leases, int64_t lease_ms, emq_error *err);

/* ---- recovery: any client may run it, at any time ---- */

/* Moves up to `limit` (1 to EMQ_LIMIT_MAX) jobs whose time has come to pending. */
EMQ_API emq_status emq_promote(int64_t *moved, emq_client *client, const char *queue,
                               size_t queue_len, int64_t limit, emq_error *err);

/* Puts up to 100 jobs whose lease has lapsed back to pending. Their attempts stay. */
EMQ_API emq_status emq_reap(int64_t *recovered, emq_client *client, const char *queue,
                            size_t queue_len, emq_error *err);

/* The same for up to `limit` jobs, counting each job's lapses: one that has lapsed `max` times (1
 * to EMQ_NUMBER_MAX) is dead. The caller frees both lists of ids. */
EMQ_API emq_status emq_sweep_stalled(emq_list **recovered, emq_list **dead, emq_client *client,
                                     const char *queue, size_t queue_len, int64_t max,
                                     int64_t limit, emq_error *err);

/* ---- reads ---- */

/* The numbers of a queue, by emq_count. Those that were not asked for are -1. */
typedef struct emq_counts {
  int64_t of[EMQ_COUNTS];
} emq_counts;

/* Counts. `wanted` has the bit (1 << emq_count) of each count; EMQ_COUNTS_ALL: all six. */
EMQ_API emq_status emq_count_queue(emq_counts *out, emq_client *client, const char *queue,
                                   size_t queue_len, unsigned wanted, emq_error *err);

/* Where a job is. */
EMQ_API emq_status emq_state_lookup(emq_state *out, emq_client *client, const char *queue,
                                    size_t queue_len, const char *id, size_t id_len,
                                    emq_error *err);

/* A job's row. `*row` is NULL when there is none; else the caller frees it. */
EMQ_API emq_status emq_row_read(emq_row **row, emq_client *client, const char *queue,
                                size_t queue_len, const char *id, size_t id_len, emq_error *err);

/* ---- the values that calls give and take ---- */

/* A claimed job's id, payload and token (its fencing token: `attempts` at the claim). Views are
 * valid until the job is freed. */
EMQ_API emq_bytes emq_job_id(const emq_job *job);
EMQ_API emq_bytes emq_job_payload(const emq_job *job);
EMQ_API int64_t emq_job_token(const emq_job *job);
EMQ_API void emq_job_free(emq_job *job); /* NULL is accepted */

/* A row's fields in the store's order, each name and value as bytes. An index past the end and a
 * name that is not there give {NULL, 0}. Views are valid until the row is freed. */
EMQ_API size_t emq_row_size(const emq_row *row);
EMQ_API emq_bytes emq_row_name(const emq_row *row, size_t index);
EMQ_API emq_bytes emq_row_value(const emq_row *row, size_t index);
EMQ_API emq_bytes emq_row_field(const emq_row *row, const char *name, size_t name_len);
EMQ_API void emq_row_free(emq_row *row); /* NULL is accepted */

/* An empty batch. Returns EMQ_OK or EMQ_ERR_NO_MEMORY. The caller frees `*out`. One thread. */
EMQ_API emq_status emq_batch_new(emq_batch **out, emq_error *err);
EMQ_API void emq_batch_free(emq_batch *batch); /* NULL is accepted */

/* Adds a copy of a payload; its id is minted when the batch is sent. The message of a refusal
 * names the item's index. Returns EMQ_OK, EMQ_ERR_INVALID_ARGUMENT or EMQ_ERR_NO_MEMORY. */
EMQ_API emq_status emq_batch_add(emq_batch *batch, const char *payload, size_t payload_len,
                                 emq_error *err);

/* The same under an id of the caller's. */
EMQ_API emq_status emq_batch_add_as(emq_batch *batch, const char *id, size_t id_len,
                                    const char *payload, size_t payload_len, emq_error *err);

/* Takes all items out. */
EMQ_API void emq_batch_clear(emq_batch *batch);

/* How many items are in it, and of an item after a send: its outcome (ENQUEUED, DUPLICATE, or NONE
 * when it has an error), its id ({NULL, 0} before one was minted) and its error (NULL when it has
 * none). Views are valid until the batch is changed or freed. */
EMQ_API size_t emq_batch_size(const emq_batch *batch);
EMQ_API emq_outcome emq_batch_outcome(const emq_batch *batch, size_t index);
EMQ_API emq_bytes emq_batch_id(const emq_batch *batch, size_t index);
EMQ_API const emq_error *emq_batch_error(const emq_batch *batch, size_t index);

#ifdef __cplusplus
}
#endif

#endif
