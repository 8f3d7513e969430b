/* SPDX-License-Identifier: MIT */
#ifndef ECHOMQ_ID_H
#define ECHOMQ_ID_H

/* Branded ids (the wire, section 4): three letters of namespace, then a 63-bit snowflake as eleven
 * base62 digits. Byte order is integer order is mint order inside one namespace. */

#include <echomq/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { EMQ_ID_LEN = 14, EMQ_NAMESPACE_LEN = 3, EMQ_NODE_MAX = 1023, EMQ_SEQUENCE_MAX = 4095 };

/* The first millisecond of the snowflake's clock: 2024-01-01T00:00:00Z in unix ms. */
#define EMQ_ID_EPOCH_MS INT64_C(1704067200000)

/* A branded id by value. `text` holds 14 valid bytes and a NUL; whoever got it from a function of
 * this library may rely on that. */
typedef struct emq_id {
  char text[EMQ_ID_LEN + 1];
} emq_id;

/* What a snowflake is made of. */
typedef struct emq_id_parts {
  uint64_t snowflake; /* 0 to 2^63-1 */
  int64_t unix_ms;    /* of the mint */
  uint32_t node;      /* 0 to 1023 */
  uint32_t sequence;  /* 0 to 4095 */
  uint32_t hash32;
} emq_id_parts;

/* Reads an id of any namespace: the host's gate. The message says which byte is wrong.
 * Returns EMQ_OK or EMQ_ERR_INVALID_ARGUMENT; `out` is written on EMQ_OK only. */
EMQ_API emq_status emq_id_parse(emq_id *out, const char *id, size_t id_len, emq_error *err);

/* Makes the id of a namespace and a snowflake.
 * Returns EMQ_OK or EMQ_ERR_INVALID_ARGUMENT (three letters A-Z; at most 2^63-1). */
EMQ_API emq_status emq_id_encode(emq_id *out, const char *name_space, size_t name_space_len,
                                 uint64_t snowflake, emq_error *err);

/* Takes an id apart.
 * Returns EMQ_OK or EMQ_ERR_INVALID_ARGUMENT; `out` is written on EMQ_OK only. */
EMQ_API emq_status emq_id_decode(emq_id_parts *out, const char *id, size_t id_len, emq_error *err);

/* Puts a snowflake together.
 * Returns EMQ_OK or EMQ_ERR_INVALID_ARGUMENT (a time outside the 41 bits, node, sequence). */
EMQ_API emq_status emq_snowflake(uint64_t *out, int64_t unix_ms, uint32_t node, uint32_t sequence,
                                 emq_error *err);

/* The 32-bit hash of a snowflake. Never fails. */
EMQ_API uint32_t emq_hash32(uint64_t snowflake);

#ifdef __cplusplus
}
#endif

#endif
