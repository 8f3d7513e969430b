/* SPDX-License-Identifier: MIT */
#ifndef ECHOMQ_MINTER_H
#define ECHOMQ_MINTER_H

/* The minter makes ids (the wire, section 4). One monotone cell of (millisecond, sequence): never
 * the same id twice, whatever the clock does; the 4097th id of a millisecond borrows from the
 * next. After a fork the child draws a node of its own at random. */

#include <echomq/id.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct emq_minter emq_minter;

/* Makes a minter. `node` is 0 to 1023, or -1 for the environment's ECHOMQ_NODE, else a random one.
 * Returns EMQ_OK, EMQ_ERR_INVALID_ARGUMENT (the number, or the text in ECHOMQ_NODE) or
 * EMQ_ERR_NO_MEMORY. The caller frees `*out`. */
EMQ_API emq_status emq_minter_new(emq_minter **out, int32_t node, emq_error *err);

/* Frees a minter; NULL is accepted. */
EMQ_API void emq_minter_free(emq_minter *minter);

/* Mints the next id of a namespace by the system's clock. Any thread, at any time.
 * Returns EMQ_OK or EMQ_ERR_INVALID_ARGUMENT: the namespace, or a clock outside the ids' 41 bits
 * (one that is too early only before the first id: later it cannot matter). */
EMQ_API emq_status emq_minter_next(emq_id *out, emq_minter *minter, const char *name_space,
                                   size_t name_space_len, emq_error *err);

/* The same at a time of the caller's, in unix ms. */
EMQ_API emq_status emq_minter_next_at(emq_id *out, emq_minter *minter, const char *name_space,
                                      size_t name_space_len, int64_t unix_ms, emq_error *err);

/* The node in use in this process. */
EMQ_API uint32_t emq_minter_node(emq_minter *minter);

#ifdef __cplusplus
}
#endif

#endif
