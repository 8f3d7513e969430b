/* SPDX-License-Identifier: MIT */
#include "client/posix.h"

#include "client/random.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

uint32_t emq_random_below(uint32_t bound) {
  uint32_t value;
  if (getrandom(&value, sizeof value, GRND_NONBLOCK) != (ssize_t)sizeof value) {
    /* Only before the kernel has gathered entropy at boot: who we are and when must do. */
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    value = (uint32_t)now.tv_nsec * 2654435761u ^ (uint32_t)getpid() << 16 ^ (uint32_t)now.tv_sec;
  }
  return value % bound;
}
