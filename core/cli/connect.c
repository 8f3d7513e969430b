/* SPDX-License-Identifier: MIT */
/* The connection, what may go wrong with it, and the checks that come before it. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input.h"
#include "cli/output.h"

enum { PASSWORD_MAX = 1 << 16 };

/* ---- before ---- */

bool cli_read_id(cli *c, int at) {
  emq_error err = EMQ_ERROR_INIT;
  emq_id id;
  if (emq_id_parse(&id, c->args[at], strlen(c->args[at]), &err) == EMQ_OK)
    return true;
  cli_complain("%s", err.message);
  return false;
}

bool cli_read_token(cli *c, int at, int64_t *token) {
  return cli_read_number(token, c->args[at], 1, INT64_MAX, "TOKEN");
}

/* ---- errors ---- */

cli_code cli_code_of(emq_status status) {
  switch (status) {
  case EMQ_OK:
    return CLI_DONE;
  case EMQ_ERR_INVALID_ARGUMENT:
  case EMQ_ERR_UNSUPPORTED:
    return CLI_USAGE;
  case EMQ_ERR_INTERRUPTED:
    return cli_stopped() ? CLI_INTERRUPTED : CLI_TROUBLE;
  case EMQ_ERR_FENCE:
  case EMQ_ERR_AUTH:
  case EMQ_ERR_PERMISSION:
    return CLI_BARRED;
  case EMQ_ERR_WRONG_TYPE:
  case EMQ_ERR_SERVER:
  case EMQ_ERR_KIND:
  case EMQ_ERR_STALE:
  case EMQ_ERR_LOCKED:
  case EMQ_ERR_STATE:
  case EMQ_ERR_RATE:
  case EMQ_ERR_REFUSED:
    return CLI_REFUSED;
  default:
    return CLI_TROUBLE;
  }
}

cli_code cli_failed(const emq_error *err) {
  cli_code code = cli_code_of(err->code);
  if (code != CLI_INTERRUPTED)
    cli_complain("%s", err->message);
  return code;
}

/* ---- the connection ---- */

static int on_wait(void *data) {
  (void)data;
  return cli_stopped();
}

/* From --password-file, one line end at its end left out, else from the environment: a password
 * given as an argument could be read by anyone who lists processes. */
static cli_code read_password(cli_buffer *out, const cli_options *options) {
  const char *given = getenv("ECHOMQ_PASSWORD");
  *out = (cli_buffer){NULL, 0, 0};
  if (!options->password_file && given && *given) {
    out->bytes = strdup(given);
    out->len = strlen(given);
    return out->bytes ? CLI_DONE : CLI_TROUBLE;
  }
  if (!options->password_file)
    return CLI_DONE;
  cli_code code = cli_read_file(out, options->password_file, PASSWORD_MAX);
  if (code == CLI_DONE && out->len > 0 && out->bytes[out->len - 1] == '\n')
    out->len--;
  return code;
}

cli_code cli_connect(cli *c) {
  emq_options options = EMQ_OPTIONS_INIT;
  emq_error err = EMQ_ERROR_INIT;
  cli_buffer password;
  cli_code code = read_password(&password, &c->options);
  if (code == CLI_DONE) {
    const char *url = c->options.url, *user = c->options.user;
    if (!url)
      url = getenv("ECHOMQ_URL");
    if (url && (*url || c->options.url))
      options.url = (emq_bytes){url, strlen(url)};
    if (user)
      options.username = (emq_bytes){user, strlen(user)};
    if (password.bytes)
      options.password = (emq_bytes){password.bytes, password.len};
    options.client_name = (emq_bytes){"echomq", 6};
    options.interrupt = on_wait;
    if (c->patience_ms)
      options.connect_timeout_ms = c->patience_ms;
    if (emq_client_open(&c->client, &options, &err) != EMQ_OK)
      code = cli_failed(&err);
  }
  free(password.bytes);
  return code;
}
