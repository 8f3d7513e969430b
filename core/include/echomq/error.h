/* SPDX-License-Identifier: MIT */
#ifndef ECHOMQ_ERROR_H
#define ECHOMQ_ERROR_H

/* What can go wrong. This map is the one table of error classes: the enum below, the texts, the
 * exception classes of every binding and the tests are made from it.
 *
 * X(NAME, code, class, retriable, text). Codes never change meaning and gaps stay. "Retriable"
 * says that the same call may succeed later without anybody changing anything. The class is the
 * stem of the exception's name: Stale gives StaleError. */

#include <echomq/base.h>

/* clang-format off */
#define EMQ_ERROR_MAP(X)                                                                           \
  /* the caller's side */                                                                          \
  X(INVALID_ARGUMENT, -1, InvalidArgument, false, "an argument is not acceptable")                 \
  X(NO_MEMORY,        -2, NoMemory,        true,  "memory could not be allocated")                 \
  X(CLOSED,           -3, Closed,          false, "the client is closed")                          \
  X(UNSUPPORTED,      -4, Unsupported,     false, "this build cannot do that")                     \
  /* the connection */                                                                             \
  X(CONNECTION,      -10, Connection,      true,  "no connection, and nothing was done")           \
  X(TIMEOUT,         -11, Timeout,         true,  "a deadline passed before anything was done")    \
  X(INTERRUPTED,     -12, Interrupted,     false, "the call was interrupted")                      \
  X(UNKNOWN_OUTCOME, -13, UnknownOutcome,  false, "the request left and its reply never came")     \
  X(PROTOCOL,        -14, Protocol,        false, "the peer's reply is not one of this wire")      \
  /* the fence and who may pass */                                                                 \
  X(FENCE,           -20, Fence,           false, "the store speaks another wire")                 \
  X(AUTH,            -21, Auth,            false, "the server refused the credentials")            \
  X(PERMISSION,      -22, Permission,      false, "the server's user may not do that")             \
  /* states of the server */                                                                       \
  X(LOADING,         -30, Loading,         true,  "the server is loading its data")                \
  X(READONLY,        -31, ReadOnly,        true,  "the server is a read-only replica")             \
  X(UNAVAILABLE,     -32, Unavailable,     true,  "the server cannot serve the key now")           \
  X(BUSY,            -33, Busy,            true,  "the server is busy with a long script")         \
  X(MISCONFIGURED,   -34, Misconfigured,   true,  "the server refuses writes: saving fails")       \
  X(SERVER_MEMORY,   -35, ServerMemory,    true,  "the server is out of memory")                   \
  X(MAX_CLIENTS,     -36, MaxClients,      true,  "the server has no room for another client")     \
  X(REDIRECT,        -37, Redirect,        false, "the key lives on another node of a cluster")    \
  X(WRONG_TYPE,      -38, WrongType,       false, "a key holds another type than the wire's")      \
  X(SCRIPT,          -39, Script,          true,  "the server did not keep or know a script")      \
  X(SERVER,          -40, Server,          false, "the server refused the command")                \
  /* refusals of a transition */                                                                   \
  X(KIND,            -50, Kind,            false, "the id is not of the namespace JOB")            \
  X(STALE,           -51, Stale,           false, "the token is not the job's current one")        \
  X(LOCKED,          -52, Locked,          false, "a worker's lock is on the job")                 \
  X(STATE,           -53, State,           false, "the job or queue is in another state")          \
  X(RATE,            -54, Rate,            true,  "the queue is at its ceiling")                   \
  X(REFUSED,         -55, Refused,         false, "the transition refused")
/* clang-format on */

#ifdef __cplusplus
extern "C" {
#endif

/* What every call that can fail returns: EMQ_OK or a negative EMQ_ERR_ code of the map above. */
typedef enum emq_status {
  EMQ_OK = 0,
#define EMQ_ERROR_ENUM(NAME, code, class_name, retriable, text) EMQ_ERR_##NAME = code,
  EMQ_ERROR_MAP(EMQ_ERROR_ENUM)
#undef EMQ_ERROR_ENUM
} emq_status;

enum { EMQ_ERROR_MESSAGE_MAX = 512, EMQ_ERROR_TEXT_MAX = 256 };

/* The detail of a failure. The caller owns it: start it with EMQ_ERROR_INIT and pass its address;
 * NULL wherever the detail is not wanted. Every text is NUL-terminated and cut to its room.
 * A call that succeeds leaves it as it was. */
typedef struct emq_error {
  emq_status code;
  bool retriable;                       /* the column of the map */
  char message[EMQ_ERROR_MESSAGE_MAX];  /* one line: what was got, and why it is refused */
  char server_text[EMQ_ERROR_TEXT_MAX]; /* the server's error text, or "" */
  char found[EMQ_ERROR_TEXT_MAX];       /* of EMQ_ERR_FENCE: the identity in the store */
  char expected[EMQ_ERROR_TEXT_MAX];    /* of EMQ_ERR_FENCE: the identity of this client */
} emq_error;

#define EMQ_ERROR_INIT                                                                             \
  { EMQ_OK, false, "", "", "", "" }

/* One row of the map. Static. */
typedef struct emq_error_class {
  emq_status code;
  const char *name;       /* "STALE" */
  const char *class_name; /* "Stale" */
  bool retriable;
  const char *text;
} emq_error_class;

/* How many rows the map has. */
EMQ_API size_t emq_error_class_count(void);

/* The row at `index`, in the map's order; NULL past the end. Static. */
EMQ_API const emq_error_class *emq_error_class_at(size_t index);

/* The row of a code; NULL for EMQ_OK and for a number that is no code. Static. */
EMQ_API const emq_error_class *emq_error_class_of(emq_status code);

#ifdef __cplusplus
}
#endif

#endif
