/* SPDX-License-Identifier: MIT */
#ifndef EMQ_CLIENT_TRANSPORT_H
#define EMQ_CLIENT_TRANSPORT_H

/* The socket and the waiting. A wait is cut into slices of at most 100 ms, and the interrupt hook
 * runs between them and after every signal; hiredis's own blocking calls go on after a signal and
 * write in a way that raises SIGPIPE. */

#include <stdatomic.h>

#include "client/session.h"

/* What bounds a wait. */
typedef struct emq_wait {
  const emq_settings *settings; /* whose interrupt hook is asked */
  const atomic_bool *closed;    /* ends the wait with EMQ_ERR_CLOSED */
  int64_t deadline_ms;          /* on the monotonic clock */
  int64_t asked_ms;             /* when the hook was asked last */
} emq_wait;

/* Asks what may end a wait: the deadline, a close, the interrupt hook (ten times a second, or `now`
 * because a signal came). Returns EMQ_OK, EMQ_ERR_TIMEOUT, EMQ_ERR_CLOSED or EMQ_ERR_INTERRUPTED.
 */
emq_status emq_wait_ask(emq_wait *wait, bool now, emq_error *err);

/* Opens a connected, non-blocking socket. The caller closes `*fd`.
 * Returns EMQ_OK, EMQ_ERR_CONNECTION, or what ended the wait: EMQ_ERR_TIMEOUT, EMQ_ERR_INTERRUPTED,
 * EMQ_ERR_CLOSED. The look-up of a host's name is the system's, and cannot be cut into slices. */
emq_status emq_transport_open(int *fd, const emq_settings *settings, emq_wait *wait,
                              emq_error *err);

/* Moves bytes between the socket and the session until the session is ready and idle. `room` is
 * for what is read. Returns as above, and what emq_session_input returns. */
emq_status emq_transport_run(int fd, emq_session *session, char *room, size_t room_size,
                             emq_wait *wait, emq_error *err);

/* Whether an idle connection has been closed by the server, or has bytes that nobody asked for. */
bool emq_transport_stale(int fd);

/* Waits that long. Returns EMQ_OK, or what ended the wait before. */
emq_status emq_transport_pause(int64_t ms, emq_wait *wait, emq_error *err);

#endif
