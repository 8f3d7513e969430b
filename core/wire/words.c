/* SPDX-License-Identifier: MIT */
#include <echomq/version.h>
#include <echomq/wire.h>

#include "wire/error.h"
#include "wire/text.h"

/* A name by number; NULL past the end. Enums are signed or not as the compiler likes: through
 * size_t a negative number is past the end too. */
#define NAME_OF(names, number)                                                                     \
  ((size_t)(number) < sizeof names / sizeof *names ? names[(size_t)(number)] : NULL)

const char *emq_outcome_name(emq_outcome outcome) {
  static const char *const names[] = {
      [EMQ_OUTCOME_NONE] = "none",           [EMQ_OUTCOME_ENQUEUED] = "enqueued",
      [EMQ_OUTCOME_DUPLICATE] = "duplicate", [EMQ_OUTCOME_CLAIMED] = "claimed",
      [EMQ_OUTCOME_EMPTY] = "empty",         [EMQ_OUTCOME_DONE] = "done",
      [EMQ_OUTCOME_GONE] = "gone",           [EMQ_OUTCOME_SCHEDULED] = "scheduled",
      [EMQ_OUTCOME_DEAD] = "dead",
  };
  return NAME_OF(names, outcome);
}

const char *emq_state_name(emq_state state) {
  static const char *const names[] = {
      [EMQ_STATE_ABSENT] = "absent",   [EMQ_STATE_PENDING] = "pending",
      [EMQ_STATE_ACTIVE] = "active",   [EMQ_STATE_SCHEDULED] = "scheduled",
      [EMQ_STATE_DEAD] = "dead",       [EMQ_STATE_AWAITING_CHILDREN] = "awaiting_children",
      [EMQ_STATE_UNKNOWN] = "unknown",
  };
  return NAME_OF(names, state);
}

emq_status emq_state_parse(emq_state *out, const char *name, size_t name_len, emq_error *err) {
  emq_bytes given = {name, name ? name_len : 0};
  for (int state = EMQ_STATE_PENDING; state <= EMQ_STATE_DEAD; state++) {
    if (emq_equal(given, emq_state_name((emq_state)state))) {
      *out = (emq_state)state;
      return EMQ_OK;
    }
  }
  char quoted[64];
  return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                  "\"%s\" is no state with a set: there are pending, active, scheduled and dead",
                  emq_quote(quoted, sizeof quoted, given.ptr, given.len));
}

const char *emq_count_name(emq_count count) {
  static const char *const names[EMQ_COUNTS] = {
      [EMQ_COUNT_PENDING] = "pending",     [EMQ_COUNT_ACTIVE] = "active",
      [EMQ_COUNT_SCHEDULE] = "schedule",   [EMQ_COUNT_DEAD] = "dead",
      [EMQ_COUNT_COMPLETED] = "completed", [EMQ_COUNT_FAILED] = "failed",
  };
  return NAME_OF(names, count);
}

emq_status emq_count_parse(emq_count *out, const char *name, size_t name_len, emq_error *err) {
  emq_bytes given = {name, name ? name_len : 0};
  for (int count = 0; count < EMQ_COUNTS; count++) {
    if (emq_equal(given, emq_count_name((emq_count)count))) {
      *out = (emq_count)count;
      return EMQ_OK;
    }
  }
  char quoted[64];
  return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                  "\"%s\" is no count: there are pending, active, schedule, dead, completed and "
                  "failed",
                  emq_quote(quoted, sizeof quoted, given.ptr, given.len));
}

const char *emq_version(void) { return ECHOMQ_VERSION; }
