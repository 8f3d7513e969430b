/* SPDX-License-Identifier: MIT */
#ifndef EMQ_CLIENT_SETTINGS_H
#define EMQ_CLIENT_SETTINGS_H

/* emq_options, checked and owned: what the session and the transport read. */

#include <echomq/options.h>

enum { EMQ_USERINFO_MAX = 4096 };

typedef struct emq_settings {
  char *host; /* of TCP, without brackets; NULL for a unix socket */
  char port[6];
  char *path; /* of a unix socket; NULL for TCP */
  uint32_t database;
  emq_bytes username; /* {NULL, 0}: none. Owned */
  emq_bytes password; /* {NULL, 0}: none. Owned */
  char *client_name;  /* NULL: none */
  emq_executor executor;
  char identity[EMQ_IDENTITY_MAX + 1];
  size_t identity_len;
  int32_t node;
  int64_t connect_timeout_ms;
  int64_t call_timeout_ms;
  int (*interrupt)(void *hook_data);
  int (*outside)(void (*body)(void *), void *body_data, void *hook_data);
  void *hook_data;
} emq_settings;

/* Reads options (NULL: the defaults). On an error nothing is owned.
 * Returns EMQ_OK, EMQ_ERR_INVALID_ARGUMENT, EMQ_ERR_UNSUPPORTED (rediss://, an executor that this
 * build has not) or EMQ_ERR_NO_MEMORY. A message never quotes a password. */
emq_status emq_settings_read(emq_settings *out, const emq_options *options, emq_error *err);

/* Frees what the settings own. */
void emq_settings_clear(emq_settings *settings);

/* Reads the parts of a URL into zeroed settings; url.c. What it set before an error is owned. */
emq_status emq_settings_read_url(emq_settings *out, const char *url, size_t len, emq_error *err);

#endif
