/* SPDX-License-Identifier: MIT */
#include "client/posix.h"

#include "client/exchange.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/clock.h"
#include "client/random.h"
#include "client/transport.h"
#include "wire/error.h"

enum {
  REPEATS_MAX = 2,       /* how often a lost reply is asked for again in one call */
  BACKOFF_FIRST_MS = 20, /* between attempts to connect; doubled each time */
  BACKOFF_MAX_MS = 500,
  TURN_SLICE_MS = 100,
};

/* ---- the turn ---- */

static void drop(emq_client *client) {
  emq_session_free(client->session);
  client->session = NULL;
  if (client->fd >= 0)
    close(client->fd);
  client->fd = -1;
}

/* After a fork the connection and a turn that was taken belong to the parent. Closing the
 * descriptor leaves the parent's connection alone. */
static void own_process(emq_client *client) {
  pid_t self = getpid();
  pid_t seen = atomic_load(&client->pid);
  while (seen != self) {
    if (seen != -1 && atomic_compare_exchange_strong(&client->pid, &seen, -1)) {
      pthread_mutex_init(&client->turn, NULL);
      pthread_cond_init(&client->free, NULL);
      client->busy = false;
      drop(client);
      atomic_store(&client->pid, self);
      return;
    }
    sched_yield();
    seen = atomic_load(&client->pid);
  }
}

/* `closed` is looked at under the lock: who closes sets it first and then asks whether anybody is
 * busy, so one of the two drops the connection. */
static void give_turn(emq_client *client) {
  pthread_mutex_lock(&client->turn);
  if (atomic_load(&client->closed))
    drop(client);
  client->busy = false;
  pthread_cond_signal(&client->free);
  pthread_mutex_unlock(&client->turn);
}

void emq_client_distrust(emq_client *client) {
  atomic_store(&client->distrusted, true);
  emq_client_drop_in_turn(client);
}

void emq_client_drop_in_turn(emq_client *client) {
  own_process(client);
  pthread_mutex_lock(&client->turn);
  if (!client->busy)
    drop(client);
  pthread_mutex_unlock(&client->turn);
}

/* Waits on the condition for a slice, or until it is signalled. */
static void wait_for_turn(emq_client *client) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += TURN_SLICE_MS * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  pthread_cond_timedwait(&client->free, &client->turn, &until);
}

static emq_status take_turn(emq_client *client, emq_wait *wait, emq_error *err) {
  own_process(client);
  emq_status status = EMQ_OK;
  pthread_mutex_lock(&client->turn);
  while (client->busy && status == EMQ_OK) {
    if (pthread_equal(client->holder, pthread_self())) {
      status = emq_fail(err, EMQ_ERR_UNSUPPORTED,
                        "a call on this client is under way in this very thread: a signal "
                        "handler needs a client of its own");
      break;
    }
    wait_for_turn(client);
    if (!client->busy)
      break;
    pthread_mutex_unlock(&client->turn);
    status = emq_wait_ask(wait, false, err);
    pthread_mutex_lock(&client->turn);
  }
  if (status == EMQ_OK) {
    client->busy = true;
    client->holder = pthread_self();
  }
  pthread_mutex_unlock(&client->turn);
  return status;
}

/* ---- the connection ---- */

/* One attempt, within the wait. */
static emq_status connect_once(emq_client *client, emq_wait *wait, emq_error *err) {
  emq_status status = emq_transport_open(&client->fd, &client->settings, wait, err);
  if (status != EMQ_OK)
    return status;
  client->session = emq_session_new(&client->settings);
  if (client->session)
    status = emq_transport_run(client->fd, client->session, client->room, EMQ_ROOM_SIZE, wait, err);
  else
    status = emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for a session");
  if (status != EMQ_OK)
    drop(client);
  return status;
}

/* What goes away by itself. That nobody listens does so only where somebody did before: a first
 * connection that is refused is reported at once. */
static bool passes(const emq_client *client, emq_status status) {
  switch (status) {
  case EMQ_ERR_LOADING:
  case EMQ_ERR_READONLY:
  case EMQ_ERR_UNAVAILABLE:
    return true;
  case EMQ_ERR_CONNECTION:
  case EMQ_ERR_MAX_CLIENTS:
    return client->opened;
  default:
    return false;
  }
}

/* Makes sure of a connection that has passed the fence. Attempts go on within the connect timeout
 * and the call's deadline; what ends them by time is the last failure that says why. */
static emq_status ensure_connected(emq_client *client, const emq_wait *call, emq_error *err) {
  bool distrusted = atomic_exchange(&client->distrusted, false);
  if (client->session && !distrusted && !emq_transport_stale(client->fd))
    return EMQ_OK;
  drop(client);
  emq_wait wait = *call;
  int64_t began = emq_monotonic_ms();
  int64_t connect_by = began + client->settings.connect_timeout_ms;
  if (connect_by < wait.deadline_ms)
    wait.deadline_ms = connect_by;
  uint32_t backoff = BACKOFF_FIRST_MS;
  emq_error before = EMQ_ERROR_INIT; /* why the attempts before this one failed */
  for (;;) {
    emq_error why = EMQ_ERROR_INIT;
    emq_status status = connect_once(client, &wait, &why);
    if (status == EMQ_OK) {
      client->opened = true;
      return EMQ_OK;
    }
    if (passes(client, status) && emq_monotonic_ms() + backoff < wait.deadline_ms) {
      emq_error ended = EMQ_ERROR_INIT;
      uint32_t jittered = backoff / 2 + emq_random_below(backoff / 2 + 1);
      emq_status paused = emq_transport_pause(jittered, &wait, &ended);
      backoff = backoff * 2 < BACKOFF_MAX_MS ? backoff * 2 : BACKOFF_MAX_MS;
      if (paused == EMQ_OK) {
        before = why;
        continue;
      }
      if (paused != EMQ_ERR_TIMEOUT) {
        status = paused;
        why = ended;
      }
    }
    if (status == EMQ_ERR_TIMEOUT && before.code != EMQ_OK) {
      *err = before;
      return before.code;
    }
    if (status == EMQ_ERR_TIMEOUT)
      return emq_fail(err, status, "no connection to a server that answers within %lld ms",
                      (long long)(wait.deadline_ms - began));
    *err = why;
    return status;
  }
}

