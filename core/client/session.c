/* SPDX-License-Identifier: MIT */
#include "client/session.h"

#include <stdio.h>
#include <string.h>

#include "client/alloc.h"
#include "client/fence.h"
#include "wire/error.h"

/* What an entry's answer is for. */
typedef enum kind {
  BOOT_AUTH,
  BOOT_SELECT,
  BOOT_SETNAME,
  BOOT_READ,  /* GET {emq}:version, first */
  BOOT_CLAIM, /* SET ... NX */
  BOOT_CHECK, /* GET {emq}:version, after the claim */
  LOAD,       /* SCRIPT LOAD */
  COMMAND,
} kind;

/* One request in the order of sending. */
typedef struct entry {
  struct entry *next;
  kind kind;
  emq_bytes bytes;          /* owned, except a command's */
  emq_command *command;     /* of a COMMAND */
  const emq_script *script; /* of a LOAD, and of a command that has one */
  bool reloaded;            /* of a COMMAND: it has had its second chance */
} entry;

typedef struct queue {
  entry *head, **tail;
} queue;

struct emq_session {
  const emq_settings *settings;
  emq_reader *reader;
  bool ready;
  queue flight;  /* sent or to be sent, in order; answers come for its head */
  queue held;    /* commands that wait for the boot */
  queue parked;  /* commands that wait for their script */
  entry *unsent; /* the first of `flight` that is not wholly sent; NULL: none */
  size_t sent;   /* how much of it is */
};

static void queue_init(queue *q) {
  q->head = NULL;
  q->tail = &q->head;
}

static void queue_push(queue *q, entry *e) {
  e->next = NULL;
  *q->tail = e;
  q->tail = &e->next;
}

static entry *queue_pop(queue *q) {
  entry *e = q->head;
  if (!e)
    return NULL;
  q->head = e->next;
  if (!q->head)
    q->tail = &q->head;
  return e;
}

static void entry_free(entry *e) {
  if (e->kind != COMMAND)
    emq_format_free((char *)e->bytes.ptr);
  emq_free(e);
}

static void queue_clear(queue *q) {
  for (entry *e; (e = queue_pop(q));)
    entry_free(e);
}

static void fly(emq_session *s, entry *e) {
  queue_push(&s->flight, e);
  if (!s->unsent)
    s->unsent = e;
}

/* Sends a request of the session's own. */
static emq_status fly_parts(emq_session *s, kind kind, const emq_script *script, size_t count,
                            const emq_bytes *parts, emq_error *err) {
  const char *ptrs[6];
  size_t lengths[6];
  for (size_t i = 0; i < count; i++) {
    ptrs[i] = parts[i].ptr;
    lengths[i] = parts[i].len;
  }
  entry *e = emq_calloc(1, sizeof *e);
  if (!e)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for a request");
  char *bytes;
  size_t len;
  emq_status status = emq_format(&bytes, &len, count, ptrs, lengths, err);
  if (status != EMQ_OK) {
    emq_free(e);
    return status;
  }
  e->kind = kind;
  e->script = script;
  e->bytes = (emq_bytes){bytes, len};
  fly(s, e);
  return EMQ_OK;
}

#define TEXT(literal) ((emq_bytes){literal, sizeof(literal) - 1})
#define FLY(s, kind, script, err, ...)                                                             \
  fly_parts(s, kind, script, sizeof((emq_bytes[]){__VA_ARGS__}) / sizeof(emq_bytes),               \
            (emq_bytes[]){__VA_ARGS__}, err)

/* ---- the boot ---- */

static emq_status boot(emq_session *s, emq_error *err) {
  const emq_settings *settings = s->settings;
  emq_status status = EMQ_OK;
  if (settings->username.ptr) {
    emq_bytes password = settings->password.ptr ? settings->password : TEXT("");
    status = FLY(s, BOOT_AUTH, NULL, err, TEXT("AUTH"), settings->username, password);
  } else if (settings->password.ptr) {
    status = FLY(s, BOOT_AUTH, NULL, err, TEXT("AUTH"), settings->password);
  }
  if (status == EMQ_OK && settings->database) {
    char number[12];
    int len = snprintf(number, sizeof number, "%lu", (unsigned long)settings->database);
    status = FLY(s, BOOT_SELECT, NULL, err, TEXT("SELECT"), {number, (size_t)len});
  }
  if (status == EMQ_OK && settings->client_name) {
    emq_bytes name = {settings->client_name, strlen(settings->client_name)};
    status = FLY(s, BOOT_SETNAME, NULL, err, TEXT("CLIENT"), TEXT("SETNAME"), name);
  }
  if (status == EMQ_OK)
    status = FLY(s, BOOT_READ, NULL, err, TEXT("GET"), emq_version_key());
  return status;
}

