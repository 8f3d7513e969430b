/* SPDX-License-Identifier: MIT */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"

static volatile sig_atomic_t stopped;

static void on_signal(int number) { stopped = number; }

int cli_stopped(void) { return stopped; }

/* What was ignored from the start stays ignored: nohup, and jobs in a shell's background. */
static void handle(int number, int flags) {
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = flags; /* no SA_RESTART: what blocks is to end */
  sigemptyset(&action.sa_mask);
  if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
    (void)sigaction(number, &action, NULL);
}

void cli_catch_signals(bool once) {
  int flags = once ? (int)SA_RESETHAND : 0;
  handle(SIGINT, flags);
  handle(SIGTERM, flags);
  handle(SIGHUP, flags);
}

int64_t cli_now_ms(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void cli_sleep_until(int64_t until_ms, const volatile int *woken) {
  for (int64_t left; !stopped && !(woken && *woken) && (left = until_ms - cli_now_ms()) > 0;)
    (void)poll(NULL, 0, left < 100 ? (int)left : 100);
}
