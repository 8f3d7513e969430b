/* SPDX-License-Identifier: MIT */
/* The minter: monotone whatever the clock does, distinct across threads and forks. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <echomq/minter.h>

static const int64_t NOW = EMQ_ID_EPOCH_MS + INT64_C(70000000000);

static emq_id mint_at(emq_minter *minter, int64_t ms) {
  emq_id id;
  emq_error error = EMQ_ERROR_INIT;
  cr_assert_eq(emq_minter_next_at(&id, minter, "JOB", 3, ms, &error), EMQ_OK, "%s", error.message);
  return id;
}

static emq_id_parts parts_of(const emq_id *id) {
  emq_id_parts parts;
  cr_assert_eq(emq_id_decode(&parts, id->text, EMQ_ID_LEN, NULL), EMQ_OK);
  return parts;
}

Test(minter, the_4097th_id_borrows_from_the_next_millisecond) {
  emq_minter *minter;
  cr_assert_eq(emq_minter_new(&minter, 5, NULL), EMQ_OK);
  for (uint32_t i = 0; i < 4096; i++) {
    emq_id id = mint_at(minter, NOW);
    emq_id_parts parts = parts_of(&id);
    cr_assert_eq(parts.unix_ms, NOW);
    cr_assert_eq(parts.sequence, i);
    cr_assert_eq(parts.node, 5);
  }
  emq_id next = mint_at(minter, NOW);
  cr_assert_eq(parts_of(&next).unix_ms, NOW + 1);
  cr_assert_eq(parts_of(&next).sequence, 0);
  emq_minter_free(minter);
}

Test(minter, a_clock_that_steps_back_repeats_nothing) {
  static const int64_t steps[] = {0, 1, -1, -5000, 3, 3, -3600000, 2, INT64_MIN / 2};
  emq_minter *minter;
  cr_assert_eq(emq_minter_new(&minter, 0, NULL), EMQ_OK);
  emq_id last = mint_at(minter, NOW);
  for (size_t i = 0; i < 900; i++) {
    emq_id id = mint_at(minter, NOW + steps[i % 9]);
    cr_assert_gt(strcmp(id.text, last.text), 0);
    last = id;
  }
  emq_minter_free(minter);
}

Test(minter, times_outside_the_41_bits) {
  emq_minter *minter;
  emq_id id;
  cr_assert_eq(emq_minter_new(&minter, 0, NULL), EMQ_OK);
  cr_assert_eq(emq_minter_next_at(&id, minter, "JOB", 3, EMQ_ID_EPOCH_MS - 1, NULL),
               EMQ_ERR_INVALID_ARGUMENT);
  cr_assert_eq(emq_minter_next_at(&id, minter, "JOB", 3, INT64_MAX, NULL),
               EMQ_ERR_INVALID_ARGUMENT);
  cr_assert_eq(
      emq_minter_next_at(&id, minter, "JOB", 3, EMQ_ID_EPOCH_MS + (INT64_C(1) << 41), NULL),
      EMQ_ERR_INVALID_ARGUMENT);
  /* A time that was refused leaves nothing behind. */
  emq_id good = mint_at(minter, NOW);
  cr_assert_eq(parts_of(&good).unix_ms, NOW);
  cr_assert_eq(emq_minter_next_at(&id, minter, "job", 3, NOW, NULL), EMQ_ERR_INVALID_ARGUMENT);
  cr_assert_eq(emq_minter_next_at(&id, minter, "JOBS", 4, NOW, NULL), EMQ_ERR_INVALID_ARGUMENT);
  emq_minter_free(minter);
}

Test(minter, where_the_node_comes_from) {
  emq_minter *minter;
  emq_error error = EMQ_ERROR_INIT;
  cr_assert_eq(emq_minter_new(&minter, 1024, &error), EMQ_ERR_INVALID_ARGUMENT);
  cr_assert_eq(emq_minter_new(&minter, -2, &error), EMQ_ERR_INVALID_ARGUMENT);
  setenv("ECHOMQ_NODE", "1023", 1);
  cr_assert_eq(emq_minter_new(&minter, -1, &error), EMQ_OK);
  cr_assert_eq(emq_minter_node(minter), 1023);
  emq_minter_free(minter);
  cr_assert_eq(emq_minter_new(&minter, 7, &error), EMQ_OK);
  cr_assert_eq(emq_minter_node(minter), 7);
  emq_minter_free(minter);
  static const char *const bad[] = {"1024", "-1", "x", "1 ", "99999999999999999999"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    setenv("ECHOMQ_NODE", bad[i], 1);
    cr_assert_eq(emq_minter_new(&minter, -1, &error), EMQ_ERR_INVALID_ARGUMENT, "%s", bad[i]);
    cr_assert_not_null(strstr(error.message, "ECHOMQ_NODE"));
  }
  unsetenv("ECHOMQ_NODE");
  cr_assert_eq(emq_minter_new(&minter, -1, &error), EMQ_OK);
  cr_assert_leq(emq_minter_node(minter), 1023);
  emq_minter_free(minter);
}

Test(minter, a_forks_child_takes_another_node) {
  emq_minter *minter;
  cr_assert_eq(emq_minter_new(&minter, 9, NULL), EMQ_OK);
  mint_at(minter, NOW);
  for (int i = 0; i < 20; i++) {
    pid_t child = fork();
    if (child == 0) {
      emq_id id = mint_at(minter, NOW);
      uint32_t node = parts_of(&id).node;
      _exit(node != 9 && node == emq_minter_node(minter) ? 0 : 1);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  cr_assert_eq(emq_minter_node(minter), 9);
  emq_minter_free(minter);
}

enum { THREADS = 8, EACH = 20000 };

static emq_id minted[THREADS][EACH];
static emq_minter *shared;

static void *mint_many(void *ids) {
  for (size_t i = 0; i < EACH; i++)
    if (emq_minter_next((emq_id *)ids + i, shared, "JOB", 3, NULL) != EMQ_OK)
      return ids;
  return NULL;
}

static int by_text(const void *a, const void *b) {
  return strcmp(((const emq_id *)a)->text, ((const emq_id *)b)->text);
}

Test(minter, threads_share_one_cell) {
  cr_assert_eq(emq_minter_new(&shared, 1, NULL), EMQ_OK);
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, mint_many, minted[i]);
  for (size_t i = 0; i < THREADS; i++) {
    void *failed;
    pthread_join(threads[i], &failed);
    cr_assert_null(failed);
    for (size_t n = 1; n < EACH; n++)
      cr_assert_lt(by_text(&minted[i][n - 1], &minted[i][n]), 0);
  }
  qsort(minted, THREADS * EACH, sizeof(emq_id), by_text);
  emq_id *all = &minted[0][0];
  for (size_t n = 1; n < THREADS * EACH; n++)
    cr_assert_neq(by_text(&all[n - 1], &all[n]), 0);
  emq_minter_free(shared);
}
