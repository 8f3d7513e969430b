/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_H
#define CLI_CLI_H

/* What every file of the tool shares: commands, their options, exit codes, the connection. */

#include <echomq/echomq.h>

/* How the tool ends; --help and echomq.1 list them. INTERRUPTED is turned into the death by the
 * signal that came. */
typedef enum cli_code {
  CLI_DONE = 0,
  CLI_NO = 1,      /* the answer is "no": nothing to claim, gone, duplicate, offenders found */
  CLI_USAGE = 2,   /* the command line cannot be meant; nothing was sent */
  CLI_REFUSED = 3, /* the server refused: stale, kind, state, locked, wrong type */
  CLI_TROUBLE = 4, /* no connection, a deadline, an unknown outcome, a file, the output */
  CLI_BARRED = 5,  /* the fence, the credentials, the permissions */
  CLI_INTERRUPTED = 256,
} cli_code;

/* What the options of all commands set; each command has those of its table alone. Numbers that
 * were not given are CLI_UNSET, texts NULL. */
enum { CLI_UNSET = -1 };

typedef struct cli_options {
  const char *url, *queue, *user, *password_file;
  bool json, quiet, help, version;

  const char *file, *id, *result, *kind;
  int64_t delay_ms, at_ms, lease_ms, interval_ms;
  int64_t size, max, limit, count, number;
  bool raw, all, yes, force, scheduled;
} cli_options;

typedef enum cli_kind { CLI_FLAG, CLI_TEXT, CLI_SECONDS, CLI_NUMBER } cli_kind;

/* One option: `offset` is its field in cli_options, a bool, a text or an int64_t by `kind`; seconds
 * are kept as milliseconds, and `min` and `max` are in those. A table ends with a name of NULL. */
typedef struct cli_option {
  const char *name;
  char letter;
  const char *value; /* what --help calls its value; NULL for a flag */
  const char *help;
  cli_kind kind;
  size_t offset;
  int64_t min, max;
} cli_option;

typedef struct cli cli;

/* One command. `name` has two words where a group has several ("dead purge"). */
typedef struct cli_command {
  const char *name;
  const char *arguments; /* for the synopsis, or "" */
  const char *summary;   /* one line */
  const char *help;      /* a paragraph or more */
  const cli_option *options;
  int min_args, max_args;
  bool queue; /* it needs a queue's name */
  cli_code (*run)(cli *c);
} cli_command;

/* One run of the tool. */
struct cli {
  const cli_command *command;
  cli_options options;
  const char **args; /* what follows the command and is no option */
  int arg_count;
  emq_client *client;
  int64_t patience_ms; /* for connecting; 0: the library's default */
  const char *queue;   /* checked */
  size_t queue_len;
};

/* The table of commands, in the order of --help; ends with a name of NULL. */
extern const cli_command cli_commands[];
extern const cli_option cli_global_options[];
extern const cli_option cli_no_options[];

/* Reads the command line. CLI_DONE: c->command is set, or --help or --version was asked for. */
cli_code cli_read_arguments(cli *c, int argc, char **argv);

/* A whole number in plain decimal digits; it complains of anything else. */
bool cli_read_number(int64_t *out, const char *text, int64_t min, int64_t max, const char *what);

/* Prints the help of the tool, of a group such as "dead", or of a command. */
void cli_print_help(const char *group, const cli_command *command);

/* The arguments ID and TOKEN at their place; they complain. */
bool cli_read_id(cli *c, int at);
bool cli_read_token(cli *c, int at, int64_t *token);

/* Opens the connection. Every argument has been checked by then. */
cli_code cli_connect(cli *c);

/* Says what failed and gives the exit code for it. Of an interruption it says nothing. */
cli_code cli_failed(const emq_error *err);
cli_code cli_code_of(emq_status status);

/* ---- signals ---- */

/* Catches SIGINT, SIGTERM and SIGHUP. With `once`, the second one ends the process at once: for
 * commands that leave nothing to tidy up. */
void cli_catch_signals(bool once);

/* The signal that came, or 0. */
int cli_stopped(void);

/* Sleeps until `until_ms` of cli_now_ms, a signal to stop, or one that `*woken` tells of (NULL:
 * none), whichever is first; at most 100 ms late for a signal. */
void cli_sleep_until(int64_t until_ms, const volatile int *woken);
int64_t cli_now_ms(void);

/* ---- the commands: one file per group ---- */

extern const cli_option cli_enqueue_options[], cli_claim_options[], cli_complete_options[],
    cli_retry_options[], cli_delay_options[], cli_extend_options[], cli_ls_options[],
    cli_dead_list_options[], cli_dead_all_options[], cli_watch_options[], cli_drain_options[],
    cli_obliterate_options[], cli_promote_options[], cli_sweep_options[], cli_mint_options[],
    cli_server_options[];

cli_code cli_enqueue(cli *c); /* enqueue.c */
cli_code cli_claim(cli *c);   /* settle.c */
cli_code cli_complete(cli *c);
cli_code cli_retry(cli *c);
cli_code cli_delay(cli *c);
cli_code cli_extend(cli *c);
cli_code cli_ls(cli *c); /* look.c */
cli_code cli_show(cli *c);
cli_code cli_stats(cli *c);
cli_code cli_check(cli *c);
cli_code cli_watch(cli *c);     /* watch.c */
cli_code cli_dead_list(cli *c); /* dead.c */
cli_code cli_dead_requeue(cli *c);
cli_code cli_dead_purge(cli *c);
cli_code cli_pause(cli *c); /* operate.c */
cli_code cli_resume(cli *c);
cli_code cli_drain(cli *c);
cli_code cli_obliterate(cli *c);
cli_code cli_promote(cli *c);
cli_code cli_reap(cli *c);
cli_code cli_sweep(cli *c);
cli_code cli_id_decode(cli *c); /* ids.c */
cli_code cli_id_mint(cli *c);
cli_code cli_server(cli *c); /* server.c */

/* How the tables of options are written. */
#define CLI_OPTION_FLAG(name, field, help)                                                         \
  { name, 0, NULL, help, CLI_FLAG, offsetof(cli_options, field), 0, 0 }
#define CLI_OPTION_TEXT(name, letter, field, value, help)                                          \
  { name, letter, value, help, CLI_TEXT, offsetof(cli_options, field), 0, 0 }
#define CLI_OPTION_SECONDS(name, field, min, max, help)                                            \
  { name, 0, "SECONDS", help, CLI_SECONDS, offsetof(cli_options, field), min, max }
#define CLI_OPTION_NUMBER(name, letter, field, max, help)                                          \
  { name, letter, "N", help, CLI_NUMBER, offsetof(cli_options, field), 1, max }
#define CLI_OPTIONS_END                                                                            \
  { NULL, 0, NULL, NULL, CLI_FLAG, 0, 0, 0 }

#endif
