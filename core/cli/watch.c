/* SPDX-License-Identifier: MIT */
/* watch: a queue's counts and their change, on a screen of its own or a line at a time. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/output.h"

enum { INTERVAL_MIN_MS = 100, INTERVAL_MAX_MS = 3600000, PATIENCE_MS = 1000 };

const cli_option cli_watch_options[] = {
    CLI_OPTION_SECONDS("interval", interval_ms, INTERVAL_MIN_MS, INTERVAL_MAX_MS,
                       "how long between two looks, 0.1 to 3600; 1 without it"),
    CLI_OPTION_NUMBER("count", 0, count, EMQ_NUMBER_MAX, "end after so many looks"),
    CLI_OPTIONS_END,
};

/* One look, and the one before it. */
typedef struct looks {
  emq_counts now, before;
  int64_t at_ms, before_ms; /* monotonic; before_ms 0: there is none */
  char trouble[EMQ_ERROR_MESSAGE_MAX];
} looks;

static double rate(const looks *l, int count) {
  if (l->before_ms == 0 || l->at_ms <= l->before_ms)
    return 0;
  return (double)(l->now.of[count] - l->before.of[count]) * 1000 /
         (double)(l->at_ms - l->before_ms);
}

static int64_t unix_ms(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail for this clock */
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- the screen ---- */

/* An alternate screen without cursor and line wrapping, so that what was there comes back. */
#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

static volatile int woken; /* the size has changed, or the tool is to stop or has gone on */
static volatile sig_atomic_t suspended;

static void on_resize(int number) {
  (void)number;
  woken = 1;
}

static void on_suspend(int number) {
  (void)number;
  suspended = 1;
  woken = 1;
}

static void handle(int number, void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  (void)sigaction(number, &action, NULL);
}

/* Ctrl-Z: the shell gets its own screen, and this one comes back with the process. */
static void suspend(void) {
  suspended = 0;
  cli_out_text(LEAVE);
  cli_out_flush();
  (void)raise(SIGSTOP);
  cli_out_text(ENTER);
}

static void draw(const cli *c, const looks *l) {
  struct winsize size = {0};
  char text[600];
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
    size.ws_row = 24;
  int rows = size.ws_row;
  time_t seconds = (time_t)(unix_ms() / 1000);
  struct tm local;
  cli_out_text("\033[H");
  if (localtime_r(&seconds, &local))
    cli_out_format("%02d:%02d:%02d  ", local.tm_hour, local.tm_min, local.tm_sec);
  cli_out_format("%s\033[K", cli_escape(text, sizeof text, c->queue, c->queue_len));
  int row = 1;
  if (rows >= EMQ_COUNTS + 4) {
    cli_out_format("\r\n\033[K\r\n%-12s %12s %12s\033[K", "", "jobs", "per second");
    row += 2;
  }
  for (int i = 0; i < EMQ_COUNTS && row < rows; i++, row++)
    cli_out_format("\r\n%-12s %12lld %+12.1f\033[K", emq_count_name((emq_count)i),
                   (long long)l->now.of[i], rate(l, i));
  if (l->trouble[0] && row < rows) {
    cli_escape(text, sizeof text, l->trouble, strlen(l->trouble));
    cli_out_format("\r\n%s\033[K", text);
    row++;
  }
  if (row + 1 < rows)
    cli_out_format("\r\n\033[K\r\nevery %g s; Ctrl-C ends\033[K",
                   (double)c->options.interval_ms / 1000);
  cli_out_text("\033[J");
  cli_out_flush();
}

/* ---- lines ---- */

static void print_line(const cli *c, const looks *l) {
  cli_record record;
  char name[32];
  cli_record_data(&record, c, CLI_PAIRS);
  cli_record_time(&record, "time", unix_ms());
  for (int i = 0; i < EMQ_COUNTS; i++)
    cli_record_number(&record, emq_count_name((emq_count)i), l->now.of[i]);
  for (int i = EMQ_COUNT_COMPLETED; i < EMQ_COUNTS; i++) {
    snprintf(name, sizeof name, "%s_per_second", emq_count_name((emq_count)i));
    cli_record_rate(&record, name, rate(l, i));
  }
  cli_record_end(&record);
  cli_out_flush();
}

/* ---- the loop ---- */

/* On a screen an error that may pass is shown, and the next look tries again. */
static cli_code look(cli *c, looks *l, bool screen) {
  emq_error err = EMQ_ERROR_INIT;
  emq_counts counts;
  emq_status status =
      emq_count_queue(&counts, c->client, c->queue, c->queue_len, EMQ_COUNTS_ALL, &err);
  l->trouble[0] = '\0';
  if (status == EMQ_OK) {
    l->before = l->now;
    l->before_ms = l->at_ms;
    l->now = counts;
    l->at_ms = cli_now_ms();
    return CLI_DONE;
  }
  if (cli_stopped())
    return CLI_DONE;
  if (!screen || !(err.retriable || status == EMQ_ERR_UNKNOWN_OUTCOME)) {
    if (screen) {
      cli_out_text(LEAVE);
      cli_out_flush();
    }
    return cli_failed(&err);
  }
  memcpy(l->trouble, err.message, sizeof l->trouble);
  return CLI_DONE;
}

static cli_code loop(cli *c, bool screen) {
  looks l = {0};
  int64_t next = cli_now_ms();
  cli_code code = CLI_DONE;
  for (int64_t done = 0; !cli_stopped() && cli_out_good();) {
    code = look(c, &l, screen);
    if (code != CLI_DONE || cli_stopped())
      break;
    if (!screen)
      print_line(c, &l);
    next += c->options.interval_ms;
    if (next < cli_now_ms()) /* a slow look: no burst afterwards */
      next = cli_now_ms() + c->options.interval_ms;
    bool last = ++done == c->options.count;
    do {
      woken = 0;
      if (suspended)
        suspend();
      if (screen) {
        draw(c, &l);
        cli_out_resume(); /* what a signal cut short is drawn anew, or wanted no more */
      }
      if (!last)
        cli_sleep_until(next, &woken);
    } while (woken && !cli_stopped());
    if (last)
      break;
  }
  return code;
}

cli_code cli_watch(cli *c) {
  bool screen = isatty(STDOUT_FILENO) && !c->options.json;
  if (screen)
    c->patience_ms = PATIENCE_MS; /* a server that is gone is soon told, and asked again */
  cli_code code = cli_connect(c);
  if (code != CLI_DONE)
    return code;
  /* Ctrl-C is the way to end it, and no accident. The second one has nothing more to end. */
  cli_catch_signals(false);
  if (screen) {
    handle(SIGWINCH, on_resize);
    handle(SIGTSTP, on_suspend);
    cli_out_text(ENTER);
  }
  code = loop(c, screen);
  if (screen && code == CLI_DONE) {
    cli_out_text(LEAVE);
    cli_out_flush();
  }
  return code;
}
