/* SPDX-License-Identifier: MIT */
#ifndef EMQ_WIRE_TEXT_H
#define EMQ_WIRE_TEXT_H

/* Bytes of others made fit for one line of text. */

#include <echomq/base.h>

/* Writes bytes into `room` as one printable line, NUL-terminated: valid UTF-8 as it is; control
 * characters, line separators and invalid bytes as \xNN, with `escape_quotes` quotes and the
 * backslash too. What does not fit is cut, with "..." in its place. */
void emq_printable(char *room, size_t room_size, const char *bytes, size_t len, bool escape_quotes);

/* The length of the longest start of `text` that ends with a whole UTF-8 character. */
size_t emq_whole_characters(const char *text, size_t len);

/* Whether two runs of bytes are equal. */
bool emq_equal(emq_bytes bytes, const char *text);

#endif
