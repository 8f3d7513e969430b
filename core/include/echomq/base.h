/* SPDX-License-Identifier: MIT */
#ifndef ECHOMQ_BASE_H
#define ECHOMQ_BASE_H

/* What every other header uses: the export mark and a view of bytes. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define EMQ_API __attribute__((visibility("default")))
#else
#define EMQ_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A view of bytes: any value, NUL included; not terminated. It owns nothing. Where a function
 * returns one, its comment says until when it may be read. {NULL, 0} is "none", which differs
 * from an empty text {"", 0} wherever that difference matters. */
typedef struct emq_bytes {
  const char *ptr;
  size_t len;
} emq_bytes;

/* The library's version, such as "0.1.0". Static text. */
EMQ_API const char *emq_version(void);

/* Where the library's memory comes from. `realloc` with a NULL pointer allocates; `free` takes
 * NULL. What hiredis allocates for itself does not come from here.
 *
 * Set once, before any other call and from one thread; NULL puts the C library's back. The table
 * is copied. */
typedef struct emq_allocator {
  void *(*realloc)(void *ptr, size_t size, void *data);
  void (*free)(void *ptr, void *data);
  void *data;
} emq_allocator;

EMQ_API void emq_set_allocator(const emq_allocator *allocator);

#ifdef __cplusplus
}
#endif

#endif
