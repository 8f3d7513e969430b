/* SPDX-License-Identifier: MIT */
#ifndef EMQ_CLIENT_PLACES_H
#define EMQ_CLIENT_PLACES_H

/* What an inspection of one id says, and what should never be. Pure. */

#include <echomq/operator.h>

#include "wire/reply.h"

/* Reads the reply of the transition `inspect`. */
void emq_places_read(emq_place *out, const emq_reply *places);

/* Writes what is wrong with the id and gives true, or gives false for a sound one. `room` gets one
 * line that starts with the id. */
bool emq_places_offend(char *room, size_t room_size, emq_bytes id, const emq_reply *places);

#endif
