/* SPDX-License-Identifier: MIT */
#include "wire/transition.h"

#include <string.h>

#define EMQ_KEYS(...)                                                                              \
  { __VA_ARGS__ }
#define EMQ_ARGS(...)                                                                              \
  { __VA_ARGS__ }
#define EMQ_NO_KEYS                                                                                \
  { EMQ_KEY_NONE }
#define EMQ_NO_ARGS                                                                                \
  { EMQ_ARG_NONE }
#define NONE_IF_EMPTY(text) (sizeof(text) > 1 ? (text) : NULL)

static const emq_transition_row rows[EMQ_TRANSITIONS] = {
#define EMQ_TRANSITION(NAME, name, script, command, keys, args, reply, repeat)                     \
  {#name, NONE_IF_EMPTY(#script), command, keys, args, reply, repeat},
#include "wire/transitions.def"
};

const emq_transition_row *emq_transition_row_of(emq_transition transition) {
  return (size_t)transition < EMQ_TRANSITIONS ? &rows[transition] : NULL;
}

const emq_script *emq_script_of(emq_transition transition) {
  const emq_transition_row *row = emq_transition_row_of(transition);
  if (!row || !row->script)
    return NULL;
  for (size_t i = 0; i < emq_script_count; i++)
    if (strcmp(emq_scripts[i].name, row->script) == 0)
      return &emq_scripts[i];
  return NULL;
}
