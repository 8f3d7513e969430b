/* SPDX-License-Identifier: MIT */
#include "client/posix.h"

#include <echomq/minter.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/alloc.h"
#include "client/clock.h"
#include "client/random.h"
#include "wire/error.h"

/* `cell` is the last (millisecond << 12 | sequence) given out, counted from the ids' epoch. The
 * process and its node share a word, so that a fork's child changes both in one step. */
struct emq_minter {
  _Atomic uint64_t cell;
  _Atomic uint64_t owner; /* pid << 16 | node */
};

static uint64_t owner_of(uint32_t node) { return (uint64_t)getpid() << 16 | node; }

static emq_status node_from_environment(int32_t *node, emq_error *err) {
  const char *text = getenv("ECHOMQ_NODE");
  if (!text || !*text) {
    *node = (int32_t)emq_random_below(EMQ_NODE_MAX + 1);
    return EMQ_OK;
  }
  int32_t value = 0;
  for (const char *c = text; *c; c++) {
    if (*c < '0' || *c > '9' || (value = value * 10 + (*c - '0')) > EMQ_NODE_MAX) {
      char quoted[64];
      return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                      "ECHOMQ_NODE is \"%s\", not a whole number from 0 to %d",
                      emq_quote(quoted, sizeof quoted, text, strlen(text)), EMQ_NODE_MAX);
    }
  }
  *node = value;
  return EMQ_OK;
}

emq_status emq_minter_new(emq_minter **out, int32_t node, emq_error *err) {
  if (node < -1 || node > EMQ_NODE_MAX)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "node is %ld, 0 to %d are allowed", (long)node,
                    EMQ_NODE_MAX);
  if (node == -1) {
    emq_status status = node_from_environment(&node, err);
    if (status != EMQ_OK)
      return status;
  }
  emq_minter *minter = emq_alloc(sizeof *minter);
  if (!minter)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for a minter");
  atomic_init(&minter->cell, 0);
  atomic_init(&minter->owner, owner_of((uint32_t)node));
  *out = minter;
  return EMQ_OK;
}

void emq_minter_free(emq_minter *minter) { emq_free(minter); }

/* The node of this process. A child that sees its parent's pid draws another node, whichever way
 * the parent's was chosen: two processes with one node would mint the same ids. */
uint32_t emq_minter_node(emq_minter *minter) {
  uint64_t seen = atomic_load(&minter->owner);
  while (seen >> 16 != (uint64_t)getpid()) {
    uint32_t parent = seen & 0xffff;
    uint32_t node = (parent + 1 + emq_random_below(EMQ_NODE_MAX)) % (EMQ_NODE_MAX + 1);
    uint64_t own = owner_of(node);
    if (atomic_compare_exchange_weak(&minter->owner, &seen, own))
      return node;
  }
  return seen & 0xffff;
}

emq_status emq_minter_next_at(emq_id *out, emq_minter *minter, const char *name_space,
                              size_t name_space_len, int64_t unix_ms, emq_error *err) {
  /* Refused here, before the cell: it never goes back, so one bad time would spoil all later ids.
   */
  if (unix_ms >= EMQ_ID_EPOCH_MS + (INT64_C(1) << 41))
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "the time %lld ms is past the ids' 41 bits",
                    (long long)unix_ms);
  int64_t ms = unix_ms < EMQ_ID_EPOCH_MS ? -1 : unix_ms - EMQ_ID_EPOCH_MS;
  uint64_t now = ms > 0 ? (uint64_t)ms << 12 : 0;
  uint64_t last = atomic_load(&minter->cell), next;
  if (ms < 0 && last == 0)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                    "the clock is before 2024-01-01, where the ids' time begins");
  do
    next = now > last ? now : last + 1;
  while (!atomic_compare_exchange_weak(&minter->cell, &last, next));

  uint64_t snowflake;
  emq_status status = emq_snowflake(&snowflake, (int64_t)(next >> 12) + EMQ_ID_EPOCH_MS,
                                    emq_minter_node(minter), next & EMQ_SEQUENCE_MAX, err);
  if (status != EMQ_OK)
    return status;
  return emq_id_encode(out, name_space, name_space_len, snowflake, err);
}

emq_status emq_minter_next(emq_id *out, emq_minter *minter, const char *name_space,
                           size_t name_space_len, emq_error *err) {
  return emq_minter_next_at(out, minter, name_space, name_space_len, emq_unix_ms(), err);
}
