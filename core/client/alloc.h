/* SPDX-License-Identifier: MIT */
#ifndef EMQ_CLIENT_ALLOC_H
#define EMQ_CLIENT_ALLOC_H

/* The client layer's memory, from the table of emq_set_allocator. Each returns NULL when there is
 * none; a size of 0 is served as 1. */

#include <echomq/base.h>

void *emq_alloc(size_t size);
void *emq_calloc(size_t count, size_t size); /* zeroed; NULL too when the product overflows */
void *emq_realloc(void *ptr, size_t size);
void emq_free(void *ptr);

/* A copy of bytes with a NUL behind them. */
char *emq_copy(const char *bytes, size_t len);

#endif
