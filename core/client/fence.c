/* SPDX-License-Identifier: MIT */
#include "client/fence.h"

#include <stdio.h>
#include <string.h>

#include "wire/error.h"

/* Puts in front of a message what was being done. */
static emq_status explain(emq_status status, const char *before, emq_error *err) {
  if (err) {
    char message[EMQ_ERROR_MESSAGE_MAX];
    snprintf(message, sizeof message, "%s", err->message);
    snprintf(err->message, sizeof err->message, "%s%.400s", before, message);
  }
  return status;
}

static emq_status unexpected(const char *command, emq_error *err) {
  return emq_fail(err, EMQ_ERR_PROTOCOL, "the reply to %s is not one that a server gives", command);
}

emq_status emq_boot_expect_ok(const emq_reply *reply, const char *command, emq_error *err) {
  if (reply->type == EMQ_REPLY_IS_ERROR)
    return emq_error_classify(err, reply->text, reply->len);
  if (reply->type == EMQ_REPLY_IS_STATUS)
    return EMQ_OK;
  return unexpected(command, err);
}

emq_status emq_fence_claimed(const emq_reply *reply, emq_error *err) {
  if (reply->type == EMQ_REPLY_IS_ERROR) {
    emq_status status = emq_error_classify(err, reply->text, reply->len);
    return explain(status, "claiming the empty store: ", err);
  }
  if (reply->type == EMQ_REPLY_IS_STATUS || reply->type == EMQ_REPLY_IS_NIL)
    return EMQ_OK;
  return unexpected("SET {emq}:version", err);
}

static emq_status error_reply(const emq_reply *reply, emq_error *err) {
  emq_status status = emq_error_classify(err, reply->text, reply->len);
  switch (status) {
  case EMQ_ERR_WRONG_TYPE:
    return explain(status, "{emq}:version holds no text, so the store's wire is not known: ", err);
  case EMQ_ERR_PERMISSION:
    return explain(status, "reading {emq}:version (a grant of emq:* does not cover it): ", err);
  default:
    return explain(status, "reading {emq}:version: ", err);
  }
}

static emq_status foreign(const emq_reply *reply, emq_bytes own, emq_error *err) {
  char found[EMQ_ERROR_TEXT_MAX], expected[EMQ_ERROR_TEXT_MAX];
  emq_quote(found, sizeof found, reply->text, reply->len);
  emq_quote(expected, sizeof expected, own.ptr, own.len);
  emq_fail(err, EMQ_ERR_FENCE, "store speaks %.200s, this client speaks %.200s",
           reply->len ? found : "\"\"", expected);
  if (err) {
    memcpy(err->found, found, sizeof found);
    memcpy(err->expected, expected, sizeof expected);
  }
  return EMQ_ERR_FENCE;
}

emq_fence emq_fence_verdict(const emq_reply *reply, emq_bytes own, emq_status *status,
                            emq_error *err) {
  switch (reply->type) {
  case EMQ_REPLY_IS_NIL:
    return EMQ_FENCE_ABSENT;
  case EMQ_REPLY_IS_STRING:
    if (reply->len == own.len && memcmp(reply->text, own.ptr, own.len) == 0)
      return EMQ_FENCE_PASS;
    *status = foreign(reply, own, err);
    return EMQ_FENCE_REFUSED;
  case EMQ_REPLY_IS_ERROR:
    *status = error_reply(reply, err);
    return EMQ_FENCE_REFUSED;
  default:
    *status = unexpected("GET {emq}:version", err);
    return EMQ_FENCE_REFUSED;
  }
}
