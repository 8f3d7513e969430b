/* SPDX-License-Identifier: MIT */
#ifndef EMQ_CLIENT_SESSION_H
#define EMQ_CLIENT_SESSION_H

/* The protocol of one connection without its socket: bytes in, bytes out, answers to commands.
 *
 * It boots first: AUTH, SELECT, CLIENT SETNAME and the fence's read leave in one flush, then the
 * fence decides (the wire, section 5). Commands may be submitted at any time and leave once the
 * session is ready. A NOSCRIPT answer is mended inside: the script is loaded, its digest compared,
 * and the command sent once more; the answers keep to their commands.
 *
 * Whoever drives it writes what emq_session_output gives, tells emq_session_sent how much went,
 * and feeds what it reads to emq_session_input; on an error the connection is to be closed. One
 * thread at a time. */

#include "client/command.h"
#include "client/settings.h"

typedef struct emq_session emq_session;

/* The settings must outlive the session. NULL when there is no memory. */
emq_session *emq_session_new(const emq_settings *settings);

/* Frees the session; commands stay their owner's. NULL is accepted. */
void emq_session_free(emq_session *session);

/* Whether the fence has been passed. */
bool emq_session_ready(const emq_session *session);

/* Whether nothing is to be sent and no answer is awaited. */
bool emq_session_idle(const emq_session *session);

/* Takes a command, which must stay where it is until it has its reply or the session is freed.
 * Returns EMQ_OK or EMQ_ERR_NO_MEMORY. */
emq_status emq_session_submit(emq_session *session, emq_command *command, emq_error *err);

/* What can be sent now, as at most `max` chunks in order, valid until the next call. */
size_t emq_session_output(const emq_session *session, emq_bytes *chunks, size_t max);

/* That many of these bytes have been sent. */
void emq_session_sent(emq_session *session, size_t len);

/* Takes bytes of the server: answers go to their commands' `reply`.
 * Returns EMQ_OK, or why the connection cannot be used: EMQ_ERR_FENCE, EMQ_ERR_AUTH and the other
 * classes of a boot's error reply, EMQ_ERR_PROTOCOL, EMQ_ERR_NO_MEMORY. */
emq_status emq_session_input(emq_session *session, const char *bytes, size_t len, emq_error *err);

/* The connection is lost: sets `left` on every command that the server may have run. */
void emq_session_lost(emq_session *session);

#endif
