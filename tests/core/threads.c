/* SPDX-License-Identifier: MIT */
/* One client and one minter used from many threads: each call gets its own answer. A plain
 * program, since Criterion cannot run under ThreadSanitizer.
 *
 *   tests/support/server -- threads        (reads ECHOMQ_TEST_URL) */
#include <echomq/echomq.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, CALLS = 400 };

static emq_client *client;

#define CHECK(condition, ...)                                                                      \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "threads.c:%d: ", __LINE__);                                                 \
      fprintf(stderr, __VA_ARGS__);                                                                \
      fputc('\n', stderr);                                                                         \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

static void *live(void *number) {
  char queue[16];
  size_t queue_len = (size_t)snprintf(queue, sizeof queue, "q%d", *(int *)number);
  emq_error error = EMQ_ERROR_INIT;
  for (int i = 0; i < CALLS; i++) {
    char payload[64];
    size_t len = (size_t)snprintf(payload, sizeof payload, "%s/%d", queue, i);
    emq_id id;
    emq_job *job;
    emq_outcome outcome;
    CHECK(emq_enqueue(&id, client, queue, queue_len, payload, len, &error) == EMQ_OK, "%s",
          error.message);
    CHECK(emq_claim(&job, client, queue, queue_len, 60000, &error) == EMQ_OK && job, "%s",
          error.message);
    emq_bytes got = emq_job_payload(job);
    CHECK(got.len == len && memcmp(got.ptr, payload, len) == 0, "another's payload: %.*s",
          (int)got.len, got.ptr);
    CHECK(memcmp(emq_job_id(job).ptr, id.text, EMQ_ID_LEN) == 0, "another's job");
    CHECK(emq_complete(&outcome, client, queue, queue_len, id.text, EMQ_ID_LEN, emq_job_token(job),
                       NULL, 0, &error) == EMQ_OK,
          "%s", error.message);
    CHECK(outcome == EMQ_OUTCOME_DONE, "%s", emq_outcome_name(outcome));
    emq_job_free(job);
  }
  return NULL;
}

static void *use_until_closed(void *data) {
  (void)data;
  emq_counts counts;
  emq_status status;
  while ((status = emq_count_queue(&counts, client, "q", 1, EMQ_COUNTS_ALL, NULL)) == EMQ_OK)
    ;
  CHECK(status == EMQ_ERR_CLOSED, "%d", (int)status);
  return NULL;
}

static void run(void *(*body)(void *), bool close) {
  pthread_t threads[THREADS];
  int numbers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    CHECK(pthread_create(&threads[i], NULL, body, &numbers[i]) == 0, "no thread");
  }
  if (close)
    emq_client_close(client);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}

int main(void) {
  const char *url = getenv("ECHOMQ_TEST_URL");
  CHECK(url, "set ECHOMQ_TEST_URL");
  emq_options options = EMQ_OPTIONS_INIT;
  options.url = (emq_bytes){url, strlen(url)};
  emq_error error = EMQ_ERROR_INIT;
  CHECK(emq_client_open(&client, &options, &error) == EMQ_OK, "%s", error.message);
  run(live, false);
  run(use_until_closed, true);
  emq_client_free(client);
  puts("threads: each call got its own answer");
  return 0;
}
