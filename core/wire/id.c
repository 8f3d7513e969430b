/* SPDX-License-Identifier: MIT */
#include <echomq/id.h>
#include <inttypes.h>
#include <string.h>

#include "wire/error.h"
#include "wire/gate.h"

enum { DIGITS = EMQ_ID_LEN - EMQ_NAMESPACE_LEN, TIME_SHIFT = 22, NODE_SHIFT = 12 };

static const char alphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
static const char last_digits[] = "AzL8n0Y58m7"; /* 2^63-1; the alphabet is in byte order */

static const uint64_t snowflake_max = INT64_MAX;
static const int64_t time_max = (INT64_C(1) << 41) - 1; /* ms since the epoch */

/* The value of a base62 digit; -1 for another byte. */
static int digit(unsigned char byte) {
  if (byte >= '0' && byte <= '9')
    return byte - '0';
  if (byte >= 'A' && byte <= 'Z')
    return byte - 'A' + 10;
  if (byte >= 'a' && byte <= 'z')
    return byte - 'a' + 36;
  return -1;
}

static emq_status check_namespace(const char *what, const char *letters, emq_error *err) {
  for (unsigned i = 0; i < EMQ_NAMESPACE_LEN; i++) {
    unsigned char byte = (unsigned char)letters[i];
    if (byte < 'A' || byte > 'Z')
      return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                      "%s: byte %u (0x%02x) is not a letter A-Z of a namespace", what, i, byte);
  }
  return EMQ_OK;
}

emq_status emq_id_gate(const char *what, const char *id, size_t id_len, emq_error *err) {
  if (!id)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "%s is missing: %d bytes expected", what,
                    EMQ_ID_LEN);
  if (id_len != EMQ_ID_LEN)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "%s has %zu bytes, %d expected", what, id_len,
                    EMQ_ID_LEN);
  emq_status status = check_namespace(what, id, err);
  if (status != EMQ_OK)
    return status;
  for (unsigned i = EMQ_NAMESPACE_LEN; i < EMQ_ID_LEN; i++)
    if (digit((unsigned char)id[i]) < 0)
      return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "%s: byte %u (0x%02x) is not a base62 digit",
                      what, i, (unsigned char)id[i]);
  if (memcmp(id + EMQ_NAMESPACE_LEN, last_digits, DIGITS) > 0)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "%s %.*s is above 2^63-1", what, EMQ_ID_LEN, id);
  return EMQ_OK;
}

emq_status emq_id_parse(emq_id *out, const char *id, size_t id_len, emq_error *err) {
  emq_status status = emq_id_gate("id", id, id_len, err);
  if (status != EMQ_OK)
    return status;
  memcpy(out->text, id, EMQ_ID_LEN);
  out->text[EMQ_ID_LEN] = '\0';
  return EMQ_OK;
}

emq_status emq_id_encode(emq_id *out, const char *name_space, size_t name_space_len,
                         uint64_t snowflake, emq_error *err) {
  size_t len = name_space ? name_space_len : 0;
  if (len != EMQ_NAMESPACE_LEN)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "namespace has %zu bytes, %d expected", len,
                    EMQ_NAMESPACE_LEN);
  emq_status status = check_namespace("namespace", name_space, err);
  if (status != EMQ_OK)
    return status;
  if (snowflake > snowflake_max)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "snowflake %" PRIu64 " is above 2^63-1",
                    snowflake);
  memcpy(out->text, name_space, EMQ_NAMESPACE_LEN);
  for (int i = EMQ_ID_LEN - 1; i >= EMQ_NAMESPACE_LEN; i--) {
    out->text[i] = alphabet[snowflake % 62];
    snowflake /= 62;
  }
  out->text[EMQ_ID_LEN] = '\0';
  return EMQ_OK;
}

emq_status emq_id_decode(emq_id_parts *out, const char *id, size_t id_len, emq_error *err) {
  emq_status status = emq_id_gate("id", id, id_len, err);
  if (status != EMQ_OK)
    return status;
  uint64_t snowflake = 0; /* cannot overflow: the gate has bounded the digits */
  for (int i = EMQ_NAMESPACE_LEN; i < EMQ_ID_LEN; i++)
    snowflake = snowflake * 62 + (uint64_t)digit((unsigned char)id[i]);
  out->snowflake = snowflake;
  out->unix_ms = EMQ_ID_EPOCH_MS + (int64_t)(snowflake >> TIME_SHIFT);
  out->node = (uint32_t)(snowflake >> NODE_SHIFT) & EMQ_NODE_MAX;
  out->sequence = (uint32_t)snowflake & EMQ_SEQUENCE_MAX;
  out->hash32 = emq_hash32(snowflake);
  return EMQ_OK;
}

emq_status emq_snowflake(uint64_t *out, int64_t unix_ms, uint32_t node, uint32_t sequence,
                         emq_error *err) {
  if (unix_ms < EMQ_ID_EPOCH_MS)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                    "time %" PRId64 " ms is before the ids' epoch, %" PRId64, unix_ms,
                    EMQ_ID_EPOCH_MS);
  if (unix_ms - EMQ_ID_EPOCH_MS > time_max)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                    "time %" PRId64 " ms is past the ids' 41 bits, which end at %" PRId64, unix_ms,
                    EMQ_ID_EPOCH_MS + time_max);
  if (node > EMQ_NODE_MAX)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "node %" PRIu32 " is above %d", node,
                    EMQ_NODE_MAX);
  if (sequence > EMQ_SEQUENCE_MAX)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "sequence %" PRIu32 " is above %d", sequence,
                    EMQ_SEQUENCE_MAX);
  *out =
      (uint64_t)(unix_ms - EMQ_ID_EPOCH_MS) << TIME_SHIFT | (uint64_t)node << NODE_SHIFT | sequence;
  return EMQ_OK;
}

uint32_t emq_hash32(uint64_t snowflake) {
  uint64_t h = snowflake;
  h ^= h >> 33;
  h *= UINT64_C(0xFF51AFD7ED558CCD);
  h ^= h >> 33;
  return (uint32_t)h;
}
