/* SPDX-License-Identifier: MIT */
#include "wire/text.h"

#include <string.h>

/* The length of the UTF-8 character at the start of the bytes, and its code point; 0 when there is
 * no valid one (Unicode's table of well-formed sequences: nothing overlong, no surrogate, nothing
 * past U+10FFFF). */
static size_t character(uint32_t *point, const unsigned char *bytes, size_t len) {
  unsigned char lead = bytes[0];
  if (lead < 0x80) {
    *point = lead;
    return 1;
  }
  size_t size = lead >= 0xc2 && lead <= 0xdf   ? 2
                : lead >= 0xe0 && lead <= 0xef ? 3
                : lead >= 0xf0 && lead <= 0xf4 ? 4
                                               : 0;
  if (size == 0 || size > len)
    return 0;
  unsigned char low = 0x80, high = 0xbf; /* what the second byte may be */
  if (lead == 0xe0)
    low = 0xa0;
  else if (lead == 0xed)
    high = 0x9f;
  else if (lead == 0xf0)
    low = 0x90;
  else if (lead == 0xf4)
    high = 0x8f;
  if (bytes[1] < low || bytes[1] > high)
    return 0;
  uint32_t value = lead & (0x7fu >> size);
  for (size_t i = 1; i < size; i++) {
    if ((bytes[i] & 0xc0) != 0x80)
      return 0;
    value = value << 6 | (bytes[i] & 0x3f);
  }
  *point = value;
  return size;
}

static bool printable(uint32_t point, bool escape_quotes) {
  if (point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x2028 || point == 0x2029)
    return false;
  return !escape_quotes || (point != '"' && point != '\'' && point != '\\');
}

void emq_printable(char *room, size_t room_size, const char *bytes, size_t len,
                   bool escape_quotes) {
  static const char hex[] = "0123456789abcdef";
  if (room_size == 0)
    return;
  size_t used = 0;
  size_t whole = 0; /* the longest start that leaves room for the dots */
  for (size_t i = 0, taken; bytes && i < len; i += taken) {
    const unsigned char *at = (const unsigned char *)bytes + i;
    char escaped[4] = {'\\', 'x', hex[*at >> 4], hex[*at & 15]};
    const char *unit = (const char *)at;
    uint32_t point = 0;
    size_t unit_len = taken = character(&point, at, len - i);
    if (taken == 0 || !printable(point, escape_quotes)) {
      taken = 1; /* the rest of a longer character is invalid alone, and escaped in its turn */
      unit = escaped;
      unit_len = sizeof escaped;
    }
    if (unit_len >= room_size - used) {
      used = whole;
      for (size_t dots = 0; dots < 3 && used + 1 < room_size; dots++)
        room[used++] = '.';
      break;
    }
    memcpy(room + used, unit, unit_len);
    used += unit_len;
    if (room_size - used > 3)
      whole = used;
  }
  room[used] = '\0';
}

size_t emq_whole_characters(const char *text, size_t len) {
  size_t start = len;
  while (start > 0 && len - start < 4) {
    start--;
    unsigned char byte = (unsigned char)text[start];
    if ((byte & 0xc0) == 0x80)
      continue; /* inside a character: look for its lead */
    uint32_t point;
    bool whole = character(&point, (const unsigned char *)text + start, len - start) > 0;
    return whole ? len : start;
  }
  return len; /* no lead within reach: not UTF-8, cut anywhere */
}

bool emq_equal(emq_bytes bytes, const char *text) {
  size_t len = strlen(text);
  return bytes.len == len && (len == 0 || memcmp(bytes.ptr, text, len) == 0);
}
