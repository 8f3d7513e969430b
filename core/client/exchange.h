/* SPDX-License-Identifier: MIT */
#ifndef EMQ_CLIENT_EXCHANGE_H
#define EMQ_CLIENT_EXCHANGE_H

/* The client's inside, and the one way to the server: a few commands there, their replies back. */

#include <echomq/client.h>
#include <echomq/minter.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "client/command.h"
#include "client/session.h"

struct emq_client {
  emq_settings settings;
  emq_minter *minter;
  atomic_bool closed;
  _Atomic uint64_t ghosts;
  atomic_bool distrusted; /* the connection has answered out of step */

  /* Whose turn it is. `turn` guards `busy` and `holder` alone and is held for moments; the wait
   * for one's turn is a wait like any other, with a deadline and interrupts. */
  pthread_mutex_t turn;
  pthread_cond_t free;
  bool busy;
  pthread_t holder;

  /* Of whoever has the turn. */
  _Atomic pid_t pid; /* the process that opened the connection */
  int fd;            /* -1: not connected */
  emq_session *session;
  bool opened; /* a connection has passed the fence before */
  char *room;  /* for what is read */
};

enum { EMQ_ROOM_SIZE = 64 * 1024 };

/* Connects, if that has not happened yet. */
emq_status emq_client_connect(emq_client *client, emq_error *err);

/* Sends commands in one flush and waits for all replies, within the call timeout, reconnecting and
 * repeating as client.h promises. May return early with an error, which is why: commands that were
 * answered have their reply, and `left` is set on those writes that the server may have run. */
emq_status emq_client_exchange(emq_client *client, emq_command *commands, size_t count,
                               emq_error *err);

/* What an exchange's failure means to a command that has no reply: where it may have been run,
 * EMQ_ERR_UNKNOWN_OUTCOME or a message that says so. Rewrites `err`, which holds the failure. */
emq_status emq_command_lost(const emq_command *command, emq_status status, emq_error *err);

/* Whether a status says that nothing after it can be asked: it is of the connection, the fence or
 * an interrupt, and not of one job. */
bool emq_ends_a_call(emq_status status);

/* What a refusal means to a command that was sent a second time: unless it speaks of the job, the
 * first sending may have been carried out, and the status is EMQ_ERR_UNKNOWN_OUTCOME. */
emq_status emq_command_refused(const emq_command *command, emq_status status, emq_error *err);

/* What emq_command_lost says for a call on many: the worst that is known of any of them. */
emq_status emq_commands_lost(const emq_command *commands, size_t count, emq_status status,
                             emq_error *err);

/* A reply was not the wire's, so it may be another request's: no other reply on this connection is
 * to be read. Whoever has the turn next opens another. */
void emq_client_distrust(emq_client *client);

/* Drops the connection if nobody has the turn; else whoever has it does so on giving it back, once
 * `closed` is set. */
void emq_client_drop_in_turn(emq_client *client);

#endif
