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
Test(transitions, only_enqueue_and_reads_may_be_repeated) {
  static const emq_repeat repeats[EMQ_TRANSITIONS] = {
      [EMQ_T_ENQUEUE] = EMQ_REPEAT_WRITE,
      [EMQ_T_COUNTS] = EMQ_REPEAT_READ,
      [EMQ_T_STATE_LOOKUP] = EMQ_REPEAT_READ,
      [EMQ_T_ROW] = EMQ_REPEAT_READ,
  };
  for (int i = 0; i < EMQ_TRANSITIONS; i++)
    cr_assert_eq(row_of(i)->repeat, repeats[i], "%s", row_of(i)->name);
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

/* What sha1sum says about a file of the folder that the test runs in. */
static void sha1sum(char digest[41], const char *file) {
  char command[512];
  snprintf(command, sizeof command, "sha1sum -- '%s'", file);
  FILE *pipe = popen(command, "r");
  cr_assert_not_null(pipe);
  cr_assert_eq(fread(digest, 1, 40, pipe), 40, "%s gave no digest", command);
  digest[40] = '\0';
  cr_assert_eq(pclose(pipe), 0, "%s failed", command);
}

Test(transitions, embedded_scripts_are_the_files_with_their_digests) {
  cr_assert_eq(chdir(ECHOMQ_TEST_SCRIPTS), 0);
  for (size_t i = 0; i < emq_script_count; i++) {
    char path[256], digest[41];
    snprintf(path, sizeof path, "%s.lua", emq_scripts[i].name);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "no file %s", path);
    char *source = malloc(emq_scripts[i].source_len + 1);
    size_t len = fread(source, 1, emq_scripts[i].source_len + 1, file);
    fclose(file);
    cr_assert_eq(len, emq_scripts[i].source_len, "%s has another size", path);
    cr_assert_eq(memcmp(source, emq_scripts[i].source, len), 0, "%s has other bytes", path);
    free(source);
    sha1sum(digest, path);
    cr_assert_str_eq(emq_scripts[i].sha1, digest);
  }
}
