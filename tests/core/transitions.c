/* SPDX-License-Identifier: MIT */
/* The table and the scripts belong to each other, and the digests are right. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/transition.h"

static const emq_transition_row *row_of(int transition) {
  return emq_transition_row_of((emq_transition)transition);
}

static const emq_script *script_named(const char *name) {
  for (size_t i = 0; i < emq_script_count; i++)
    if (strcmp(emq_scripts[i].name, name) == 0)
      return &emq_scripts[i];
  return NULL;
}

static bool script_has_a_row(const char *name) {
  for (int i = 0; i < EMQ_TRANSITIONS; i++)
    if (row_of(i)->script && strcmp(row_of(i)->script, name) == 0)
      return true;
  return false;
}

Test(transitions, a_rows_name_is_its_enumerator_in_lower_case) {
  static const char *const enumerators[] = {
#define EMQ_TRANSITION(NAME, ...) #NAME,
#include "wire/transitions.def"
  };
  for (int i = 0; i < EMQ_TRANSITIONS; i++) {
    char lower[64] = "";
    cr_assert_lt(strlen(enumerators[i]), sizeof lower);
    for (size_t j = 0; enumerators[i][j]; j++)
      lower[j] = (char)tolower((unsigned char)enumerators[i][j]);
    cr_assert_str_eq(row_of(i)->name, lower);
  }
}

Test(transitions, rows_are_whole) {
  for (int i = 0; i < EMQ_TRANSITIONS; i++) {
    const emq_transition_row *row = row_of(i);
    cr_assert(row->script || row->command, "%s runs nothing", row->name);
    if (i != EMQ_T_SCAN_ROWS)
      cr_assert_neq(row->keys[0], EMQ_KEY_NONE, "%s has no key", row->name);
    if (row->script && row->command)
      cr_assert_eq(strncmp(row->command, "EMQ.", 4), 0, "%s: %s", row->name, row->command);
    for (int other = 0; other < i; other++)
      cr_assert_str_neq(row_of(other)->name, row->name);
  }
  cr_assert_null(row_of(EMQ_TRANSITIONS));
  cr_assert_null(row_of(-1));
  cr_assert_null(emq_script_of(EMQ_TRANSITIONS));
}

/* Sent twice, a claim takes two jobs, and a settlement answers otherwise the second time. */
Test(transitions, what_is_never_sent_twice) {
  static const emq_transition never[] = {
      EMQ_T_CLAIM,       EMQ_T_BCLAIM,        EMQ_T_COMPLETE,
      EMQ_T_RETRY,       EMQ_T_DELAY,         EMQ_T_COMPLETE_CHILD,
      EMQ_T_ADD_LOG,     EMQ_T_SWEEP_STALLED, EMQ_T_COMPLETE_FOREIGN_CHILD,
      EMQ_T_RETRY_CHILD, EMQ_T_REMOVE_JOB,    EMQ_T_RETRY_FOREIGN_CHILD,
      EMQ_T_REPROCESS,   EMQ_T_DRAIN,         EMQ_T_DRAIN_SCHEDULED,
      EMQ_T_OBLITERATE,
  };
  size_t found = 0;
  for (int i = 0; i < EMQ_TRANSITIONS; i++)
    found += row_of(i)->repeat == EMQ_REPEAT_NEVER;
  cr_assert_eq(found, sizeof never / sizeof *never);
  for (size_t i = 0; i < found; i++)
    cr_assert_eq(row_of(never[i])->repeat, EMQ_REPEAT_NEVER, "%s", row_of(never[i])->name);
}

Test(transitions, every_row_with_a_script_has_it_embedded) {
  for (int i = 0; i < EMQ_TRANSITIONS; i++) {
    const emq_script *script = emq_script_of((emq_transition)i);
    if (!row_of(i)->script) {
      cr_assert_null(script, "%s", row_of(i)->name);
      continue;
    }
    cr_assert_not_null(script, "%s has no script %s", row_of(i)->name, row_of(i)->script);
    cr_assert_str_eq(script->name, row_of(i)->script);
  }
}

Test(transitions, every_script_file_belongs_to_a_row_and_is_embedded) {
  DIR *folder = opendir(ECHOMQ_TEST_SCRIPTS);
  cr_assert_not_null(folder, "no folder %s", ECHOMQ_TEST_SCRIPTS);
  size_t files = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    char name[256];
    size_t len = strlen(entry->d_name);
    if (len <= 4 || strcmp(entry->d_name + len - 4, ".lua") != 0)
      continue;
    snprintf(name, sizeof name, "%.*s", (int)(len - 4), entry->d_name);
    cr_assert(script_has_a_row(name), "%s belongs to no row", entry->d_name);
    cr_assert_not_null(script_named(name), "%s is not embedded", entry->d_name);
    files++;
  }
  closedir(folder);
  cr_assert_gt(files, 0);
  cr_assert_eq(files, emq_script_count);
}

/* The files that a script is made of, for a shell in the scripts' folder: `include/a.lua x.lua`. */
static void files_of(char *files, size_t size, const char *name) {
  char path[128], head[4096];
  snprintf(path, sizeof path, "%s.lua", name);
  FILE *file = fopen(path, "rb");
  cr_assert_not_null(file, "no file %s", path);
  head[fread(head, 1, sizeof head - 1, file)] = '\0';
  fclose(file);
  size_t used = 0;
  char *line = strstr(head, "\n-- include ");
  if (line) {
    line += strlen("\n-- include ");
    line[strcspn(line, "\n")] = '\0';
    for (char *include = strtok(line, ", "); include; include = strtok(NULL, ", "))
      used += (size_t)snprintf(files + used, size - used, "include/%s.lua ", include);
  }
  snprintf(files + used, size - used, "%s", path);
}

/* What a command prints, up to `size` bytes. */
static size_t output_of(char *out, size_t size, const char *command) {
  FILE *pipe = popen(command, "r");
  cr_assert_not_null(pipe);
  size_t len = fread(out, 1, size, pipe);
  cr_assert_eq(pclose(pipe), 0, "%s failed", command);
  return len;
}

Test(transitions, embedded_scripts_are_the_files_with_their_digests) {
  cr_assert_eq(chdir(ECHOMQ_TEST_SCRIPTS), 0);
  for (size_t i = 0; i < emq_script_count; i++) {
    char files[256], command[512], digest[41] = "";
    files_of(files, sizeof files, emq_scripts[i].name);
    static char source[1 << 16];
    snprintf(command, sizeof command, "cat %s", files);
    size_t len = output_of(source, sizeof source, command);
    cr_assert_eq(len, emq_scripts[i].source_len, "%s has another size", files);
    cr_assert_eq(memcmp(source, emq_scripts[i].source, len), 0, "%s has other bytes", files);
    snprintf(command, sizeof command, "cat %s | sha1sum | cut -c 1-40", files);
    output_of(digest, 40, command);
    cr_assert_str_eq(emq_scripts[i].sha1, digest);
  }
}
