/* SPDX-License-Identifier: MIT */
#ifndef EMQ_CLIENT_CLOCK_H
#define EMQ_CLIENT_CLOCK_H

#include <stdint.h>

/* Milliseconds of a clock that never steps: for deadlines. */
int64_t emq_monotonic_ms(void);

/* Milliseconds since 1970: for minting. */
int64_t emq_unix_ms(void);

#endif
