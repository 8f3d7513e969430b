/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "wire/error.h"
#include "wire/reply.h"
#include "wire/text.h"

/* Error texts start with a code in capitals. */
static const struct {
  const char *word;
  emq_status status;
} codes[] = {
    {"NOAUTH", EMQ_ERR_AUTH},
    {"WRONGPASS", EMQ_ERR_AUTH},
    {"NOPERM", EMQ_ERR_PERMISSION},
    {"LOADING", EMQ_ERR_LOADING},
    {"READONLY", EMQ_ERR_READONLY},
    {"MASTERDOWN", EMQ_ERR_UNAVAILABLE},
    {"CLUSTERDOWN", EMQ_ERR_UNAVAILABLE},
    {"TRYAGAIN", EMQ_ERR_UNAVAILABLE},
    {"NOREPLICAS", EMQ_ERR_UNAVAILABLE},
    {"BUSY", EMQ_ERR_BUSY},
    {"MISCONF", EMQ_ERR_MISCONFIGURED},
    {"OOM", EMQ_ERR_SERVER_MEMORY},
    {"MOVED", EMQ_ERR_REDIRECT},
    {"ASK", EMQ_ERR_REDIRECT},
    {"CROSSSLOT", EMQ_ERR_REDIRECT},
    {"WRONGTYPE", EMQ_ERR_WRONG_TYPE},
    {"NOSCRIPT", EMQ_ERR_SCRIPT},
    {"EMQKIND", EMQ_ERR_KIND},
    {"EMQSTALE", EMQ_ERR_STALE},
    {"EMQLOCK", EMQ_ERR_LOCKED},
    {"EMQSTATE", EMQ_ERR_STATE},
    {"EMQRATE", EMQ_ERR_RATE},
};

/* The code ERR says nothing; of what stands behind it these are told by their words. */
static const struct {
  const char *start;
  emq_status status;
} sentences[] = {
    {"invalid password", EMQ_ERR_AUTH},
    {"AUTH <password> called without any password", EMQ_ERR_AUTH},
    {"Client sent AUTH, but no password is set", EMQ_ERR_AUTH},
    {"ACL failure in script", EMQ_ERR_PERMISSION},         /* Valkey, NOPERM inside a script */
    {"The user executing the script", EMQ_ERR_PERMISSION}, /* Redis, likewise */
    {"max number of clients", EMQ_ERR_MAX_CLIENTS},
    {"Script attempted to access a non local key", EMQ_ERR_REDIRECT},
    {"Script attempted to access keys that do not hash to the same slot", EMQ_ERR_REDIRECT},
};

/* ---- reading the text from its start ---- */

static bool starts(emq_bytes text, const char *start) {
  size_t len = strlen(start);
  return text.len >= len && memcmp(text.ptr, start, len) == 0;
}

static void skip(emq_bytes *text, size_t len) {
  text->ptr += len;
  text->len -= len;
}

static bool take(emq_bytes *text, const char *start) {
  if (!starts(*text, start))
    return false;
  skip(text, strlen(start));
  return true;
}

/* A script's place: `@user_script:12: `, also without the `@` or with a space before the number. */
static bool take_place(emq_bytes *text) {
  emq_bytes rest = *text;
  take(&rest, "@");
  if (!take(&rest, "user_script:"))
    return false;
  take(&rest, " ");
  size_t digits = 0;
  while (digits < rest.len && rest.ptr[digits] >= '0' && rest.ptr[digits] <= '9')
    digits++;
  skip(&rest, digits);
  if (digits == 0 || !take(&rest, ":"))
    return false;
  take(&rest, " ");
  *text = rest;
  return true;
}

/* `Error running script (call to f_<sha1>): ` */
static bool take_call(emq_bytes *text) {
  emq_bytes rest = *text;
  if (!take(&rest, "Error running script (call to "))
    return false;
  const char *end = rest.len > 0 ? memchr(rest.ptr, ')', rest.len) : NULL;
  if (!end)
    return false;
  skip(&rest, (size_t)(end - rest.ptr));
  if (!take(&rest, "): "))
    return false;
  *text = rest;
  return true;
}

/* ---- from the text to the class ---- */

/* The class of a text whose first word is a known code; EMQ_OK when it is not. */
static emq_status class_of_code(emq_bytes text) {
  emq_bytes word = {text.ptr, 0};
  while (word.len < text.len && !strchr(" \r\n", text.ptr[word.len])) /* the NUL ends it too */
    word.len++;
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (emq_equal(word, codes[i].word))
      return codes[i].status;
  return starts(word, "EMQ") ? EMQ_ERR_REFUSED : EMQ_OK;
}

static emq_status class_of_text(emq_bytes text) {
  emq_status status = class_of_code(text);
  if (status != EMQ_OK)
    return status;
  /* Older servers, and scripts that raise what they caught, put the code behind where it
   * happened. */
  bool generic = take(&text, "ERR ");
  bool wrapped = false;
  while (take_call(&text) || take_place(&text))
    wrapped = true;
  if (wrapped) {
    take(&text, "-");
    status = class_of_code(text);
    if (status != EMQ_OK)
      return status;
    generic = take(&text, "ERR ") || generic;
  }
  for (size_t i = 0; generic && i < sizeof sentences / sizeof *sentences; i++)
    if (starts(text, sentences[i].start))
      return sentences[i].status;
  return EMQ_ERR_SERVER;
}

emq_status emq_error_classify(emq_error *err, const char *text, size_t len) {
  emq_bytes came = {text ? text : "", text ? len : 0};
  emq_bytes words = came;
  take(&words, "-"); /* the protocol's mark of an error, should it still be there */
  emq_status status = class_of_text(words);
  if (!err)
    return status;
  char line[EMQ_ERROR_MESSAGE_MAX - 64]; /* the class's own text goes before it */
  char server_text[EMQ_ERROR_TEXT_MAX];  /* apart from `err`, which the text may lie in */
  emq_printable(line, sizeof line, words.ptr, words.len, false);
  emq_printable(server_text, sizeof server_text, came.ptr, came.len, false);
  emq_fail(err, status, "%s: %s", emq_error_class_of(status)->text, line);
  memcpy(err->server_text, server_text, sizeof server_text);
  return status;
}
