/* SPDX-License-Identifier: MIT */
/* A client's life. */
#include "client/posix.h"

#include <string.h>
#include <unistd.h>

#include "client/alloc.h"
#include "client/exchange.h"
#include "wire/error.h"

/* Fills a zeroed client; emq_client_free undoes what was done before a failure. */
static emq_status set_up(emq_client *client, const emq_options *options, emq_error *err) {
  emq_status status = emq_settings_read(&client->settings, options, err);
  if (status != EMQ_OK)
    return status;
  client->room = emq_alloc(EMQ_ROOM_SIZE);
  if (!client->room)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for a client");
  return emq_minter_new(&client->minter, client->settings.node, err);
}

emq_status emq_client_open(emq_client **out, const emq_options *options, emq_error *err) {
  emq_client *client = emq_calloc(1, sizeof *client);
  if (!client)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for a client");
  client->fd = -1;
  atomic_init(&client->pid, getpid());
  atomic_init(&client->closed, false);
  atomic_init(&client->ghosts, 0);
  atomic_init(&client->distrusted, false);
  pthread_mutex_init(&client->turn, NULL);
  pthread_cond_init(&client->free, NULL);
  emq_status status = set_up(client, options, err);
  if (status == EMQ_OK)
    status = emq_client_connect(client, err);
  if (status != EMQ_OK) {
    emq_client_free(client);
    return status;
  }
  *out = client;
  return EMQ_OK;
}

void emq_client_close(emq_client *client) {
  if (!client)
    return;
  atomic_store(&client->closed, true);
  emq_client_drop_in_turn(client);
}

void emq_client_free(emq_client *client) {
  if (!client)
    return;
  emq_client_close(client);
  pthread_cond_destroy(&client->free);
  pthread_mutex_destroy(&client->turn);
  emq_minter_free(client->minter);
  emq_free(client->room);
  emq_settings_clear(&client->settings);
  emq_free(client);
}

bool emq_client_closed(const emq_client *client) { return atomic_load(&client->closed); }

const char *emq_client_identity(const emq_client *client) { return client->settings.identity; }

emq_executor emq_client_executor(const emq_client *client) { return client->settings.executor; }

uint64_t emq_client_ghosts(const emq_client *client) { return atomic_load(&client->ghosts); }
