/* SPDX-License-Identifier: MIT */
/* Queue names, keys, hashtags, slots. */
#include <echomq/id.h>
#include <echomq/key.h>

#include "guard.h"
#include "vectors.h"

static const char ID[] = "JOB0KHTOWnGLuC";

static void same_bytes(emq_bytes got, const char *wanted) {
  cr_assert_eq(got.len, strlen(wanted), "%s", wanted);
  cr_assert_arr_eq(got.ptr, wanted, got.len, "%s", wanted);
}

/* ---- golden ---- */

Test(keys, golden_queue_keys) {
  json_t *root = vectors_read("keys.json");
  size_t index;
  json_t *entry;
  json_array_foreach(vectors_list(root, "queue_keys", 80), index, entry) {
    const char *queue = vectors_text(entry, "queue"), *type = vectors_text(entry, "type");
    char room[EMQ_KEY_MAX];
    size_t len;
    cr_assert_eq(
        emq_queue_key(room, sizeof room, &len, queue, strlen(queue), type, strlen(type), NULL),
        EMQ_OK);
    cr_assert_str_eq(room, vectors_text(entry, "key"));
    cr_assert_eq(len, strlen(room));
    same_bytes(emq_hashtag(room, len), vectors_text(entry, "hashtag"));
    cr_assert_eq(emq_slot(room, len), vectors_number(entry, "slot"));
  }
  json_decref(root);
}

Test(keys, golden_job_keys) {
  json_t *root = vectors_read("keys.json");
  size_t index;
  json_t *entry;
  json_array_foreach(vectors_list(root, "job_keys", 20), index, entry) {
    const char *queue = vectors_text(entry, "queue"), *id = vectors_text(entry, "id");
    char room[EMQ_KEY_MAX];
    size_t len;
    cr_assert_eq(emq_job_key(room, sizeof room, &len, queue, strlen(queue), id, strlen(id), NULL),
                 EMQ_OK);
    cr_assert_str_eq(room, vectors_text(entry, "key"));
    cr_assert_eq(emq_slot(room, len), vectors_number(entry, "slot"));
  }
  json_decref(root);
}

Test(keys, golden_slots) {
  json_t *root = vectors_read("keys.json");
  size_t index;
  json_t *entry;
  json_array_foreach(vectors_list(root, "slots", 13), index, entry) {
    const char *key = vectors_text(entry, "key");
    guarded input = guard(key, strlen(key));
    same_bytes(emq_hashtag(input.ptr, input.len), vectors_text(entry, "hashtag"));
    cr_assert_eq(emq_slot(input.ptr, input.len), vectors_number(entry, "slot"), "%s", key);
    unguard(&input);
  }
  json_decref(root);
}

Test(keys, golden_reserve) {
  json_t *root = vectors_read("keys.json");
  same_bytes(emq_version_key(), vectors_text(root, "version_key"));
  char room[64];
  size_t len;
  cr_assert_eq(emq_reserve_key(room, sizeof room, &len, "locks", 5, NULL), EMQ_OK);
  cr_assert_str_eq(room, vectors_text(root, "reserve_locks"));
  cr_assert_eq(emq_reserve_key(room, sizeof room, &len, "version", 7, NULL), EMQ_OK);
  same_bytes(emq_version_key(), room);
  json_decref(root);
}

/* ---- queue names ---- */

