/* SPDX-License-Identifier: MIT */
/* Records: each answer is written once, and comes out as JSON or as text. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/output.h"

/* ---- JSON ---- */

static json_t *base64(const char *bytes, size_t len) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *text = malloc(len / 3 * 4 + 5);
  if (!text)
    return NULL;
  size_t filled = 0;
  for (size_t at = 0; at < len; at += 3) {
    uint32_t group = 0;
    for (size_t i = 0; i < 3; i++)
      group = group << 8 | (at + i < len ? (unsigned char)bytes[at + i] : 0U);
    for (size_t i = 0; i < 4; i++)
      text[filled++] = at + i <= len ? digits[group >> (18 - 6 * i) & 63] : '=';
  }
  json_t *value = json_object();
  /* json_object_set_new takes NULL for a value that could not be made, and fails. */
  if (value && json_object_set_new(value, "base64", json_stringn_nocheck(text, filled)) != 0) {
    json_decref(value);
    value = NULL;
  }
  free(text);
  return value;
}

/* A string where the bytes are UTF-8, else {"base64": ...}. NULL: no memory. */
static json_t *of_bytes(emq_bytes value) {
  if (!value.ptr)
    return json_null();
  json_t *text = json_stringn(value.ptr, value.len);
  return text ? text : base64(value.ptr, value.len);
}

static void no_memory(void) {
  fputs("echomq: no memory\n", stderr);
  exit(CLI_TROUBLE);
}

static void set(json_t *object, const char *name, json_t *value) {
  if (json_object_set_new(object, name, value) != 0)
    no_memory();
}

/* ---- records ---- */

static void begin(cli_record *record, const cli *c, cli_style style, bool silent) {
  *record = (cli_record){c->options.json, silent, style, 0, NULL};
  if (record->json && !silent && !(record->object = json_object()))
    no_memory();
}

void cli_record_data(cli_record *record, const cli *c, cli_style style) {
  begin(record, c, style, false);
}

void cli_record_confirm(cli_record *record, const cli *c, cli_style style) {
  begin(record, c, style, c->options.quiet);
}

/* What comes before a value of text; with `value` NULL there is none to come. */
static void lead(cli_record *record, const char *name) {
  if (record->style == CLI_BLOCK)
    cli_out_format("%-10s ", name);
  else if (record->fields > 0)
    cli_out_text(" ");
  if (record->style == CLI_PAIRS)
    cli_out_format("%s=", name);
  record->fields++;
}

static void trail(const cli_record *record) {
  if (record->style == CLI_BLOCK)
    cli_out_text("\n");
}

void cli_record_bytes(cli_record *record, const char *name, emq_bytes value) {
  if (record->silent)
    return;
  if (record->json) {
    set(record->object, name, of_bytes(value));
    return;
  }
  lead(record, name);
  cli_out_escaped(value.ptr, value.len);
  trail(record);
}

void cli_record_text(cli_record *record, const char *name, const char *value) {
  cli_record_bytes(record, name, (emq_bytes){value, strlen(value)});
}

void cli_record_number(cli_record *record, const char *name, int64_t value) {
  if (record->silent)
    return;
  if (record->json) {
    set(record->object, name, json_integer(value));
    return;
  }
  lead(record, name);
  cli_out_format("%lld", (long long)value);
  trail(record);
}

void cli_record_rate(cli_record *record, const char *name, double value) {
  if (record->silent)
    return;
  if (record->json) {
    set(record->object, name, json_real(value));
    return;
  }
  lead(record, name);
  cli_out_format("%.1f", value);
  trail(record);
}

void cli_record_time(cli_record *record, const char *name, int64_t unix_ms) {
  if (record->silent)
    return;
  char room[64];
  if (record->json) {
    snprintf(room, sizeof room, "%s_ms", name);
    cli_record_number(record, room, unix_ms);
    return;
  }
  time_t seconds = (time_t)(unix_ms / 1000);
  struct tm parts;
  if (gmtime_r(&seconds, &parts))
    snprintf(room, sizeof room, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
             parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
             (int)(unix_ms % 1000));
  else
    snprintf(room, sizeof room, "%lld ms", (long long)unix_ms);
  cli_record_text(record, name, room);
}

void cli_record_list(cli_record *record, const char *name, const emq_list *list) {
  if (record->silent)
    return;
  json_t *array = record->json ? json_array() : NULL;
  size_t size = list ? emq_list_size(list) : 0;
  for (size_t i = 0; i < size; i++) {
    if (!record->json)
      cli_record_bytes(record, name, emq_list_text(list, i));
    else if (json_array_append_new(array, of_bytes(emq_list_text(list, i))) != 0)
      no_memory();
  }
  if (record->json)
    set(record->object, name, array);
}

/* A field's name is a key of JSON and so must be UTF-8: another is written with its escapes. */
void cli_record_row(cli_record *record, const char *name, const emq_row *row) {
  if (record->silent)
    return;
  json_t *fields = !record->json ? NULL : row ? json_object() : json_null();
  if (record->json && !fields)
    no_memory();
  size_t size = row ? emq_row_size(row) : 0;
  for (size_t i = 0; i < size; i++) {
    char room[512];
    emq_bytes field = emq_row_name(row, i);
    cli_escape(room, sizeof room - 1, field.ptr, field.len);
    if (record->json)
      set(fields, room, of_bytes(emq_row_value(row, i)));
    else
      cli_record_bytes(record, room, emq_row_value(row, i));
  }
  if (record->json)
    set(record->object, name, fields);
}

static int write_out(const char *bytes, size_t len, void *data) {
  (void)data;
  cli_out(bytes, len);
  return 0;
}

void cli_record_end(cli_record *record) {
  if (record->silent)
    return;
  if (record->json) {
    if (json_dump_callback(record->object, write_out, NULL,
                           JSON_COMPACT | JSON_REAL_PRECISION(6)) != 0)
      no_memory();
    json_decref(record->object);
  }
  if (record->json || record->style != CLI_BLOCK)
    cli_out_text("\n");
}
