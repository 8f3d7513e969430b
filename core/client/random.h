/* SPDX-License-Identifier: MIT */
#ifndef EMQ_CLIENT_RANDOM_H
#define EMQ_CLIENT_RANDOM_H

#include <stdint.h>

/* A random number from 0 to bound - 1, from the system's generator. `bound` is 1 or more. */
uint32_t emq_random_below(uint32_t bound);

#endif