Test(keys, refused_queue_names_say_why) {
  char long_name[EMQ_QUEUE_NAME_MAX + 1];
  memset(long_name, 'q', sizeof long_name);
  const struct {
    const char *queue;
    size_t len;
    const char *message;
  } cases[] = {
      {"", 0, "queue name is empty"},
      {NULL, 0, "queue name is empty"},
      {NULL, 5, "queue name is empty"},
      {"a{b", 3, "queue name has a brace at byte 1"},
      {"abc}", 4, "queue name has a brace at byte 3"},
      {"}x", 2, "queue name has a brace at byte 0"},
      {"a\nb", 3, "queue name has a control byte (0x0a) at byte 1"},
      {"ab\0c", 4, "queue name has a control byte (0x00) at byte 2"},
      {"\x7f", 1, "queue name has a control byte (0x7f) at byte 0"},
      {long_name, sizeof long_name, "queue name has 513 bytes, at most 512 are allowed"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    emq_error error = EMQ_ERROR_INIT;
    cr_assert_eq(emq_queue_check(cases[i].queue, cases[i].len, &error), EMQ_ERR_INVALID_ARGUMENT);
    cr_assert_str_eq(error.message, cases[i].message);

    char room[EMQ_KEY_MAX] = "untouched";
    size_t len = 42;
    cr_assert_eq(
        emq_queue_key(room, sizeof room, &len, cases[i].queue, cases[i].len, "meta", 4, &error),
        EMQ_ERR_INVALID_ARGUMENT);
    cr_assert_str_eq(error.message, cases[i].message);
    cr_assert_eq(
        emq_job_key(room, sizeof room, &len, cases[i].queue, cases[i].len, ID, EMQ_ID_LEN, NULL),
        EMQ_ERR_INVALID_ARGUMENT);
    cr_assert_str_eq(room, "untouched");
    cr_assert_eq(len, 42);
  }
}

Test(keys, every_byte_in_a_queue_name) {
  for (unsigned byte = 0; byte < 256; byte++) {
    bool good = byte >= 0x20 && byte != 0x7f && byte != '{' && byte != '}';
    for (size_t place = 0; place < 3; place++) {
      char name[3] = {'a', 'b', 'c'};
      name[place] = (char)byte;
      guarded input = guard(name, sizeof name);
      cr_assert_eq(emq_queue_check(input.ptr, input.len, NULL),
                   good ? EMQ_OK : EMQ_ERR_INVALID_ARGUMENT, "0x%02x", byte);
      unguard(&input);
    }
  }
}

Test(keys, a_queue_name_may_have_1_to_512_bytes) {
  for (size_t len = 0; len <= EMQ_QUEUE_NAME_MAX + 2; len++) {
    guarded input = guard_room(len);
    memset(input.ptr, 0xe6, len);
    cr_assert_eq(emq_queue_check(input.ptr, len, NULL),
                 len >= 1 && len <= EMQ_QUEUE_NAME_MAX ? EMQ_OK : EMQ_ERR_INVALID_ARGUMENT, "%zu",
                 len);
    unguard(&input);
  }
}

/* ---- rooms ---- */

Test(keys, a_key_fits_its_room_to_the_byte) {
  const char wanted[] = "emq:{q}:job:JOB0KHTOWnGLuC";
  for (size_t size = 0; size <= sizeof wanted + 1; size++) {
    bool fits = size >= sizeof wanted;
    guarded room = guard_room(size);
    size_t len = 42;
    emq_error error = EMQ_ERROR_INIT;
    emq_status status = emq_job_key(room.ptr, size, &len, "q", 1, ID, EMQ_ID_LEN, &error);
    cr_assert_eq(status, fits ? EMQ_OK : EMQ_ERR_INVALID_ARGUMENT, "%zu", size);
    if (fits) {
      cr_assert_str_eq(room.ptr, wanted);
      cr_assert_eq(len, sizeof wanted - 1);
    } else {
      cr_assert(strstr(error.message, "does not fit into"), "%s", error.message);
      cr_assert_eq(len, 42);
    }
    unguard(&room);
  }
}

Test(keys, a_length_that_would_wrap_is_refused) {
  char room[EMQ_KEY_MAX];
  size_t len;
  cr_assert_eq(emq_queue_key(room, sizeof room, &len, "q", 1, "x", SIZE_MAX, NULL),
               EMQ_ERR_INVALID_ARGUMENT);
  cr_assert_eq(emq_queue_key(room, sizeof room, &len, "q", 1, "x", SIZE_MAX - 8, NULL),
               EMQ_ERR_INVALID_ARGUMENT);
  cr_assert_eq(emq_reserve_key(room, sizeof room, &len, "x", SIZE_MAX - 5, NULL),
               EMQ_ERR_INVALID_ARGUMENT);
}

Test(keys, EMQ_KEY_MAX_is_enough) {
  char queue[EMQ_QUEUE_NAME_MAX], type[3 + 512] = "de:";
  memset(queue, 'q', sizeof queue);
  memset(type + 3, 'd', sizeof type - 3);
  char room[EMQ_KEY_MAX];
  size_t len;
  cr_assert_eq(emq_queue_key(room, sizeof room, &len, queue, sizeof queue, type, sizeof type, NULL),
               EMQ_OK);
  cr_assert_eq(len, 5 + sizeof queue + 2 + sizeof type);
  cr_assert_eq(strlen(room), len);
}

Test(keys, the_type_is_taken_as_it_stands) {
  char room[64];
  size_t len;
  cr_assert_eq(emq_queue_key(room, sizeof room, &len, "q", 1, "de:\0{x}", 7, NULL), EMQ_OK);
  cr_assert_eq(len, 15);
  cr_assert_arr_eq(room, "emq:{q}:de:\0{x}", 16);
  cr_assert_eq(emq_queue_key(room, sizeof room, &len, "q", 1, NULL, 0, NULL), EMQ_OK);
  cr_assert_str_eq(room, "emq:{q}:");
}

Test(keys, a_job_key_is_made_of_a_valid_id_only) {
  char room[EMQ_KEY_MAX];
  size_t len;
  emq_error error = EMQ_ERROR_INIT;
  cr_assert_eq(emq_job_key(room, sizeof room, &len, "q", 1, ID, 13, &error),
               EMQ_ERR_INVALID_ARGUMENT);
  cr_assert_str_eq(error.message, "job id has 13 bytes, 14 expected");
  cr_assert_eq(emq_job_key(room, sizeof room, &len, "q", 1, "JOB0K}TOWnGLuC", 14, &error),
               EMQ_ERR_INVALID_ARGUMENT);
  cr_assert_str_eq(error.message, "job id: byte 5 (0x7d) is not a base62 digit");
}

/* ---- slots ---- */

/* CRC16-XMODEM bit by bit, straight from its definition. */
static uint32_t slot_of(const unsigned char *bytes, size_t len) {
  uint32_t crc = 0;
  for (size_t i = 0; i < len; i++) {
    crc ^= (uint32_t)bytes[i] << 8;
    for (int bit = 0; bit < 8; bit++)
      crc = crc & 0x8000 ? (crc << 1 ^ 0x1021) & 0xffff : crc << 1;
  }
  return crc % 16384;
}

Test(keys, slots_of_any_bytes) {
  uint64_t seed = 16384;
  for (int i = 0; i < 3000; i++) {
    size_t len = random_below(&seed, 40);
    guarded input = guard_room(len);
    for (size_t j = 0; j < len; j++) {
      unsigned char byte = (unsigned char)next_random(&seed);
      input.ptr[j] = byte % 8 == 0 ? '{' : byte % 8 == 1 ? '}' : (char)byte;
    }
    const unsigned char *tag = (unsigned char *)input.ptr;
    size_t tag_len = len, open = 0, close;
    while (open < len && input.ptr[open] != '{')
      open++;
    for (close = open + 1; close < len && input.ptr[close] != '}'; close++)
      ;
    if (close < len && close > open + 1) {
      tag += open + 1;
      tag_len = close - open - 1;
    }
    emq_bytes got = emq_hashtag(input.ptr, len);
    cr_assert_eq(got.ptr, (const char *)tag);
    cr_assert_eq(got.len, tag_len);
    cr_assert_eq(emq_slot(input.ptr, len), slot_of(tag, tag_len));
    unguard(&input);
  }
}

Test(keys, none_has_the_slot_of_nothing) {
  cr_assert_eq(emq_slot(NULL, 0), 0);
  cr_assert_eq(emq_hashtag(NULL, 0).len, 0);
}