static emq_bytes own_identity(const emq_session *s) {
  return (emq_bytes){s->settings->identity, s->settings->identity_len};
}

/* The store is empty: claim it, and read again who won. */
static emq_status claim_store(emq_session *s, emq_error *err) {
  emq_status status =
      FLY(s, BOOT_CLAIM, NULL, err, TEXT("SET"), emq_version_key(), own_identity(s), TEXT("NX"));
  if (status == EMQ_OK)
    status = FLY(s, BOOT_CHECK, NULL, err, TEXT("GET"), emq_version_key());
  return status;
}

static void release_held(emq_session *s) {
  s->ready = true;
  for (entry *e; (e = queue_pop(&s->held));)
    fly(s, e);
}

static emq_status boot_answer(emq_session *s, kind kind, const emq_reply *reply, emq_error *err) {
  emq_status status = EMQ_OK;
  switch (kind) {
  case BOOT_AUTH:
    return emq_boot_expect_ok(reply, "AUTH", err);
  case BOOT_SELECT:
    return emq_boot_expect_ok(reply, "SELECT", err);
  case BOOT_CLAIM:
    return emq_fence_claimed(reply, err);
  case BOOT_READ:
  case BOOT_CHECK:
    switch (emq_fence_verdict(reply, own_identity(s), &status, err)) {
    case EMQ_FENCE_PASS:
      release_held(s);
      return EMQ_OK;
    case EMQ_FENCE_ABSENT:
      if (kind == BOOT_READ)
        return claim_store(s, err);
      return emq_fail(err, EMQ_ERR_UNAVAILABLE,
                      "{emq}:version vanished while the empty store was being claimed");
    default:
      return status;
    }
  default: /* SETNAME is best effort */
    return EMQ_OK;
  }
}

/* ---- scripts that the server does not know ---- */

static bool loading(const emq_session *s, const emq_script *script) {
  for (const entry *e = s->flight.head; e; e = e->next)
    if (e->kind == LOAD && e->script == script)
      return true;
  return false;
}

static bool is_noscript(const emq_reply *reply) {
  return reply->type == EMQ_REPLY_IS_ERROR && reply->len >= 8 &&
         memcmp(reply->text, "NOSCRIPT", 8) == 0;
}

static emq_status park(emq_session *s, entry *e, emq_error *err) {
  e->reloaded = true;
  queue_push(&s->parked, e);
  if (loading(s, e->script))
    return EMQ_OK;
  return FLY(s, LOAD, e->script, err, TEXT("SCRIPT"), TEXT("LOAD"),
             {e->script->source, e->script->source_len});
}

/* What a load that failed means to each command that waited for it. */
static emq_status answer_with_error(entry *e, const char *text, emq_error *err) {
  e->command->reply = emq_reply_error(text);
  return e->command->reply ? EMQ_OK : emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for an answer");
}

static emq_status load_answer(emq_session *s, const emq_script *script, const emq_reply *reply,
                              emq_error *err) {
  char text[EMQ_ERROR_TEXT_MAX] = "";
  if (reply->type == EMQ_REPLY_IS_ERROR) {
    snprintf(text, sizeof text, "%s", reply->text);
  } else if (reply->type != EMQ_REPLY_IS_STRING || reply->len != strlen(script->sha1) ||
             memcmp(reply->text, script->sha1, reply->len) != 0) {
    char quoted[64];
    snprintf(text, sizeof text, "NOSCRIPT script %s has the digest %s, the server answered %s",
             script->name, script->sha1,
             emq_quote(quoted, sizeof quoted, reply->text ? reply->text : "nothing",
                       reply->text ? reply->len : 7));
  }
  queue parked = s->parked;
  if (!parked.head)
    return EMQ_OK;
  queue_init(&s->parked);
  emq_status status = EMQ_OK;
  for (entry *e = parked.head, *next; e; e = next) {
    next = e->next;
    if (e->script != script) {
      queue_push(&s->parked, e);
    } else if (!*text) {
      fly(s, e);
    } else {
      if (status == EMQ_OK)
        status = answer_with_error(e, text, err);
      entry_free(e);
    }
  }
  return status;
}

