/* SPDX-License-Identifier: MIT */
/* The life of a job that fails: scheduled, tried twice, dead, requeued, done.
 *
 *   lifecycle [URL]
 *
 * Prints each step; ends with 1 as soon as something is not as it should be. */
#include <echomq/echomq.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static emq_error error = EMQ_ERROR_INIT;
static emq_client *client;
static char queue[32];
#define QUEUE queue, strlen(queue)

/* A call that must succeed, with an answer that must be so. */
static void step(const char *what, emq_status status, bool expected) {
  printf("%s: %s\n", what, status != EMQ_OK ? error.message : expected ? "yes" : "no");
  if (status != EMQ_OK || !expected)
    exit(1);
}

/* Waits until the job's time has come, for ten seconds at most. */
static void promote(void) {
  int64_t moved = 0;
  for (int tries = 0; moved == 0 && tries < 1000; tries++) {
    nanosleep(&(struct timespec){0, 10 * 1000 * 1000}, NULL);
    if (emq_promote(&moved, client, QUEUE, 1000, &error) != EMQ_OK)
      break;
  }
  step("promoted when due", error.code, moved == 1);
}

static void claim(const emq_id *id, int64_t token) {
  emq_job *job = NULL;
  emq_status status = emq_claim(&job, client, QUEUE, 30000, &error);
  step("claimed", status,
       job && memcmp(emq_job_id(job).ptr, id->text, EMQ_ID_LEN) == 0 &&
           emq_job_token(job) == token);
  emq_job_free(job);
}

int main(int argc, char **argv) {
  emq_options options = EMQ_OPTIONS_INIT;
  emq_id id;
  emq_outcome outcome = EMQ_OUTCOME_NONE;
  emq_list *found = NULL;
  emq_job *early = NULL;
  bool more = false;
  if (argc > 1)
    options.url = (emq_bytes){argv[1], strlen(argv[1])};
  step("connected", emq_client_open(&client, &options, &error), true);
  snprintf(queue, sizeof queue, "lifecycle-%lld", (long long)time(NULL));

  step("enqueued for later", emq_schedule(&id, client, QUEUE, "2 x tea", 7, EMQ_IN, 200, &error),
       true);
  emq_status status = emq_claim(&early, client, QUEUE, 30000, &error);
  step("nothing to claim yet", status, early == NULL);
  for (int64_t token = 1; token <= 2; token++) {
    promote();
    claim(&id, token);
    status = emq_retry(&outcome, client, QUEUE, id.text, EMQ_ID_LEN, token, 200, 2, "no tea left",
                       11, &error);
    step(token == 2 ? "failed, and dead" : "failed, and scheduled", status,
         outcome == (token == 2 ? EMQ_OUTCOME_DEAD : EMQ_OUTCOME_SCHEDULED));
  }
  status = emq_browse(&found, client, QUEUE, EMQ_STATE_DEAD, 10, &error);
  step("dead", status, found && emq_list_size(found) == 1);
  emq_list_free(found);
  status = emq_reprocess_job(&outcome, client, QUEUE, id.text, EMQ_ID_LEN, &error);
  step("requeued", status, outcome == EMQ_OUTCOME_DONE);
  claim(&id, 3);
  status = emq_complete(&outcome, client, QUEUE, id.text, EMQ_ID_LEN, 3, NULL, 0, &error);
  step("completed", status, outcome == EMQ_OUTCOME_DONE);
  status = emq_check_queue(&found, client, QUEUE, &error);
  step("nothing is wrong in the queue", status, emq_list_size(found) == 0);
  emq_list_free(found);
  step("paused", emq_queue_pause(client, QUEUE, &error), true);
  status = emq_queue_obliterate(&more, client, QUEUE, false, 1000, &error);
  step("obliterated", status, !more);
  emq_client_free(client);
  return 0;
}
