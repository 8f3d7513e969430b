/* SPDX-License-Identifier: MIT */
#include "client/value.h"

#include <string.h>

#include "client/alloc.h"
#include "wire/error.h"

emq_reply *emq_take_reply(emq_command *command) {
  emq_reply *reply = command->reply;
  command->reply = NULL;
  return reply;
}

struct emq_job {
  emq_reply *reply; /* owned: what the views below look at */
  emq_bytes id, payload;
  int64_t token;
};

emq_status emq_job_new(emq_job **out, emq_error *err) {
  emq_job *job = emq_calloc(1, sizeof *job);
  if (!job)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for a job");
  *out = job;
  return EMQ_OK;
}

void emq_job_fill(emq_job *job, emq_command *command, const emq_result *result) {
  *job = (emq_job){emq_take_reply(command), result->id, result->payload, result->token};
}

emq_bytes emq_job_id(const emq_job *job) { return job->id; }

emq_bytes emq_job_payload(const emq_job *job) { return job->payload; }

int64_t emq_job_token(const emq_job *job) { return job->token; }

void emq_job_free(emq_job *job) {
  if (!job)
    return;
  emq_reply_free(job->reply);
  emq_free(job);
}

struct emq_row {
  emq_reply *reply; /* owned: names and values in turn */
};

emq_status emq_row_new(emq_row **out, emq_command *command, emq_error *err) {
  emq_row *row = emq_alloc(sizeof *row);
  if (!row)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for a row");
  row->reply = emq_take_reply(command);
  *out = row;
  return EMQ_OK;
}

static emq_bytes element(const emq_row *row, size_t index) {
  if (index >= row->reply->count)
    return (emq_bytes){NULL, 0};
  const emq_reply *at = &row->reply->elements[index];
  return (emq_bytes){at->text, at->len};
}

size_t emq_row_size(const emq_row *row) { return row->reply->count / 2; }

emq_bytes emq_row_name(const emq_row *row, size_t index) {
  return index < emq_row_size(row) ? element(row, index * 2) : (emq_bytes){NULL, 0};
}

emq_bytes emq_row_value(const emq_row *row, size_t index) {
  return index < emq_row_size(row) ? element(row, index * 2 + 1) : (emq_bytes){NULL, 0};
}

emq_bytes emq_row_field(const emq_row *row, const char *name, size_t name_len) {
  for (size_t i = 0; i < emq_row_size(row); i++) {
    emq_bytes at = emq_row_name(row, i);
    if (at.len == name_len && (name_len == 0 || memcmp(at.ptr, name, name_len) == 0))
      return emq_row_value(row, i);
  }
  return (emq_bytes){NULL, 0};
}

void emq_row_free(emq_row *row) {
  if (!row)
    return;
  emq_reply_free(row->reply);
  emq_free(row);
}
