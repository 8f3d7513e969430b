/* SPDX-License-Identifier: MIT */
#include "wire/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "wire/text.h"

static const emq_error_class classes[] = {
#define EMQ_ERROR_ROW(NAME, code, class_name, retriable, text)                                     \
  {EMQ_ERR_##NAME, #NAME, #class_name, retriable, text},
    EMQ_ERROR_MAP(EMQ_ERROR_ROW)
#undef EMQ_ERROR_ROW
};

size_t emq_error_class_count(void) { return sizeof classes / sizeof *classes; }

const emq_error_class *emq_error_class_at(size_t index) {
  return index < emq_error_class_count() ? &classes[index] : NULL;
}

const emq_error_class *emq_error_class_of(emq_status code) {
  for (size_t i = 0; i < emq_error_class_count(); i++)
    if (classes[i].code == code)
      return &classes[i];
  return NULL;
}

emq_status emq_fail(emq_error *err, emq_status code, const char *format, ...) {
  if (!err)
    return code;
  const emq_error_class *class = emq_error_class_of(code);
  char message[EMQ_ERROR_MESSAGE_MAX]; /* apart from `err`, which an argument may point into */
  va_list args;
  va_start(args, format);
  int wanted = vsnprintf(message, sizeof message, format, args);
  va_end(args);
  if (wanted < 0) /* the C library could not format it: the class is still worth saying */
    snprintf(message, sizeof message, "%s", class ? class->text : "");
  else if ((size_t)wanted >= sizeof message)
    message[emq_whole_characters(message, sizeof message - 1)] = '\0';
  *err = (emq_error)EMQ_ERROR_INIT;
  err->code = code;
  err->retriable = class && class->retriable;
  memcpy(err->message, message, sizeof message);
  return code;
}

const char *emq_quote(char *room, size_t room_size, const char *bytes, size_t len) {
  emq_printable(room, room_size, bytes, len, true);
  return room;
}
