/* SPDX-License-Identifier: MIT */
/* Branded ids: golden vectors, the gate byte by byte, bounds, order. */
#include <echomq/id.h>
#include <stdlib.h>

#include "guard.h"
#include "vectors.h"

static const uint64_t SNOWFLAKE_MAX = INT64_MAX;

Test(ids, golden_ids_read_and_write_alike) {
  json_t *root = vectors_read("ids.json");
  size_t index;
  json_t *entry;
  json_array_foreach(vectors_list(root, "valid", 50), index, entry) {
    const char *text = vectors_text(entry, "id");
    const char *name_space = vectors_text(entry, "namespace");
    uint64_t snowflake = strtoull(vectors_text(entry, "snowflake"), NULL, 10);
    long long unix_ms = vectors_number(entry, "unix_ms");
    uint32_t node = (uint32_t)vectors_number(entry, "node");
    uint32_t sequence = (uint32_t)vectors_number(entry, "sequence");
    uint32_t hash32 = (uint32_t)vectors_number(entry, "hash32");

    emq_id id;
    emq_error error = EMQ_ERROR_INIT;
    cr_assert_eq(emq_id_parse(&id, text, strlen(text), &error), EMQ_OK, "%s: %s", text,
                 error.message);
    cr_assert_str_eq(id.text, text);

    emq_id_parts parts;
    cr_assert_eq(emq_id_decode(&parts, text, strlen(text), NULL), EMQ_OK);
    cr_assert_eq(parts.snowflake, snowflake, "%s", text);
    cr_assert_eq(parts.unix_ms, unix_ms, "%s", text);
    cr_assert_eq(parts.node, node, "%s", text);
    cr_assert_eq(parts.sequence, sequence, "%s", text);
    cr_assert_eq(parts.hash32, hash32, "%s", text);
    cr_assert_eq(emq_hash32(snowflake), hash32, "%s", text);

    emq_id encoded;
    cr_assert_eq(emq_id_encode(&encoded, name_space, strlen(name_space), snowflake, NULL), EMQ_OK);
    cr_assert_str_eq(encoded.text, text);

    uint64_t composed;
    cr_assert_eq(emq_snowflake(&composed, unix_ms, node, sequence, NULL), EMQ_OK);
    cr_assert_eq(composed, snowflake, "%s", text);
  }
  json_decref(root);
}

Test(ids, golden_ill_formed_ids_are_refused) {
  json_t *root = vectors_read("ids.json");
  size_t index;
  json_t *entry;
  json_array_foreach(vectors_list(root, "invalid", 15), index, entry) {
    const char *hex = vectors_text(entry, "bytes_hex");
    char bytes[64];
    size_t len = strlen(hex) / 2;
    cr_assert_lt(len, sizeof bytes);
    for (size_t i = 0; i < len; i++) {
      unsigned byte;
      cr_assert_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
      bytes[i] = (char)byte;
    }
    guarded input = guard(bytes, len);
    emq_id id = {"untouched"};
    emq_id_parts parts = {.snowflake = 42};
    emq_error error = EMQ_ERROR_INIT;
    cr_assert_eq(emq_id_parse(&id, input.ptr, len, &error), EMQ_ERR_INVALID_ARGUMENT, "%s", hex);
    cr_assert_eq(error.code, EMQ_ERR_INVALID_ARGUMENT);
    cr_assert_neq(error.message[0], '\0');
    cr_assert_not(error.retriable);
    cr_assert_eq(emq_id_decode(&parts, input.ptr, len, NULL), EMQ_ERR_INVALID_ARGUMENT, "%s", hex);
    cr_assert_str_eq(id.text, "untouched");
    cr_assert_eq(parts.snowflake, 42);
    unguard(&input);
  }
  json_decref(root);
}

/* Which bytes may stand at a place of an id whose other digits are 0. */
static bool allowed(size_t place, unsigned byte) {
  bool letter = byte >= 'A' && byte <= 'Z';
  bool digit = (byte >= '0' && byte <= '9') || letter || (byte >= 'a' && byte <= 'z');
  if (place < EMQ_NAMESPACE_LEN)
    return letter;
  return place == EMQ_NAMESPACE_LEN ? digit && byte <= 'A' : digit; /* a lead above A overflows */
}

Test(ids, every_byte_at_every_place) {
  for (size_t place = 0; place < EMQ_ID_LEN; place++) {
    for (unsigned byte = 0; byte < 256; byte++) {
      char text[] = "JOB00000000000";
      text[place] = (char)byte;
      guarded input = guard(text, EMQ_ID_LEN);
      emq_id id;
      emq_status wanted = allowed(place, byte) ? EMQ_OK : EMQ_ERR_INVALID_ARGUMENT;
      cr_assert_eq(emq_id_parse(&id, input.ptr, EMQ_ID_LEN, NULL), wanted, "byte %zu 0x%02x", place,
                   byte);
      unguard(&input);
    }
  }
}

Test(ids, no_length_but_fourteen) {
  const char text[] = "JOB0KHTOWnGLuCJOB0KHTOWnGLuC";
  for (size_t len = 0; len < sizeof text; len++) {
    guarded input = guard(text, len);
    emq_id id;
    cr_assert_eq(emq_id_parse(&id, input.ptr, len, NULL),
                 len == EMQ_ID_LEN ? EMQ_OK : EMQ_ERR_INVALID_ARGUMENT, "%zu", len);
    unguard(&input);
  }
}

