/* SPDX-License-Identifier: MIT */
/* Reads a command line by the tables: the global options anywhere, a command's own after it. */
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"

const cli_option cli_no_options[] = {CLI_OPTIONS_END};

/* ---- values ---- */

bool cli_read_number(int64_t *out, const char *text, int64_t min, int64_t max, const char *what) {
  int64_t value = 0;
  bool good = text[0] != '\0';
  for (const char *at = text; good && *at; at++) {
    int digit = *at - '0';
    good = digit >= 0 && digit <= 9 && value <= (INT64_MAX - digit) / 10;
    value = good ? value * 10 + digit : value;
  }
  if (good && value >= min && value <= max) {
    *out = value;
    return true;
  }
  cli_complain("%s is \"%.100s\": a whole number from %lld to %lld is needed", what, text,
               (long long)min, (long long)max);
  return false;
}

/* Digits, and maybe a point with digits behind it: nothing else that strtod would take. */
static bool is_decimal(const char *text) {
  size_t whole = strspn(text, "0123456789");
  if (whole == 0 || text[whole] == '\0')
    return whole > 0;
  size_t fraction = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
  return fraction > 0 && text[whole + 1 + fraction] == '\0';
}

static bool read_seconds(int64_t *out, const char *text, const cli_option *option) {
  emq_error err = EMQ_ERROR_INIT;
  if (!is_decimal(text)) {
    cli_complain("--%s is \"%.100s\": seconds are needed, such as 90 or 0.25", option->name, text);
    return false;
  }
  /* No locale was set: strtod reads a point. What overflows becomes infinite and is refused. */
  if (emq_milliseconds(out, strtod(text, NULL), option->min, option->max, option->name, &err) ==
      EMQ_OK)
    return true;
  cli_complain("--%s", err.message);
  return false;
}

static bool set(cli_options *options, const cli_option *option, const char *value) {
  void *field = (char *)options + option->offset;
  char what[40] = "--";
  strncat(what, option->name, sizeof what - 3);
  switch (option->kind) {
  case CLI_FLAG:
    *(bool *)field = true;
    return true;
  case CLI_TEXT:
    *(const char **)field = value;
    return true;
  case CLI_SECONDS:
    return read_seconds(field, value, option);
  case CLI_NUMBER:
    return cli_read_number(field, value, option->min, option->max, what);
  }
  return false;
}

/* ---- options ---- */

static const cli_option *find(const cli_option *table, const char *name, size_t len, char letter) {
  for (; table->name; table++)
    if (letter ? table->letter == letter
               : strlen(table->name) == len && memcmp(table->name, name, len) == 0)
      return table;
  return NULL;
}

/* Reads the option at argv[*at], and its value behind it. */
static cli_code read_option(cli *c, int argc, char **argv, int *at) {
  const char *text = argv[*at], *value = NULL;
  const cli_option *own = c->command ? c->command->options : cli_no_options;
  size_t len = strcspn(text, "=");
  bool is_long = text[1] == '-';
  const cli_option *option =
      find(cli_global_options, text + 2, is_long ? len - 2 : 0, is_long ? '\0' : text[1]);
  if (!option)
    option = find(own, text + 2, is_long ? len - 2 : 0, is_long ? '\0' : text[1]);
  if (!option && c->command)
    return cli_usage("%s has no option %.100s: see echomq %s --help", c->command->name, text,
                     c->command->name);
  if (!option)
    return cli_usage("there is no option %.100s before a command: see echomq --help", text);
  if (is_long && text[len] == '=')
    value = text + len + 1;
  else if (!is_long && text[2])
    value = text + 2;
  if (option->kind == CLI_FLAG && value)
    return cli_usage("--%s takes no value", option->name);
  if (option->kind != CLI_FLAG && !value) {
    if (*at + 1 >= argc)
      return cli_usage("--%s needs a value: %s", option->name, option->value);
    value = argv[++*at];
  }
  return set(&c->options, option, value) ? CLI_DONE : CLI_USAGE;
}

/* ---- commands ---- */

static const cli_command *find_command(const char *first, const char *second) {
  for (const cli_command *command = cli_commands; command->name; command++) {
    size_t len = strlen(first);
    if (strncmp(command->name, first, len) != 0)
      continue;
    if (second ? command->name[len] == ' ' && strcmp(command->name + len + 1, second) == 0
               : command->name[len] == '\0')
      return command;
  }
  return NULL;
}

static bool is_group(const char *word) {
  size_t len = strlen(word);
  for (const cli_command *command = cli_commands; command->name; command++)
    if (strncmp(command->name, word, len) == 0 && command->name[len] == ' ')
      return true;
  return false;
}

/* A word that is no option: the command's name, or an argument of it. */
static cli_code read_word(cli *c, const char **group, const char *word) {
  if (c->command) {
    c->args[c->arg_count++] = word;
    return CLI_DONE;
  }
  if (!*group && is_group(word)) {
    *group = word;
    return CLI_DONE;
  }
  c->command = *group ? find_command(*group, word) : find_command(word, NULL);
  if (c->command)
    return CLI_DONE;
  return cli_usage("there is no command \"%s%s%.100s\": see echomq%s%s --help",
                   *group ? *group : "", *group ? " " : "", word, *group ? " " : "",
                   *group ? *group : "");
}

static cli_code check_count(const cli *c) {
  const cli_command *command = c->command;
  if (c->arg_count < command->min_args)
    return cli_usage("%s needs more arguments: echomq %s %s", command->name, command->name,
                     command->arguments);
  if (c->arg_count > command->max_args)
    return cli_usage("%s has no place for the argument \"%.100s\": see echomq %s --help",
                     command->name, c->args[command->max_args], command->name);
  return CLI_DONE;
}

cli_code cli_read_arguments(cli *c, int argc, char **argv) {
  const char *group = NULL;
  bool options = true;
  for (int at = 1; at < argc; at++) {
    const char *word = argv[at];
    cli_code code = CLI_DONE;
    if (options && strcmp(word, "--") == 0)
      options = false;
    else if (options && word[0] == '-' && word[1] != '\0')
      code = read_option(c, argc, argv, &at);
    else
      code = read_word(c, &group, word);
    if (code != CLI_DONE)
      return code;
  }
  if (c->options.help) {
    cli_print_help(group, c->command);
    return CLI_DONE;
  }
  if (c->options.version)
    return CLI_DONE;
  if (!c->command && group)
    return cli_usage("%s what? See echomq %s --help", group, group);
  if (!c->command)
    return cli_usage("a command is needed: see echomq --help");
  return check_count(c);
}
