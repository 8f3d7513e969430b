#include <echomq/echomq.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  emq_options options = EMQ_OPTIONS_INIT;
  emq_error error = EMQ_ERROR_INIT;
  emq_client *client = NULL;
  emq_job *job = NULL;
  emq_outcome outcome;
  if (argc > 1)
    options.url = (emq_bytes){argv[1], strlen(argv[1])};
  if (emq_client_open(&client, &options, &error) == EMQ_OK &&
      emq_enqueue(NULL, client, "orders", 6, "2 x tea", 7, &error) == EMQ_OK &&
      emq_claim(&job, client, "orders", 6, 30000, &error) == EMQ_OK && job &&
      emq_complete(&outcome, client, "orders", 6, emq_job_id(job).ptr, EMQ_ID_LEN,
                   emq_job_token(job), NULL, 0, &error) == EMQ_OK)
    printf("%.14s: %s\n", emq_job_id(job).ptr, emq_outcome_name(outcome));
  else
    fprintf(stderr, "first: %s\n", error.code ? error.message : "the queue is empty");
  emq_job_free(job);
  emq_client_free(client);
  return error.code ? 1 : 0;
}
