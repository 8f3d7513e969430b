/* SPDX-License-Identifier: MIT */
/* The `echomq` command-line tool: its commands, and what is the same around each of them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"

const cli_option cli_global_options[] = {
    CLI_OPTION_TEXT("url", 0, url, "URL",
                    "the server: redis://HOST:PORT/DB, valkey://..., or\n"
                    "unix:///PATH?db=N; else $ECHOMQ_URL, else\nredis://127.0.0.1:6379/0"),
    CLI_OPTION_TEXT("queue", 'q', queue, "NAME", "the queue; else $ECHOMQ_QUEUE"),
    CLI_OPTION_TEXT("user", 0, user, "NAME", "the server's user, before the one in the URL"),
    CLI_OPTION_TEXT("password-file", 0, password_file, "FILE",
                    "the file that holds the password; else\n$ECHOMQ_PASSWORD"),
    CLI_OPTION_FLAG("json", json,
                    "answers as JSON, one object a line; bytes that are\n"
                    "not UTF-8 are {\"base64\": \"...\"}"),
    CLI_OPTION_FLAG("quiet", quiet,
                    "no confirmations, no progress, no notes: errors, and\n"
                    "the data that claim, id, ls, show and stats give"),
    {"help", 'h', NULL, "this text, or a command's", CLI_FLAG, offsetof(cli_options, help), 0, 0},
    CLI_OPTION_FLAG("version", version, "the version"),
    CLI_OPTIONS_END,
};

const cli_command cli_commands[] = {
    {"enqueue", "[PAYLOAD]", "put jobs into a queue",
     "Puts a job into the queue: the argument, or with --file a file's bytes. With neither,\n"
     "standard input holds one payload a line (an empty line is an empty payload), sent in\n"
     "batches as the lines come. Prints the id of each job. With --id, a job that exists\n"
     "already is left as it is: exit code 1.",
     cli_enqueue_options, 0, 1, true, cli_enqueue},
    {"claim", "", "take the oldest waiting jobs",
     "Claims the oldest pending job, or up to --size of them, for the length of the lease.\n"
     "Prints a line for each: id, token, payload; in the payload, control characters,\n"
     "backslashes and what is not UTF-8 are written \\n, \\\\ and \\xNN. With --raw the payload's\n"
     "bytes alone go to standard output, and id and token to standard error.\n"
     "Exit code 1: nothing waits, or the queue is paused.",
     cli_claim_options, 0, 0, true, cli_claim},
    {"complete", "ID TOKEN", "settle a claimed job: done",
     "Completes a job by its id and the token of its claim. Exit code 1: the job is gone;\n"
     "3: the token is not the job's current one, or the job is not active.",
     cli_complete_options, 2, 2, true, cli_complete},
    {"retry", "ID TOKEN REASON", "settle a claimed job: failed, again later",
     "Says that a job failed and why. It comes back after the delay (\"scheduled\"), or, when it\n"
     "has been claimed --max times, is dead. Exit codes as for complete.",
     cli_retry_options, 3, 3, true, cli_retry},
    {"delay", "ID TOKEN", "put a claimed job off, no failure counted",
     "Puts a claimed job off by --delay, or to the time --at. Exit codes as for complete.",
     cli_delay_options, 2, 2, true, cli_delay},
    {"extend", "ID TOKEN", "lengthen a claimed job's lease",
     "Sets the lease to --lease from now. Exit codes as for complete.", cli_extend_options, 2, 2,
     true, cli_extend},
    {"ls", "[STATE]", "list jobs, newest first",
     "Lists the ids of the jobs that are pending, active, scheduled or dead. Without a STATE all\n"
     "four are listed, each line with the state and the id.",
     cli_ls_options, 0, 1, true, cli_ls},
    {"show", "ID", "all about one job",
     "Shows where the job is, what its id says, its row and its log. Exit code 1: there is none.",
     cli_no_options, 1, 1, true, cli_show},
    {"stats", "", "a queue's counts",
     "Prints how many jobs are pending, active, scheduled and dead, and how many have completed\n"
     "and failed since the queue is there.",
     cli_no_options, 0, 0, true, cli_stats},
    {"watch", "", "a live screen of a queue's counts and rates",
     "Shows the counts of stats and their change per second until Ctrl-C. Where standard output\n"
     "is no terminal, and with --json, a line is printed for each interval.",
     cli_watch_options, 0, 0, true, cli_watch},
    {"dead list", "", "list dead jobs, newest first, with their last error",
     "Prints a line for each dead job: id, attempts, last error.", cli_dead_list_options, 0, 0,
     true, cli_dead_list},
    {"dead requeue", "ID... | --all", "put dead jobs back into pending",
     "Gives dead jobs another life; their attempts stay. Exit code 1: a job is gone; 3: a job is\n"
     "not dead.",
     cli_dead_all_options, 0, INT32_MAX, true, cli_dead_requeue},
    {"dead purge", "ID... | --all", "delete dead jobs",
     "Deletes dead jobs with their rows and logs. A job that is not dead is refused (exit code\n"
     "3), as far as nobody requeues it in that very moment. Exit code 1: a job is gone.",
     cli_dead_all_options, 0, INT32_MAX, true, cli_dead_purge},
    {"pause", "", "stop handing out jobs",
     "While a queue is paused every claim finds it empty. Jobs that are out stay out.",
     cli_no_options, 0, 0, true, cli_pause},
    {"resume", "", "hand out jobs again", "Ends a pause. Harmless where there is none.",
     cli_no_options, 0, 0, true, cli_resume},
    {"drain", "", "delete what waits",
     "Deletes all pending jobs; with --scheduled the scheduled ones too. Active and dead jobs\n"
     "stay.",
     cli_drain_options, 0, 0, true, cli_drain},
    {"obliterate", "", "delete a queue and all its jobs",
     "Deletes a paused queue, whatever is in it. Asks on the terminal first; without a terminal\n"
     "--yes is needed. Exit code 1: the answer was not yes; 3: the queue is not paused, or has\n"
     "active jobs and --force was not given.",
     cli_obliterate_options, 0, 0, true, cli_obliterate},
    {"promote", "", "move scheduled jobs that are due to pending",
     "Workers do this by themselves; here it is done once. Prints how many were moved.",
     cli_promote_options, 0, 0, true, cli_promote},
    {"reap", "", "take back jobs whose lease has lapsed",
     "Puts up to 100 jobs whose lease has lapsed back to pending. Prints how many.", cli_no_options,
     0, 0, true, cli_reap},
    {"sweep", "", "the same, counting lapses; too many and a job is dead",
     "Puts jobs whose lease has lapsed back to pending, or, when it is a job's --max-th lapse,\n"
     "to the dead. Prints the ids of both.",
     cli_sweep_options, 0, 0, true, cli_sweep},
    {"check", "", "look for what should never be",
     "Judges every job of the queue: each must lie in exactly one set, agree with its row, and\n"
     "have one. Prints a line for each offender. Only reads. Exit code 1: there are offenders.",
     cli_no_options, 0, 0, true, cli_check},
    {"id decode", "ID...", "take ids apart (offline)",
     "Prints what branded ids of any namespace are made of.", cli_no_options, 1, INT32_MAX, false,
     cli_id_decode},
    {"id mint", "", "make new job ids (offline)",
     "Mints ids of the namespace JOB, for enqueue --id. $ECHOMQ_NODE gives the node's number.",
     cli_mint_options, 0, 0, false, cli_id_mint},
    {"server", "", "run a private server in the foreground",
     "Starts valkey-server, or redis-server where there is no other, on a unix socket in a\n"
     "temporary folder, and prints its URL. It saves nothing, and is gone with its folder on\n"
     "Ctrl-C or SIGTERM, or when the process that started it ends.",
     cli_server_options, 0, 0, false, cli_server},
    {NULL, NULL, NULL, NULL, NULL, 0, 0, false, NULL},
};

/* A closed standard descriptor would be given to the next file or socket, which then received the
 * tool's output. Each gets something that fails: to write to, or to read from. */