/* ---- the exchange ---- */

typedef struct exchange {
  emq_client *client;
  emq_command *commands;
  size_t count;
  emq_wait wait;
  emq_status status;
  emq_error why;
} exchange;

static emq_repeat repeat_of(const emq_command *command) {
  return emq_transition_row_of(command->transition)->repeat;
}

/* Sends what has no reply yet and waits for the replies. */
static emq_status send_all(exchange *x, emq_error *err) {
  emq_client *client = x->client;
  for (size_t i = 0; i < x->count; i++) {
    emq_command *command = &x->commands[i];
    if (command->reply)
      continue;
    command->repeated = command->repeated || command->left;
    command->left = false;
    emq_status status = emq_session_submit(client->session, command, err);
    if (status != EMQ_OK)
      return status;
  }
  return emq_transport_run(client->fd, client->session, client->room, EMQ_ROOM_SIZE, &x->wait, err);
}

/* Whether everything without a reply may be sent once more. */
static bool may_repeat(const exchange *x) {
  for (size_t i = 0; i < x->count; i++) {
    const emq_command *command = &x->commands[i];
    if (!command->reply && (command->left || command->repeated) &&
        repeat_of(command) == EMQ_REPEAT_NEVER)
      return false;
  }
  return true;
}

/* Sets `left` on the writes that the server may have run, one that was to be repeated and could
 * not be among them. */
static void mark_left(exchange *x) {
  for (size_t i = 0; i < x->count; i++) {
    emq_command *command = &x->commands[i];
    command->left = !command->reply && (command->left || command->repeated) &&
                    repeat_of(command) != EMQ_REPEAT_READ;
  }
}

emq_status emq_command_lost(const emq_command *command, emq_status status, emq_error *err) {
  if (!command->left || status == EMQ_ERR_PROTOCOL)
    return status;
  char cause[EMQ_ERROR_MESSAGE_MAX] = "";
  if (err)
    snprintf(cause, sizeof cause, "%s", err->message);
  if (status == EMQ_ERR_INTERRUPTED || status == EMQ_ERR_CLOSED)
    return emq_fail(err, status, "%.400s; whether it was carried out is not known", cause);
  return emq_fail(err, EMQ_ERR_UNKNOWN_OUTCOME,
                  "the request left and its reply never came (%.400s): whether it was carried out "
                  "is not known",
                  cause);
}

bool emq_ends_a_call(emq_status status) {
  return status == EMQ_ERR_CLOSED || (status <= EMQ_ERR_CONNECTION && status > EMQ_ERR_LOADING);
}

emq_status emq_command_refused(const emq_command *command, emq_status status, emq_error *err) {
  bool about_the_job = status <= EMQ_ERR_KIND;
  if (!command->repeated || repeat_of(command) != EMQ_REPEAT_WRITE || about_the_job)
    return status;
  char cause[EMQ_ERROR_MESSAGE_MAX] = "";
  if (err)
    snprintf(cause, sizeof cause, "%s", err->message);
  return emq_fail(err, EMQ_ERR_UNKNOWN_OUTCOME,
                  "the reply to the request was lost, and its second sending failed (%.400s): "
                  "whether the first was carried out is not known",
                  cause);
}

emq_status emq_commands_lost(const emq_command *commands, size_t count, emq_status status,
                             emq_error *err) {
  for (size_t i = 0; i < count; i++)
    if (commands[i].left)
      return emq_command_lost(&commands[i], status, err);
  return status;
}

static emq_status run_in_turn(exchange *x, emq_error *err) {
  emq_client *client = x->client;
  for (int attempt = 0;; attempt++) {
    emq_status status = ensure_connected(client, &x->wait, err);
    if (status != EMQ_OK)
      return status;
    status = send_all(x, err);
    if (status == EMQ_OK)
      return EMQ_OK;
    emq_session_lost(client->session);
    drop(client);
    if (status != EMQ_ERR_CONNECTION || attempt == REPEATS_MAX || !may_repeat(x))
      return status;
  }
}

static void run(void *data) {
  exchange *x = data;
  x->status = take_turn(x->client, &x->wait, &x->why);
  if (x->status != EMQ_OK)
    return;
  x->status = run_in_turn(x, &x->why);
  mark_left(x);
  give_turn(x->client);
}

emq_status emq_client_exchange(emq_client *client, emq_command *commands, size_t count,
                               emq_error *err) {
  if (atomic_load(&client->closed))
    return emq_fail(err, EMQ_ERR_CLOSED, "the client is closed");
  const emq_settings *settings = &client->settings;
  int64_t now = emq_monotonic_ms();
  exchange x = {
      .client = client,
      .commands = commands,
      .count = count,
      .wait = {settings, &client->closed, now + settings->call_timeout_ms, now},
      .why = EMQ_ERROR_INIT,
  };
  if (!settings->outside)
    run(&x);
  else if (settings->outside(run, &x, settings->hook_data) != 0)
    return emq_fail(err, EMQ_ERR_INTERRUPTED, "the call was interrupted before it began");
  if (x.status != EMQ_OK && err)
    *err = x.why;
  return x.status;
}

emq_status emq_client_connect(emq_client *client, emq_error *err) {
  return emq_client_exchange(client, NULL, 0, err);
}