Test(ids, refusals_say_what_and_where) {
  static const struct {
    const char *id;
    size_t len;
    const char *message;
  } cases[] = {
      {"JOB0KHTOWnGLu", 13, "id has 13 bytes, 14 expected"},
      {"JOB0KHTOWnGLuCC", 15, "id has 15 bytes, 14 expected"},
      {"", 0, "id has 0 bytes, 14 expected"},
      {NULL, 14, "id is missing: 14 bytes expected"},
      {"job0KHTOWnGLuC", 14, "id: byte 0 (0x6a) is not a letter A-Z of a namespace"},
      {"JO00KHTOWnGLuC", 14, "id: byte 2 (0x30) is not a letter A-Z of a namespace"},
      {"JOB0K-TOWnGLuC", 14, "id: byte 5 (0x2d) is not a base62 digit"},
      {"JOB0KHTOWnGLu\0", 14, "id: byte 13 (0x00) is not a base62 digit"},
      {"JOB0KHTOWnGLu\xff", 14, "id: byte 13 (0xff) is not a base62 digit"},
      {"JOBAzL8n0Y58m8", 14, "id JOBAzL8n0Y58m8 is above 2^63-1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    emq_id id;
    emq_error error = EMQ_ERROR_INIT;
    cr_assert_eq(emq_id_parse(&id, cases[i].id, cases[i].len, &error), EMQ_ERR_INVALID_ARGUMENT);
    cr_assert_str_eq(error.message, cases[i].message);
  }
}

Test(ids, encoding_refuses_bad_namespaces_and_overflow) {
  static const struct {
    const char *name_space;
    size_t len;
    uint64_t snowflake;
    const char *message;
  } cases[] = {
      {"JO", 2, 0, "namespace has 2 bytes, 3 expected"},
      {"JOBS", 4, 0, "namespace has 4 bytes, 3 expected"},
      {NULL, 3, 0, "namespace has 0 bytes, 3 expected"},
      {"JoB", 3, 0, "namespace: byte 1 (0x6f) is not a letter A-Z of a namespace"},
      {"JOB", 3, UINT64_C(1) << 63, "snowflake 9223372036854775808 is above 2^63-1"},
      {"JOB", 3, UINT64_MAX, "snowflake 18446744073709551615 is above 2^63-1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    emq_id id = {"untouched"};
    emq_error error = EMQ_ERROR_INIT;
    cr_assert_eq(emq_id_encode(&id, cases[i].name_space, cases[i].len, cases[i].snowflake, &error),
                 EMQ_ERR_INVALID_ARGUMENT);
    cr_assert_str_eq(error.message, cases[i].message);
    cr_assert_str_eq(id.text, "untouched");
  }
}

Test(ids, snowflakes_stay_in_their_bits) {
  uint64_t last = SNOWFLAKE_MAX;
  int64_t end = EMQ_ID_EPOCH_MS + (INT64_C(1) << 41) - 1;
  uint64_t snowflake;
  cr_assert_eq(emq_snowflake(&snowflake, EMQ_ID_EPOCH_MS, 0, 0, NULL), EMQ_OK);
  cr_assert_eq(snowflake, 0);
  cr_assert_eq(emq_snowflake(&snowflake, end, EMQ_NODE_MAX, EMQ_SEQUENCE_MAX, NULL), EMQ_OK);
  cr_assert_eq(snowflake, last);

  static const struct {
    int64_t unix_ms;
    uint32_t node, sequence;
    const char *message;
  } cases[] = {
      {EMQ_ID_EPOCH_MS - 1, 0, 0, "time 1704067199999 ms is before the ids' epoch, 1704067200000"},
      {INT64_MIN, 0, 0, "time -9223372036854775808 ms is before the ids' epoch, 1704067200000"},
      {INT64_C(3903090455552), 0, 0,
       "time 3903090455552 ms is past the ids' 41 bits, which end at 3903090455551"},
      {INT64_MAX, 0, 0,
       "time 9223372036854775807 ms is past the ids' 41 bits, which end at 3903090455551"},
      {EMQ_ID_EPOCH_MS, 1024, 0, "node 1024 is above 1023"},
      {EMQ_ID_EPOCH_MS, 0, 4096, "sequence 4096 is above 4095"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    emq_error error = EMQ_ERROR_INIT;
    snowflake = 42;
    cr_assert_eq(
        emq_snowflake(&snowflake, cases[i].unix_ms, cases[i].node, cases[i].sequence, &error),
        EMQ_ERR_INVALID_ARGUMENT);
    cr_assert_str_eq(error.message, cases[i].message);
    cr_assert_eq(snowflake, 42);
  }
}

Test(ids, byte_order_is_integer_order_and_nothing_is_lost) {
  uint64_t seed = 62;
  emq_id last_id;
  uint64_t last = SNOWFLAKE_MAX;
  cr_assert_eq(emq_id_encode(&last_id, "JOB", 3, last, NULL), EMQ_OK);
  for (int i = 0; i < 20000; i++) {
    uint64_t snowflake = next_random(&seed) >> (1 + random_below(&seed, 63));
    emq_id id;
    emq_id_parts parts;
    cr_assert_eq(emq_id_encode(&id, "JOB", 3, snowflake, NULL), EMQ_OK);
    cr_assert_eq(emq_id_decode(&parts, id.text, EMQ_ID_LEN, NULL), EMQ_OK);
    cr_assert_eq(parts.snowflake, snowflake);
    int order = memcmp(id.text, last_id.text, EMQ_ID_LEN);
    cr_assert_eq(order < 0, snowflake < last);
    cr_assert_eq(order == 0, snowflake == last);
    last = snowflake;
    last_id = id;
  }
}
