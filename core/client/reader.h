/* SPDX-License-Identifier: MIT */
#ifndef EMQ_CLIENT_READER_H
#define EMQ_CLIENT_READER_H

/* RESP in, by hiredis's reader, which builds our reply trees directly; RESP out, by its
 * formatter. The one file that knows hiredis's versions is reader.c. */

#include "wire/reply.h"
#include "wire/request.h"

typedef struct emq_reader emq_reader;

/* NULL when there is no memory. */
emq_reader *emq_reader_new(void);
void emq_reader_free(emq_reader *reader);

/* Takes bytes from the server. Returns EMQ_OK or EMQ_ERR_NO_MEMORY. */
emq_status emq_reader_feed(emq_reader *reader, const char *bytes, size_t len, emq_error *err);

/* Gives the next whole reply, which the caller frees, or NULL in `*out` when more bytes are
 * needed. Returns EMQ_OK, EMQ_ERR_PROTOCOL or EMQ_ERR_NO_MEMORY: the stream is lost then. */
emq_status emq_reader_next(emq_reply **out, emq_reader *reader, emq_error *err);

/* A reply made here instead of by a server: an error of that text. NULL when there is no memory. */
emq_reply *emq_reply_error(const char *text);

/* Frees a reply and all below it; NULL is accepted. */
void emq_reply_free(emq_reply *reply);

/* Frees an array's last element. */
void emq_reply_drop_last(emq_reply *array);

/* Formats one command as RESP into memory that emq_format_free frees.
 * Returns EMQ_OK or EMQ_ERR_NO_MEMORY. */
emq_status emq_format(char **bytes, size_t *len, size_t count, const char *const *parts,
                      const size_t *lengths, emq_error *err);
void emq_format_free(char *bytes);

#endif
