/* SPDX-License-Identifier: MIT */
#include "client/reader.h"

#include <hiredis/hiredis.h>
#include <limits.h>
#include <string.h>

#include "client/alloc.h"
#include "wire/error.h"

/* Past this an array's length is taken for damage, not for an answer: room for the elements is
 * made before they arrive. */
enum { ELEMENTS_MAX = 1 << 22 };

#if HIREDIS_MAJOR >= 1
typedef size_t array_length;
#else
typedef int array_length;
#endif

/* ---- the functions with which hiredis's reader builds the tree ---- */

/* The place of the reply that is being read: its own memory, or its parent's element. */
static emq_reply *place(const redisReadTask *task) {
  if (!task->parent)
    return emq_calloc(1, sizeof(emq_reply));
  emq_reply *parent = task->parent->obj;
  return &parent->elements[task->idx];
}

/* hiredis frees a tree that it could not finish from the root; a root that failed is ours. */
static void *give_up(const redisReadTask *task, emq_reply *reply) {
  if (!task->parent)
    emq_free(reply);
  return NULL;
}

static void *make_text(const redisReadTask *task, char *bytes, size_t len) {
  emq_reply *reply = place(task);
  if (!reply)
    return NULL;
  reply->text = emq_copy(bytes, len);
  if (!reply->text)
    return give_up(task, reply);
  reply->len = len;
  reply->type = task->type == REDIS_REPLY_ERROR    ? EMQ_REPLY_IS_ERROR
                : task->type == REDIS_REPLY_STATUS ? EMQ_REPLY_IS_STATUS
                                                   : EMQ_REPLY_IS_STRING;
  return reply;
}

static void *make_array(const redisReadTask *task, array_length count) {
  emq_reply *reply = place(task);
  if (!reply)
    return NULL;
  if (count > 0) {
    reply->elements = count <= ELEMENTS_MAX ? emq_calloc((size_t)count, sizeof(emq_reply)) : NULL;
    if (!reply->elements)
      return give_up(task, reply);
    reply->count = (size_t)count;
  }
  reply->type = EMQ_REPLY_IS_ARRAY;
  return reply;
}

static void *make_integer(const redisReadTask *task, long long value) {
  emq_reply *reply = place(task);
  if (!reply)
    return NULL;
  reply->type = EMQ_REPLY_IS_INTEGER;
  reply->integer = value;
  return reply;
}

static void *make_nil(const redisReadTask *task) {
  emq_reply *reply = place(task);
  if (reply)
    reply->type = EMQ_REPLY_IS_NIL;
  return reply;
}

#if HIREDIS_MAJOR >= 1
/* RESP3's own types, which a server sends only to who asked for RESP3: never read as numbers. */
static void *make_double(const redisReadTask *task, double value, char *text, size_t len) {
  (void)value;
  return make_text(task, text, len);
}

static void *make_bool(const redisReadTask *task, int value) { return make_integer(task, value); }
#endif

/* Depth is bounded by hiredis's own stack of tasks. */
static void clear(emq_reply *reply) {
  for (size_t i = 0; i < reply->count; i++)
    clear(&reply->elements[i]);
  emq_free(reply->elements);
  emq_free(reply->text);
}

void emq_reply_free(emq_reply *reply) {
  if (!reply)
    return;
  clear(reply);
  emq_free(reply);
}

void emq_reply_drop_last(emq_reply *array) { clear(&array->elements[--array->count]); }

static void free_object(void *reply) { emq_reply_free(reply); }

static redisReplyObjectFunctions functions = {
    .createString = make_text,
    .createArray = make_array,
    .createInteger = make_integer,
    .createNil = make_nil,
    .freeObject = free_object,
#if HIREDIS_MAJOR >= 1
    .createDouble = make_double,
    .createBool = make_bool,
#endif
};

emq_reply *emq_reply_error(const char *text) {
  emq_reply *reply = emq_calloc(1, sizeof *reply);
  if (!reply)
    return NULL;
  reply->type = EMQ_REPLY_IS_ERROR;
  reply->len = strlen(text);
  reply->text = emq_copy(text, reply->len);
  if (reply->text)
    return reply;
  emq_free(reply);
  return NULL;
}

/* ---- the reader ---- */

struct emq_reader {
  redisReader *inner;
};

emq_reader *emq_reader_new(void) {
  emq_reader *reader = emq_alloc(sizeof *reader);
  if (!reader)
    return NULL;
  reader->inner = redisReaderCreateWithFunctions(&functions);
  if (reader->inner)
    return reader;
  emq_free(reader);
  return NULL;
}

void emq_reader_free(emq_reader *reader) {
  if (!reader)
    return;
  redisReaderFree(reader->inner);
  emq_free(reader);
}

static emq_status failed(const emq_reader *reader, emq_error *err) {
  if (reader->inner->err == REDIS_ERR_OOM)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for the server's reply");
  char quoted[160];
  return emq_fail(
      err, EMQ_ERR_PROTOCOL, "the server's bytes are no RESP: %s",
      emq_quote(quoted, sizeof quoted, reader->inner->errstr, strlen(reader->inner->errstr)));
}

emq_status emq_reader_feed(emq_reader *reader, const char *bytes, size_t len, emq_error *err) {
  return redisReaderFeed(reader->inner, bytes, len) == REDIS_OK ? EMQ_OK : failed(reader, err);
}

emq_status emq_reader_next(emq_reply **out, emq_reader *reader, emq_error *err) {
  void *reply = NULL;
  if (redisReaderGetReply(reader->inner, &reply) != REDIS_OK)
    return failed(reader, err);
  *out = reply;
  return EMQ_OK;
}

/* ---- the formatter ---- */

emq_status emq_format(char **bytes, size_t *len, size_t count, const char *const *parts,
                      const size_t *lengths, emq_error *err) {
  char *made = NULL;
  /* hiredis counts a command's length in an int; EMQ_PAYLOAD_MAX keeps it inside. */
  long long made_len =
      count <= INT_MAX ? redisFormatCommandArgv(&made, (int)count, (const char **)parts, lengths)
                       : -1;
  if (made_len < 0)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for a request");
  *bytes = made;
  *len = (size_t)made_len;
  return EMQ_OK;
}

void emq_format_free(char *bytes) {
  if (bytes)
    redisFreeCommand(bytes);
}
