/* SPDX-License-Identifier: MIT */
#include "client/alloc.h"

#include <stdlib.h>
#include <string.h>

static void *libc_realloc(void *ptr, size_t size, void *data) {
  (void)data;
  return realloc(ptr, size);
}

static void libc_free(void *ptr, void *data) {
  (void)data;
  free(ptr);
}

static emq_allocator allocator = {libc_realloc, libc_free, NULL};

void emq_set_allocator(const emq_allocator *table) {
  allocator = table ? *table : (emq_allocator){libc_realloc, libc_free, NULL};
}

void *emq_realloc(void *ptr, size_t size) {
  return allocator.realloc(ptr, size ? size : 1, allocator.data);
}

void *emq_alloc(size_t size) { return emq_realloc(NULL, size); }

void *emq_calloc(size_t count, size_t size) {
  if (size != 0 && count > SIZE_MAX / size)
    return NULL;
  void *ptr = emq_alloc(count * size);
  return ptr ? memset(ptr, 0, count * size) : NULL;
}

void emq_free(void *ptr) {
  if (ptr)
    allocator.free(ptr, allocator.data);
}

char *emq_copy(const char *bytes, size_t len) {
  char *copy = len < SIZE_MAX ? emq_alloc(len + 1) : NULL;
  if (!copy)
    return NULL;
  if (len)
    memcpy(copy, bytes, len);
  copy[len] = '\0';
  return copy;
}
