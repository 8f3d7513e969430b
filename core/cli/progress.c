/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"

enum { SHOW_AFTER_MS = 300, EVERY_MS = 100, BAR = 30 };

static struct {
  bool on, shown;
  const char *what;
  int64_t total, started_ms, drawn_ms;
} bar;

void cli_progress_start(const cli *c, const char *what, int64_t total) {
  bar.on = !c->options.quiet && isatty(STDERR_FILENO);
  bar.shown = false;
  bar.what = what;
  bar.total = total;
  bar.started_ms = cli_now_ms();
  bar.drawn_ms = bar.started_ms + SHOW_AFTER_MS - EVERY_MS;
}

void cli_progress_at(int64_t done, int64_t jobs) {
  int64_t now = cli_now_ms();
  if (!bar.on || now - bar.drawn_ms < EVERY_MS)
    return;
  bar.drawn_ms = now;
  bar.shown = true;
  fputs("\r", stderr);
  if (bar.total > 0) {
    if (done > bar.total)
      done = bar.total;
    int filled = (int)((double)done / (double)bar.total * BAR);
    fputc('[', stderr);
    for (int i = 0; i < BAR; i++)
      fputc(i < filled ? '#' : '.', stderr);
    fprintf(stderr, "] %3d%% ", (int)((double)done / (double)bar.total * 100));
  }
  fprintf(stderr, "%lld jobs %s, %.0f/s\033[K", (long long)jobs, bar.what,
          (double)jobs * 1000 / (double)(now - bar.started_ms + 1));
  fflush(stderr);
}

void cli_progress_hide(void) {
  if (bar.shown)
    fputs("\r\033[K", stderr);
  bar.shown = false;
}

void cli_progress_end(void) {
  cli_progress_hide();
  bar.on = false;
}
