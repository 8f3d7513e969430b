/* SPDX-License-Identifier: MIT */
/* Which typemap each parameter of the public headers takes. A language's typemaps.i defines, once
 * each:
 *
 *   in            (const char *bytes, size_t len)        bytes or text; nil and numbers refused
 *   in            (const char *optional, size_t len)     the same, or nil for none
 *   in            int64_t, uint64_t, int32_t, uint32_t, size_t, unsigned, double   exact, or refused
 *   in            bool                                   true or false, nothing else
 *   in            enums (emq_when, emq_state, ...)       as integers
 *   in            const char *what                       a label for messages
 *   out           emq_bytes                              the bytes whole; {NULL, 0} is nil
 *   out           const char *                           text; NULL is nil
 *   out           const emq_error *                      an error object (not raised); NULL is nil
 *   out           int64_t, uint64_t, int32_t, uint32_t, size_t, enums   exact integers
 *   out           bool
 *   out           emq_status                             nothing
 *   in, argout    emq_error *err                         raises when `result` is not EMQ_OK
 *   in, argout    the out-parameters at the end          appended when `result` is EMQ_OK
 *
 * Every function that takes an emq_error returns an emq_status, which the wrapper calls `result`;
 * err comes last, so an out-parameter's argout tests `result` itself. */

%apply (const char *bytes, size_t len) {
  (const char *queue, size_t queue_len),
  (const char *id, size_t id_len),
  (const char *payload, size_t payload_len),
  (const char *name, size_t name_len),
  (const char *name_space, size_t name_space_len),
  (const char *type, size_t type_len),
  (const char *key, size_t key_len),
  (const char *reason, size_t reason_len),
  (const char *progress, size_t progress_len),
  (const char *line, size_t line_len)
};

%apply (const char *optional, size_t len) {
  (const char *result, size_t result_len),
  (const char *url, size_t url_len),
  (const char *username, size_t username_len),
  (const char *password, size_t password_len),
  (const char *client_name, size_t client_name_len),
  (const char *identity, size_t identity_len),
  (const char *dedup, size_t dedup_len)
};

/* Out-parameters by kind. A language defines `in` (numinputs=0) and `argout` for:
 *
 *   emq_id *out          the id's 14 bytes as text
 *   emq_key *out         a composed key's bytes (surface.i)
 *   emq_counts *out      a list of EMQ_COUNTS integers in the order of emq_count, -1 where not asked
 *   int64_t *out, uint64_t *out
 *   bool *more
 *   emq_outcome *out, emq_state *out, emq_count *out     as integers
 *   emq_place *out       a list of three integers: state, score_ms, sets
 *   TYPE **NAME          by its macro %emq_handle_out(TYPE, NAME), once for each type: a new handle
 *                        that the script owns; NULL is nil. A language may give the values at once
 *                        instead, and %ignore their accessors. emq_sweep_stalled gives two lists. */
%apply emq_id *out { emq_id *id };
%apply emq_outcome *out { emq_outcome *outcome };
%apply int64_t *out { int64_t *count, int64_t *deleted, int64_t *moved, int64_t *recovered };

%emq_handle_out(emq_client, out)
%emq_handle_out(emq_minter, out)
%emq_handle_out(emq_batch, out)
%emq_handle_out(emq_job, job)
%emq_handle_out(emq_row, row)
%emq_handle_out(emq_list, list)
%emq_handle_out(emq_jobs, jobs)
%emq_handle_out(emq_leases, out)

%apply emq_list **list {
  emq_list **lines,
  emq_list **ids,
  emq_list **recovered,
  emq_list **dead,
  emq_list **offenders
};
