/* SPDX-License-Identifier: MIT */
/* What is wrapped: the public headers, less what a script cannot use. */

/* Memory, options and structs belong to C. */
%ignore emq_allocator;
%ignore emq_set_allocator;
%ignore emq_options;
%ignore emq_client_open;
%ignore emq_bytes;
%ignore emq_counts;
%ignore emq_error;
%ignore emq_error_class;
%ignore emq_id;
%ignore emq_id_parts;
%ignore emq_place;

/* The error table, field by field. An index past the end gives 0 and nil. */
%ignore emq_error_class_at;
%ignore emq_error_class_of;
%inline %{
static int32_t emq_error_class_code(size_t index) {
  const emq_error_class *row = emq_error_class_at(index);
  return row ? (int32_t)row->code : 0;
}
static const char *emq_error_class_name(size_t index) {
  const emq_error_class *row = emq_error_class_at(index);
  return row ? row->class_name : NULL;
}
static const char *emq_error_class_constant(size_t index) {
  const emq_error_class *row = emq_error_class_at(index);
  return row ? row->name : NULL;
}
static const char *emq_error_class_text(size_t index) {
  const emq_error_class *row = emq_error_class_at(index);
  return row ? row->text : NULL;
}
static bool emq_error_class_retriable(size_t index) {
  const emq_error_class *row = emq_error_class_at(index);
  return row && row->retriable;
}
%}

/* Bounds of 64 bits, as functions: SWIG's own way with such constants differs by language. */
%define %emq_bound(NAME, TYPE, VALUE)
%ignore VALUE;
%inline %{
static TYPE NAME(void) { return VALUE; }
%}
%enddef
%emq_bound(emq_id_epoch_ms, int64_t, EMQ_ID_EPOCH_MS)
%emq_bound(emq_lease_max_ms, int64_t, EMQ_LEASE_MAX_MS)
%emq_bound(emq_delay_max_ms, int64_t, EMQ_DELAY_MAX_MS)
%emq_bound(emq_time_max_ms, int64_t, EMQ_TIME_MAX_MS)
%emq_bound(emq_number_max, int64_t, EMQ_NUMBER_MAX)
%emq_bound(emq_limit_max, int64_t, EMQ_LIMIT_MAX)
%emq_bound(emq_claim_max, int64_t, EMQ_CLAIM_MAX)
%emq_bound(emq_reason_max, size_t, EMQ_REASON_MAX)
%emq_bound(emq_line_max, size_t, EMQ_LINE_MAX)
%emq_bound(emq_payload_max, size_t, EMQ_PAYLOAD_MAX)

/* Whether a payload may be enqueued, for a face that looks at all of them before it sends any. */
%inline %{
static emq_status emq_payload_check(const char *payload, size_t payload_len, emq_error *err) {
  (void)payload;
  if (payload_len <= EMQ_PAYLOAD_MAX) return EMQ_OK;
  if (err) {
    *err = (emq_error)EMQ_ERROR_INIT;
    err->code = EMQ_ERR_INVALID_ARGUMENT;
    snprintf(err->message, sizeof err->message, "payload has %zu bytes, at most %zu are allowed",
             payload_len, EMQ_PAYLOAD_MAX);
  }
  return EMQ_ERR_INVALID_ARGUMENT;
}
%}

/* Keys: the composers give back what the C functions write to a caller's room. */
%ignore emq_queue_key;
%ignore emq_job_key;
%ignore emq_reserve_key;
%{
typedef struct emq_key {
  char text[EMQ_KEY_MAX];
  size_t len;
} emq_key;
%}
%inline %{
static emq_status emq_compose_queue_key(emq_key *out, const char *queue, size_t queue_len,
                                        const char *type, size_t type_len, emq_error *err) {
  return emq_queue_key(out->text, sizeof out->text, &out->len, queue, queue_len, type, type_len,
                       err);
}
static emq_status emq_compose_job_key(emq_key *out, const char *queue, size_t queue_len,
                                      const char *id, size_t id_len, emq_error *err) {
  return emq_job_key(out->text, sizeof out->text, &out->len, queue, queue_len, id, id_len, err);
}
static emq_status emq_compose_reserve_key(emq_key *out, const char *name, size_t name_len,
                                          emq_error *err) {
  return emq_reserve_key(out->text, sizeof out->text, &out->len, name, name_len, err);
}
%}

/* Parts of an id, one by one. */
%ignore emq_id_decode;
%define %emq_id_part(TYPE, PART)
%inline %{
static emq_status emq_id_##PART(TYPE *out, const char *id, size_t id_len, emq_error *err) {
  emq_id_parts parts;
  emq_status status = emq_id_decode(&parts, id, id_len, err);
  if (status == EMQ_OK) *out = (TYPE)parts.PART;
  return status;
}
%}
%enddef
%emq_id_part(uint64_t, snowflake)
%emq_id_part(int64_t, unix_ms)
%emq_id_part(uint64_t, node)
%emq_id_part(uint64_t, sequence)
%emq_id_part(uint64_t, hash32)

#define EMQ_API
%include <echomq/base.h>
%include <echomq/error.h>
%include <echomq/wire.h>
%include <echomq/id.h>
%include <echomq/key.h>
%include <echomq/minter.h>
%include <echomq/options.h>
%include <echomq/lists.h>
%include <echomq/client.h>
%include <echomq/operator.h>
