/* SPDX-License-Identifier: MIT */
#ifndef ECHOMQ_OPTIONS_H
#define ECHOMQ_OPTIONS_H

/* How a client connects. */

#include <echomq/wire.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options by value: start them with EMQ_OPTIONS_INIT and set what differs. The views are read only
 * during emq_client_open. New fields come at the end; `size` tells which the caller knows. */
typedef struct emq_options {
  size_t size;

  /* redis://[user[:password]@]host[:port][/db], valkey:// likewise, or unix:///path?db=n with the
   * optional &user= and &password=; percent-decoded once. None: redis://127.0.0.1:6379/0. */
  emq_bytes url;
  emq_bytes username; /* taken literally; goes before the URL's */
  emq_bytes password; /* taken literally; goes before the URL's */

  emq_bytes client_name; /* for CLIENT SETNAME, best effort: printable ASCII without spaces */
  emq_bytes identity;    /* what the fence expects, where a deployment stamps its own: 1 to 255
                            bytes; none: the executor's identity */
  emq_executor executor;
  int32_t node; /* of the minter: 0 to 1023; -1: ECHOMQ_NODE, else random */

  int64_t connect_timeout_ms; /* to connect, authenticate and pass the fence; 1 to 86400000 */
  int64_t call_timeout_ms;    /* for one call, reconnecting included; 1 to 86400000 */

  /* For bindings. `interrupt` runs at least ten times a second while a call waits (but for the
   * look-up of a host's name) and after every signal: a return other than 0 ends the call with
   * EMQ_ERR_INTERRUPTED. `outside` runs `body` on the same thread with the interpreter's lock
   * released, once for each flush of a call, and returns 0; or returns other than 0 without having
   * run it: the call ends with EMQ_ERR_INTERRUPTED and sends nothing more. `interrupt` runs inside
   * `outside`. NULL: none. */
  int (*interrupt)(void *hook_data);
  int (*outside)(void (*body)(void *), void *body_data, void *hook_data);
  void *hook_data;
} emq_options;

enum { EMQ_TIMEOUT_MAX_MS = 86400000, EMQ_IDENTITY_MAX = 255 };

/* clang-format off */
#define EMQ_OPTIONS_INIT \
  {sizeof(emq_options), {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, \
   EMQ_EXECUTOR_AUTO, -1, 5000, 30000, NULL, NULL, NULL}
/* clang-format on */

/* Turns seconds into milliseconds, rounded up to a whole one; for the layers whose users count in
 * seconds. `what` names the number in the message.
 * Returns EMQ_OK or EMQ_ERR_INVALID_ARGUMENT: NaN, or outside `min_ms` to `max_ms`. */
EMQ_API emq_status emq_milliseconds(int64_t *out, double seconds, int64_t min_ms, int64_t max_ms,
                                    const char *what, emq_error *err);

#ifdef __cplusplus
}
#endif

#endif
