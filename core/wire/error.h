/* SPDX-License-Identifier: MIT */
#ifndef EMQ_WIRE_ERROR_H
#define EMQ_WIRE_ERROR_H

/* How the core fills an emq_error. */

#include <echomq/error.h>

#if defined(__GNUC__)
#define EMQ_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define EMQ_PRINTF(format_at, args_at)
#endif

/* Fills `err`, when there is one, with the code, its retriable column and a message, all other
 * texts empty; a message that is too long is cut at a whole UTF-8 character. Returns the code. */
emq_status emq_fail(emq_error *err, emq_status code, const char *format, ...) EMQ_PRINTF(3, 4);

/* Writes bytes as one printable line into `room`, for a message: control bytes, quotes, backslash
 * and invalid UTF-8 as \xNN, cut with "..." when there is no room. Returns `room`. */
const char *emq_quote(char *room, size_t room_size, const char *bytes, size_t len);

#endif