static void keep_descriptors(void) {
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

static cli_code find_queue(cli *c) {
  emq_error err = EMQ_ERROR_INIT;
  c->queue = c->options.queue;
  if (!c->queue)
    c->queue = getenv("ECHOMQ_QUEUE");
  if (!c->queue || (!*c->queue && !c->options.queue))
    return cli_usage("%s needs a queue: --queue NAME, or $ECHOMQ_QUEUE", c->command->name);
  c->queue_len = strlen(c->queue);
  return emq_queue_check(c->queue, c->queue_len, &err) == EMQ_OK ? CLI_DONE : cli_failed(&err);
}

static cli_code run(cli *c, int argc, char **argv) {
  cli_code code = cli_read_arguments(c, argc, argv);
  if (code != CLI_DONE || c->options.help)
    return code;
  if (c->options.version) {
    cli_out_format("echomq %s\n", emq_version());
    return CLI_DONE;
  }
  if (c->command->queue)
    code = find_queue(c);
  return code == CLI_DONE ? c->command->run(c) : code;
}

int main(int argc, char **argv) {
  cli c = {0};
  cli_options *o = &c.options;
  o->delay_ms = o->at_ms = o->max = o->limit = o->count = CLI_UNSET;
  o->lease_ms = 30000;
  o->interval_ms = 1000;
  o->size = o->number = 1;

  keep_descriptors();
  (void)signal(SIGPIPE, SIG_IGN);
  cli_catch_signals(true);
  c.args = calloc((size_t)argc + 1, sizeof *c.args);
  cli_code code = c.args ? run(&c, argc, argv) : CLI_TROUBLE;
  cli_progress_end();
  emq_client_free(c.client);
  free(c.args);
  code = cli_out_finish(code);
  if (code != CLI_INTERRUPTED)
    return (int)code;
  int number = cli_stopped();
  (void)signal(number, SIG_DFL);
  (void)raise(number);
  return 128 + number;
}
