/* SPDX-License-Identifier: MIT */
#ifndef ECHOMQ_OPERATOR_H
#define ECHOMQ_OPERATOR_H

/* What an operator does to jobs and queues, and how one looks at them. The rules of client.h hold
 * here: arguments, returns, loss, threads. */

#include <echomq/client.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- per job: `*outcome` is DONE, or GONE when the job has no row ---- */

/* Replaces the payload. */
EMQ_API emq_status emq_update_data(emq_outcome *outcome, emq_client *client, const char *queue,
                                   size_t queue_len, const char *id, size_t id_len,
                                   const char *payload, size_t payload_len, emq_error *err);

/* Keeps the job's progress, a text of at most EMQ_LINE_MAX bytes, and publishes it on the queue's
 * events channel in a JSON object, which it makes invalid where it is not UTF-8. */
EMQ_API emq_status emq_update_progress(emq_outcome *outcome, emq_client *client, const char *queue,
                                       size_t queue_len, const char *id, size_t id_len,
                                       const char *progress, size_t progress_len, emq_error *err);

/* Adds a line of at most EMQ_LINE_MAX bytes to the job's log, and keeps the newest `keep` lines (1
 * to EMQ_NUMBER_MAX; 0: all). `*count` is how many there are then; -1: the job is gone. */
EMQ_API emq_status emq_add_log(int64_t *count, emq_client *client, const char *queue,
                               size_t queue_len, const char *id, size_t id_len, const char *line,
                               size_t line_len, int64_t keep, emq_error *err);

/* The job's log, oldest line first. `*lines` is NULL when the job is gone; else the caller frees
 * it. */
EMQ_API emq_status emq_read_logs(emq_list **lines, emq_client *client, const char *queue,
                                 size_t queue_len, const char *id, size_t id_len, emq_error *err);

/* Takes a job out of its queue, whichever of the four sets it is in. `dedup` (NULL: none) names the
 * deduplication key that goes with it if it still holds this id. Returns also EMQ_ERR_LOCKED. */
EMQ_API emq_status emq_remove_job(emq_outcome *outcome, emq_client *client, const char *queue,
                                  size_t queue_len, const char *id, size_t id_len,
                                  const char *dedup, size_t dedup_len, emq_error *err);

/* Puts a dead job back into pending; its attempts stay. Returns also EMQ_ERR_STATE (not dead). */
EMQ_API emq_status emq_reprocess_job(emq_outcome *outcome, emq_client *client, const char *queue,
                                     size_t queue_len, const char *id, size_t id_len,
                                     emq_error *err);

/* ---- per queue ---- */

/* While a queue is paused every claim finds it empty. Both may be said twice. */
EMQ_API emq_status emq_queue_pause(emq_client *client, const char *queue, size_t queue_len,
                                   emq_error *err);
EMQ_API emq_status emq_queue_resume(emq_client *client, const char *queue, size_t queue_len,
                                    emq_error *err);

/* Deletes what is pending, and with `scheduled` what is scheduled too. Active jobs stay. */
EMQ_API emq_status emq_queue_drain(int64_t *deleted, emq_client *client, const char *queue,
                                   size_t queue_len, bool scheduled, emq_error *err);

/* Deletes a paused queue, at most `budget` jobs of it (1 to EMQ_LIMIT_MAX): `*more` says that it
 * has to be called again. Active jobs are refused without `force`.
 * Returns also EMQ_ERR_STATE (not paused, or active jobs present). */
EMQ_API emq_status emq_queue_obliterate(bool *more, emq_client *client, const char *queue,
                                        size_t queue_len, bool force, int64_t budget,
                                        emq_error *err);

/* ---- reads ---- */

/* The ids of the jobs in a state (PENDING, ACTIVE, SCHEDULED or DEAD), newest first, at most
 * `limit` of them (1 to EMQ_LIMIT_MAX). The caller frees `*ids`. */
EMQ_API emq_status emq_browse(emq_list **ids, emq_client *client, const char *queue,
                              size_t queue_len, emq_state state, int64_t limit, emq_error *err);

/* How many jobs are pending. */
EMQ_API emq_status emq_depth(int64_t *out, emq_client *client, const char *queue, size_t queue_len,
                             emq_error *err);

/* The id that a producer parked under a deduplication key: a list of one, or of none. The caller
 * frees `*ids`. */
EMQ_API emq_status emq_dedup_read(emq_list **ids, emq_client *client, const char *queue,
                                  size_t queue_len, const char *dedup, size_t dedup_len,
                                  emq_error *err);

/* A total of the queue's metrics: EMQ_COUNT_COMPLETED or EMQ_COUNT_FAILED. */
EMQ_API emq_status emq_metric(int64_t *out, emq_client *client, const char *queue, size_t queue_len,
                              emq_count total, emq_error *err);

/* Where one job is, in one moment of the store: its state, its score in the set that holds it (the
 * lease's deadline or the due time, in unix ms; 0 elsewhere), and how many sets hold it. */
typedef struct emq_place {
  emq_state state; /* as state_lookup says it; a grouped job in its lane is pending too */
  int64_t score_ms;
  int32_t sets;
} emq_place;

EMQ_API emq_status emq_locate(emq_place *out, emq_client *client, const char *queue,
                              size_t queue_len, const char *id, size_t id_len, emq_error *err);

/* Looks at every job of the queue for what should never be: an id in no set or in several, a row
 * that disagrees with its set, a member without a row, a row without a set, an attempts field that
 * is no number, an id that is none. `*offenders` has a line for each, starting with the id; it is
 * empty for a sound queue. The caller frees it. Each job is judged in one moment, so a queue that
 * is being worked gives no false alarm, though what moves meanwhile may be missed. Lanes are
 * looked at through their jobs' rows alone. Reads only; rows are found by SCAN, so the time that it
 * takes grows with the whole database. */
EMQ_API emq_status emq_check_queue(emq_list **offenders, emq_client *client, const char *queue,
                                   size_t queue_len, emq_error *err);

#ifdef __cplusplus
}
#endif

#endif
