/* SPDX-License-Identifier: MIT */
#include <echomq/id.h>
#include <echomq/key.h>
#include <string.h>

#include "wire/error.h"
#include "wire/gate.h"

emq_status emq_queue_check(const char *queue, size_t queue_len, emq_error *err) {
  if (!queue || queue_len == 0)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "queue name is empty");
  if (queue_len > EMQ_QUEUE_NAME_MAX)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                    "queue name has %zu bytes, at most %d are allowed", queue_len,
                    EMQ_QUEUE_NAME_MAX);
  for (size_t i = 0; i < queue_len; i++) {
    unsigned char byte = (unsigned char)queue[i];
    if (byte == '{' || byte == '}')
      return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "queue name has a brace at byte %zu", i);
    if (byte < 0x20 || byte == 0x7f)
      return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                      "queue name has a control byte (0x%02x) at byte %zu", byte, i);
  }
  return EMQ_OK;
}

/* ---- composing ---- */

/* Writes the pieces one after another, and a NUL. */
static emq_status compose(char *room, size_t room_size, size_t *len, const emq_bytes *pieces,
                          size_t count, emq_error *err) {
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    size_t piece_len = pieces[i].ptr ? pieces[i].len : 0;
    if (piece_len >= room_size - used) /* the NUL wants a byte: `used` stays below room_size */
      return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "a key does not fit into %zu bytes",
                      room_size);
    if (piece_len > 0)
      memcpy(room + used, pieces[i].ptr, piece_len);
    used += piece_len;
  }
  room[used] = '\0';
  *len = used;
  return EMQ_OK;
}

emq_status emq_queue_key(char *room, size_t room_size, size_t *len, const char *queue,
                         size_t queue_len, const char *type, size_t type_len, emq_error *err) {
  emq_status status = emq_queue_check(queue, queue_len, err);
  if (status != EMQ_OK)
    return status;
  const emq_bytes pieces[] = {{"emq:{", 5}, {queue, queue_len}, {"}:", 2}, {type, type_len}};
  return compose(room, room_size, len, pieces, 4, err);
}

emq_status emq_job_key(char *room, size_t room_size, size_t *len, const char *queue,
                       size_t queue_len, const char *id, size_t id_len, emq_error *err) {
  emq_status status = emq_queue_check(queue, queue_len, err);
  if (status == EMQ_OK)
    status = emq_id_gate("job id", id, id_len, err);
  if (status != EMQ_OK)
    return status;
  const emq_bytes pieces[] = {{"emq:{", 5}, {queue, queue_len}, {"}:job:", 6}, {id, id_len}};
  return compose(room, room_size, len, pieces, 4, err);
}

emq_status emq_reserve_key(char *room, size_t room_size, size_t *len, const char *name,
                           size_t name_len, emq_error *err) {
  const emq_bytes pieces[] = {{"{emq}:", 6}, {name, name_len}};
  return compose(room, room_size, len, pieces, 2, err);
}

emq_bytes emq_version_key(void) { return (emq_bytes){"{emq}:version", 13}; }

/* ---- slots ---- */

emq_bytes emq_hashtag(const char *key, size_t key_len) {
  emq_bytes whole = {key, key ? key_len : 0};
  const char *open = whole.len > 0 ? memchr(key, '{', whole.len) : NULL;
  if (!open)
    return whole;
  const char *tag = open + 1;
  size_t rest = whole.len - (size_t)(tag - key);
  const char *close = rest > 0 ? memchr(tag, '}', rest) : NULL;
  return close && close > tag ? (emq_bytes){tag, (size_t)(close - tag)} : whole;
}

/* CRC16-XMODEM, half a byte at a time: the sixteen remainders are all that it takes. */
static uint32_t crc16(emq_bytes bytes) {
  static const uint16_t remainders[16] = {0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5,
                                          0x60c6, 0x70e7, 0x8108, 0x9129, 0xa14a, 0xb16b,
                                          0xc18c, 0xd1ad, 0xe1ce, 0xf1ef};
  uint32_t crc = 0;
  for (size_t i = 0; i < bytes.len; i++) {
    unsigned char byte = (unsigned char)bytes.ptr[i];
    crc = (crc << 4 & 0xffff) ^ remainders[crc >> 12 ^ byte >> 4];
    crc = (crc << 4 & 0xffff) ^ remainders[crc >> 12 ^ (byte & 15)];
  }
  return crc;
}

uint32_t emq_slot(const char *key, size_t key_len) {
  return crc16(emq_hashtag(key, key_len)) % EMQ_SLOTS;
}
