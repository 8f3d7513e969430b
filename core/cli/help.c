/* SPDX-License-Identifier: MIT */
/* --help, from the tables. */
#include <stdio.h>
#include <string.h>

#include "cli/output.h"

static void print_options(const char *title, const cli_option *options) {
  if (!options->name)
    return;
  cli_out_format("\n%s:\n", title);
  for (; options->name; options++) {
    char left[64], letter[8] = "    ";
    if (options->letter)
      snprintf(letter, sizeof letter, "-%c, ", options->letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", letter, options->name, options->value ? " " : "",
             options->value ? options->value : "");
    cli_out_format("%-30s ", left);
    for (const char *at = options->help; *at; at++) { /* further lines stand below the first */
      cli_out(at, 1);
      if (*at == '\n')
        cli_out_format("%-31s", "");
    }
    cli_out_text("\n");
  }
}

static void print_command(const cli_command *command) {
  cli_out_format("usage: echomq %s%s%s%s%s\n\n%s\n", command->name,
                 command->queue ? " -q QUEUE" : "", command->options->name ? " [OPTION...]" : "",
                 *command->arguments ? " " : "", command->arguments, command->help);
  print_options("Options", command->options);
  print_options("Global options", cli_global_options);
}

static void print_summaries(const char *group) {
  for (const cli_command *command = cli_commands; command->name; command++) {
    size_t len = group ? strlen(group) : 0;
    if (!group || (strncmp(command->name, group, len) == 0 && command->name[len] == ' '))
      cli_out_format("  %-14s %s\n", command->name, command->summary);
  }
}

void cli_print_help(const char *group, const cli_command *command) {
  if (command) {
    print_command(command);
    return;
  }
  if (group) {
    cli_out_format("usage: echomq %s COMMAND [OPTION...] [ARGUMENT...]\n\n", group);
    print_summaries(group);
    cli_out_format("\nechomq %s COMMAND --help says more.\n", group);
    return;
  }
  cli_out_text("usage: echomq COMMAND [OPTION...] [ARGUMENT...]\n\n"
               "Works with EchoMQ job queues on Valkey and Redis.\n\nCommands:\n");
  print_summaries(NULL);
  print_options("Global options, before or after the command", cli_global_options);
  cli_out_text("\nEnvironment:\n"
               "  ECHOMQ_URL, ECHOMQ_QUEUE      stand in for --url and --queue\n"
               "  ECHOMQ_PASSWORD               the password, where no --password-file is given\n"
               "\nExit codes:\n"
               "  0  done\n"
               "  1  the answer is no: nothing to claim, job gone, duplicate, offenders found\n"
               "  2  the command line cannot be meant; nothing was sent\n"
               "  3  the server refused: stale token, other kind, other state, locked\n"
               "  4  no connection, a deadline passed, unknown outcome, a file or the output\n"
               "  5  the store speaks another wire, or the credentials do not do\n"
               "\nechomq COMMAND --help says more of a command; so does the page echomq(1).\n");
}