/* ---- bytes in ---- */

/* A server that has no room or refuses the peer says so before it is asked anything. */
static emq_status unasked(emq_reply *reply, emq_error *err) {
  emq_status status =
      reply->type == EMQ_REPLY_IS_ERROR
          ? emq_error_classify(err, reply->text, reply->len)
          : emq_fail(err, EMQ_ERR_PROTOCOL, "the server sent what nobody asked for");
  emq_reply_free(reply);
  return status;
}

/* Takes the reply to the head of `flight`; a command keeps it, else it is freed here. */
static emq_status answer(emq_session *s, emq_reply *reply, emq_error *err) {
  entry *e = s->flight.head;
  if (!e || e == s->unsent)
    return unasked(reply, err);
  queue_pop(&s->flight);
  emq_status status = EMQ_OK;
  if (e->kind == COMMAND) {
    if (e->script && !e->reloaded && is_noscript(reply)) {
      emq_reply_free(reply);
      return park(s, e, err);
    }
    e->command->reply = reply;
    entry_free(e);
    return EMQ_OK;
  }
  status =
      e->kind == LOAD ? load_answer(s, e->script, reply, err) : boot_answer(s, e->kind, reply, err);
  emq_reply_free(reply);
  entry_free(e);
  return status;
}

emq_status emq_session_input(emq_session *s, const char *bytes, size_t len, emq_error *err) {
  emq_status status = emq_reader_feed(s->reader, bytes, len, err);
  while (status == EMQ_OK) {
    emq_reply *reply = NULL;
    status = emq_reader_next(&reply, s->reader, err);
    if (status != EMQ_OK || !reply)
      break;
    status = answer(s, reply, err);
  }
  return status;
}

/* ---- bytes out ---- */

size_t emq_session_output(const emq_session *s, emq_bytes *chunks, size_t max) {
  size_t count = 0;
  size_t skip = s->sent;
  for (const entry *e = s->unsent; e && count < max; e = e->next) {
    chunks[count++] = (emq_bytes){e->bytes.ptr + skip, e->bytes.len - skip};
    skip = 0;
  }
  return count;
}

void emq_session_sent(emq_session *s, size_t len) {
  while (s->unsent && len > 0) {
    size_t left = s->unsent->bytes.len - s->sent;
    if (len < left) {
      s->sent += len;
      return;
    }
    len -= left;
    s->sent = 0;
    s->unsent = s->unsent->next;
  }
}

emq_status emq_session_submit(emq_session *s, emq_command *command, emq_error *err) {
  entry *e = emq_calloc(1, sizeof *e);
  if (!e)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for a request");
  e->kind = COMMAND;
  e->command = command;
  e->bytes = (emq_bytes){command->bytes, command->len};
  e->script = emq_script_of(command->transition);
  if (s->ready)
    fly(s, e);
  else
    queue_push(&s->held, e);
  return EMQ_OK;
}

/* ---- life ---- */

emq_session *emq_session_new(const emq_settings *settings) {
  emq_session *s = emq_calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->settings = settings;
  queue_init(&s->flight);
  queue_init(&s->held);
  queue_init(&s->parked);
  s->reader = emq_reader_new();
  if (s->reader && boot(s, NULL) == EMQ_OK)
    return s;
  emq_session_free(s);
  return NULL;
}

void emq_session_free(emq_session *s) {
  if (!s)
    return;
  queue_clear(&s->flight);
  queue_clear(&s->held);
  queue_clear(&s->parked);
  emq_reader_free(s->reader);
  emq_free(s);
}

bool emq_session_ready(const emq_session *s) { return s->ready; }

bool emq_session_idle(const emq_session *s) {
  return !s->flight.head && !s->held.head && !s->parked.head;
}

/* A parked command was answered NOSCRIPT and has not run; a held one never left. */
void emq_session_lost(emq_session *s) {
  for (entry *e = s->flight.head; e; e = e->next) {
    if (e == s->unsent && s->sent == 0)
      break;
    if (e->kind == COMMAND)
      e->command->left = true;
    if (e == s->unsent)
      break;
  }
}
