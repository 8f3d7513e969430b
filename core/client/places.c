/* SPDX-License-Identifier: MIT */
#include "client/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/error.h"
#include "wire/text.h"

/* The places that hold ids, and the state that a row there should have. */
static const struct {
  int at;
  emq_state state;
  const char *name;
} sets[] = {
    {EMQ_PLACE_PENDING, EMQ_STATE_PENDING, "pending"},
    {EMQ_PLACE_ACTIVE, EMQ_STATE_ACTIVE, "active"},
    {EMQ_PLACE_SCHEDULE, EMQ_STATE_SCHEDULED, "schedule"},
    {EMQ_PLACE_DEAD, EMQ_STATE_DEAD, "dead"},
    {EMQ_PLACE_LANE, EMQ_STATE_PENDING, "its lane"},
};
enum { SETS = sizeof sets / sizeof *sets };

static bool there(const emq_reply *places, int at) {
  return places->elements[at].type == EMQ_REPLY_IS_STRING;
}

static emq_bytes text(const emq_reply *places, int at) {
  const emq_reply *element = &places->elements[at];
  return there(places, at) ? (emq_bytes){element->text, element->len} : (emq_bytes){"", 0};
}

/* A score as whole milliseconds. Servers write large ones as plain digits, or with a fraction where
 * another speaker gave one; anything else is 0. */
static int64_t milliseconds(emq_bytes score) {
  int64_t value = 0;
  for (size_t i = 0; i < score.len && score.ptr[i] != '.'; i++) {
    int digit = score.ptr[i] - '0';
    if (digit < 0 || digit > 9 || value > (INT64_MAX - 9) / 10)
      return 0;
    value = value * 10 + digit;
  }
  return value;
}

void emq_places_read(emq_place *out, const emq_reply *places) {
  *out = (emq_place){EMQ_STATE_ABSENT, 0, 0};
  for (int i = SETS - 1; i >= 0; i--) {
    if (!there(places, sets[i].at))
      continue;
    out->sets++;
    out->state = sets[i].state;
    out->score_ms = milliseconds(text(places, sets[i].at));
  }
  if (out->sets == 0 && there(places, EMQ_PLACE_STATE))
    out->state = emq_equal(text(places, EMQ_PLACE_STATE), "awaiting_children")
                     ? EMQ_STATE_AWAITING_CHILDREN
                     : EMQ_STATE_UNKNOWN;
}

/* ---- offences ---- */

static bool is_integer(emq_bytes number) {
  size_t at = number.len > 0 && number.ptr[0] == '-' ? 1 : 0;
  if (at == number.len || number.len - at > 19)
    return false;
  for (; at < number.len; at++)
    if (number.ptr[at] < '0' || number.ptr[at] > '9')
      return false;
  return true;
}

/* "pending and dead". */
static void name_sets(char *room, size_t room_size, const emq_reply *places) {
  size_t used = 0;
  room[0] = '\0';
  for (int i = 0; i < SETS && used < room_size; i++)
    if (there(places, sets[i].at))
      used += (size_t)snprintf(room + used, room_size - used, "%s%s", used ? " and " : "",
                               sets[i].name);
}

bool emq_places_offend(char *room, size_t room_size, emq_bytes id, const emq_reply *places) {
  char quoted[128], where[64], state[64], attempts[64];
  emq_id valid;
  emq_place place;
  emq_places_read(&place, places);
  emq_quote(quoted, sizeof quoted, id.ptr, id.len);
  emq_bytes kind = text(places, EMQ_PLACE_TYPE);
  name_sets(where, sizeof where, places);
  emq_bytes own = text(places, EMQ_PLACE_STATE), tries = text(places, EMQ_PLACE_ATTEMPTS);
  emq_quote(state, sizeof state, own.ptr, own.len);
  emq_quote(attempts, sizeof attempts, tries.ptr, tries.len);
  bool row = !emq_equal(kind, "none");
  if (!row && place.sets == 0)
    return false; /* it has come and gone */
  if (emq_id_parse(&valid, id.ptr, id.len, NULL) != EMQ_OK ||
      memcmp(valid.text, "JOB", EMQ_NAMESPACE_LEN) != 0)
    snprintf(room, room_size, "%s: no job id%s%s", quoted, *where ? ", in " : "", where);
  else if (!row)
    snprintf(room, room_size, "%s: in %s, and has no row", quoted, where);
  else if (!emq_equal(kind, "hash"))
    snprintf(room, room_size, "%s: its row is a %.*s", quoted, (int)kind.len, kind.ptr);
  else if (place.sets > 1)
    snprintf(room, room_size, "%s: in %s", quoted, where);
  else if (place.sets == 0 && place.state != EMQ_STATE_AWAITING_CHILDREN)
    snprintf(room, room_size, "%s: in no set, and its row says \"%s\"", quoted, state);
  else if (!is_integer(tries))
    snprintf(room, room_size, "%s: its attempts are \"%s\", no number", quoted, attempts);
  else if (place.sets == 1 && !emq_equal(own, emq_state_name(place.state)))
    snprintf(room, room_size, "%s: in %s, and its row says \"%s\"", quoted, where, state);
  else
    return false;
  return true;
}
