/* SPDX-License-Identifier: MIT */
/* The values of lists.h that calls give. */
#include <echomq/lists.h>

#include <string.h>

#include "client/alloc.h"
#include "client/value.h"
#include "wire/error.h"

/* ---- texts: a reply's, or copies ---- */

struct emq_list {
  emq_reply *reply; /* owned: an array of strings */
  size_t room;      /* of its elements, for a list of copies */
};

emq_status emq_list_new(emq_list **out, emq_command *command, emq_error *err) {
  emq_list *list = emq_calloc(1, sizeof *list);
  if (!list)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for a list");
  list->reply = emq_take_reply(command);
  *out = list;
  return EMQ_OK;
}

emq_status emq_list_new_empty(emq_list **out, emq_error *err) {
  emq_list *list = emq_calloc(1, sizeof *list);
  if (list)
    list->reply = emq_calloc(1, sizeof *list->reply);
  if (!list || !list->reply) {
    emq_free(list);
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for a list");
  }
  list->reply->type = EMQ_REPLY_IS_ARRAY;
  *out = list;
  return EMQ_OK;
}

emq_status emq_list_add(emq_list *list, const char *text, size_t len, emq_error *err) {
  emq_reply *reply = list->reply;
  if (reply->count == list->room) {
    size_t room = list->room ? list->room * 2 : 16;
    emq_reply *elements = emq_realloc(reply->elements, room * sizeof *elements);
    if (!elements)
      return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for a longer list");
    reply->elements = elements;
    list->room = room;
  }
  char *copy = emq_copy(text, len);
  if (!copy)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for a text of a list");
  reply->elements[reply->count++] =
      (emq_reply){.type = EMQ_REPLY_IS_STRING, .text = copy, .len = len};
  return EMQ_OK;
}

size_t emq_list_size(const emq_list *list) { return list->reply->count; }

emq_bytes emq_list_text(const emq_list *list, size_t index) {
  if (index >= list->reply->count)
    return (emq_bytes){NULL, 0};
  return (emq_bytes){list->reply->elements[index].text, list->reply->elements[index].len};
}

void emq_list_free(emq_list *list) {
  if (!list)
    return;
  emq_reply_free(list->reply);
  emq_free(list);
}

/* ---- jobs of one claim ---- */

struct emq_jobs {
  emq_reply *reply;   /* owned: what the views below look at */
  emq_result *claims; /* owned, `room` of them: the jobs from the front, the ghosts from the back */
  size_t room, jobs, ghosts;
};

emq_status emq_jobs_new(emq_jobs **out, size_t size, emq_error *err) {
  emq_jobs *jobs = emq_calloc(1, sizeof *jobs);
  emq_result *claims = jobs ? emq_calloc(size, sizeof *claims) : NULL;
  if (!claims) {
    emq_free(jobs);
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for %zu jobs", size);
  }
  jobs->claims = claims;
  jobs->room = size;
  *out = jobs;
  return EMQ_OK;
}

void emq_jobs_fill(emq_jobs *jobs, emq_command *command) {
  jobs->reply = emq_take_reply(command);
  for (size_t i = 0; i < jobs->reply->count && i < jobs->room; i++) {
    emq_result claim;
    if (emq_result_read_job(&claim, &jobs->reply->elements[i]) != EMQ_OK)
      continue; /* cannot be: the reply was found to be in shape */
    size_t at = claim.payload.ptr ? jobs->jobs++ : jobs->room - ++jobs->ghosts;
    jobs->claims[at] = claim;
  }
}

size_t emq_jobs_size(const emq_jobs *jobs) { return jobs->jobs; }

emq_bytes emq_jobs_id(const emq_jobs *jobs, size_t index) {
  return index < jobs->jobs ? jobs->claims[index].id : (emq_bytes){NULL, 0};
}

emq_bytes emq_jobs_payload(const emq_jobs *jobs, size_t index) {
  return index < jobs->jobs ? jobs->claims[index].payload : (emq_bytes){NULL, 0};
}

int64_t emq_jobs_token(const emq_jobs *jobs, size_t index) {
  return index < jobs->jobs ? jobs->claims[index].token : 0;
}

size_t emq_jobs_ghosts(const emq_jobs *jobs) { return jobs->ghosts; }

emq_bytes emq_jobs_ghost(const emq_jobs *jobs, size_t index) {
  return jobs->claims[jobs->room - 1 - index].id;
}

void emq_jobs_free(emq_jobs *jobs) {
  if (!jobs)
    return;
  emq_reply_free(jobs->reply);
  emq_free(jobs->claims);
  emq_free(jobs);
}
