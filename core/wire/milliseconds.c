/* SPDX-License-Identifier: MIT */
#include <echomq/options.h>
#include <inttypes.h>
#include <stdio.h>

#include "wire/error.h"

enum { NUMBER_ROOM = 32 };

/* A number of seconds as text, without a locale's decimal point: "31536000", "0.001". It is given
 * as a whole number of parts, of which `digits` decimal places make a second. */
static const char *text_of(char room[NUMBER_ROOM], int64_t parts, int digits) {
  uint64_t second = 1;
  for (int i = 0; i < digits; i++)
    second *= 10;
  uint64_t size = parts < 0 ? 0 - (uint64_t)parts : (uint64_t)parts;
  uint64_t fraction = size % second;
  for (; digits > 0 && fraction % 10 == 0; digits--)
    fraction /= 10;
  int used = snprintf(room, NUMBER_ROOM, "%s%" PRIu64, parts < 0 ? "-" : "", size / second);
  if (digits == 0)
    return room;
  room[used++] = '.';
  room[used + digits] = '\0';
  for (; digits > 0; fraction /= 10)
    room[used + --digits] = (char)('0' + fraction % 10);
  return room;
}

static const char *text_of_ms(char room[NUMBER_ROOM], int64_t ms) { return text_of(room, ms, 3); }

/* What a caller gave: as it is where microseconds will do, else its size in powers of ten. */
static const char *text_of_seconds(char room[NUMBER_ROOM], double seconds) {
  if (seconds != seconds)
    return "NaN";
  double us = seconds * 1e6 + (seconds < 0 ? -0.5 : 0.5);
  if (us > -9.2e18 && us < 9.2e18 && (double)(int64_t)us / 1e6 == seconds)
    return text_of(room, (int64_t)us, 6);
  snprintf(room, NUMBER_ROOM, "%.0e", seconds); /* no digit after the point, so no point */
  return room;
}

emq_status emq_milliseconds(int64_t *out, double seconds, int64_t min_ms, int64_t max_ms,
                            const char *what, emq_error *err) {
  double ms = seconds * 1000;
  bool fits = ms > -9.2e18 && ms < 9.2e18; /* false for NaN */
  if (fits) {
    int64_t whole = (int64_t)ms;
    /* Asked in seconds, since the product may be off in its last bit: 0.07 s are 70 ms, though
     * 0.07 * 1000 lies above 70. */
    if ((double)whole / 1000 < seconds)
      whole++;
    bool below = whole < min_ms || (seconds < 0 && min_ms >= 0);
    if (!below && whole <= max_ms) {
      *out = whole;
      return EMQ_OK;
    }
  }
  char given[NUMBER_ROOM], low[NUMBER_ROOM], high[NUMBER_ROOM];
  return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "%s is %s s, %s to %s are allowed", what,
                  text_of_seconds(given, seconds), text_of_ms(low, min_ms),
                  text_of_ms(high, max_ms));
}
