/* SPDX-License-Identifier: MIT */
#ifndef EMQ_WIRE_GATE_H
#define EMQ_WIRE_GATE_H

/* The host's gates, with the words for a message. */

#include <echomq/error.h>

/* Says whether bytes are an id of any namespace. `what` names it in the message: "job id". */
emq_status emq_id_gate(const char *what, const char *id, size_t id_len, emq_error *err);

#endif
