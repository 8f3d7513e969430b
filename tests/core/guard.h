/* SPDX-License-Identifier: MIT */
#ifndef EMQ_TESTS_GUARD_H
#define EMQ_TESTS_GUARD_H

/* Room that ends exactly where an unreadable page begins: to read or write one byte too far is a
 * crash. And numbers that look random and are the same in every run. */

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct guarded {
  char *ptr;
  size_t len;
  void *map;
  size_t map_len;
} guarded;

static inline guarded guard_room(size_t len) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t body = (len + page) / page * page;
  guarded room = {NULL, len, NULL, body + page};
  room.map = mmap(NULL, room.map_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cr_assert_neq(room.map, MAP_FAILED);
  char *end = (char *)room.map + body;
  cr_assert_eq(mprotect(end, page, PROT_NONE), 0);
  room.ptr = end - len;
  return room;
}

static inline guarded guard(const void *bytes, size_t len) {
  guarded room = guard_room(len);
  if (len > 0)
    memcpy(room.ptr, bytes, len);
  return room;
}

static inline void unguard(guarded *room) { munmap(room->map, room->map_len); }

/* xorshift64*: start `*seed` with any number but 0. */
static inline uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed >> 12;
  *seed ^= *seed << 25;
  *seed ^= *seed >> 27;
  return *seed * UINT64_C(0x2545F4914F6CDD1D);
}

static inline size_t random_below(uint64_t *seed, size_t bound) {
  return (size_t)((next_random(seed) >> 11) % bound);
}

#endif
