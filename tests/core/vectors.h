/* SPDX-License-Identifier: MIT */
#ifndef EMQ_TESTS_VECTORS_H
#define EMQ_TESTS_VECTORS_H

/* The golden data of tests/conformance/vectors. */

#include <criterion/criterion.h>
#include <jansson.h>

/* Reads a file; the caller gives it back with json_decref. */
static inline json_t *vectors_read(const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/vectors/%s", ECHOMQ_TEST_DATA, name);
  json_error_t error;
  json_t *root = json_load_file(path, 0, &error);
  cr_assert_not_null(root, "%s: %s", path, error.text);
  return root;
}

/* A list of at least `least` cases: an empty file must not pass for a good one. */
static inline json_t *vectors_list(json_t *root, const char *name, size_t least) {
  json_t *list = json_object_get(root, name);
  cr_assert(json_is_array(list), "%s is no list", name);
  cr_assert_geq(json_array_size(list), least, "%s has %zu cases", name, json_array_size(list));
  return list;
}

static inline const char *vectors_text(const json_t *entry, const char *name) {
  const char *text = json_string_value(json_object_get(entry, name));
  cr_assert_not_null(text, "a case has no text %s", name);
  return text;
}

static inline long long vectors_number(const json_t *entry, const char *name) {
  const json_t *number = json_object_get(entry, name);
  cr_assert(json_is_integer(number), "a case has no number %s", name);
  return json_integer_value(number);
}

#endif
