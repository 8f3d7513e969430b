/* SPDX-License-Identifier: MIT */
#include "client/settings.h"

#include <string.h>

#include "client/alloc.h"
#include "wire/error.h"

#define DEFAULT_URL "redis://127.0.0.1:6379/0"

static emq_status replace(emq_bytes *slot, emq_bytes with, const char *what, emq_error *err) {
  if (!with.ptr)
    return EMQ_OK;
  if (with.len > EMQ_USERINFO_MAX)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "%s has %zu bytes, at most %d are allowed", what,
                    with.len, EMQ_USERINFO_MAX);
  char *copy = emq_copy(with.ptr, with.len);
  if (!copy)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for the %s", what);
  emq_free((char *)slot->ptr);
  *slot = (emq_bytes){copy, with.len};
  return EMQ_OK;
}

static emq_status read_client_name(emq_settings *out, emq_bytes name, emq_error *err) {
  if (!name.ptr || name.len == 0)
    return EMQ_OK;
  for (size_t i = 0; i < name.len; i++)
    if (name.ptr[i] < '!' || name.ptr[i] > '~')
      return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                      "client name has byte 0x%02x at byte %zu: only printable ASCII without "
                      "spaces is allowed",
                      (unsigned char)name.ptr[i], i);
  out->client_name = emq_copy(name.ptr, name.len);
  return out->client_name ? EMQ_OK
                          : emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for the client name");
}

static emq_status read_executor(emq_settings *out, const emq_options *options, emq_error *err) {
  switch (options->executor) {
  case EMQ_EXECUTOR_AUTO:
  case EMQ_EXECUTOR_SCRIPTED:
    out->executor = EMQ_EXECUTOR_SCRIPTED;
    break;
  case EMQ_EXECUTOR_NATIVE:
    return emq_fail(err, EMQ_ERR_UNSUPPORTED, "this build has no native executor");
  default:
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "executor %d does not exist",
                    (int)options->executor);
  }
  emq_bytes identity = options->identity;
  if (!identity.ptr)
    identity = (emq_bytes){EMQ_IDENTITY_SCRIPTED, strlen(EMQ_IDENTITY_SCRIPTED)};
  if (identity.len == 0 || identity.len > EMQ_IDENTITY_MAX)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "identity has %zu bytes, 1 to %d are allowed",
                    identity.len, EMQ_IDENTITY_MAX);
  if (memchr(identity.ptr, '\0', identity.len))
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "identity holds a NUL byte");
  memcpy(out->identity, identity.ptr, identity.len);
  out->identity[identity.len] = '\0';
  out->identity_len = identity.len;
  return EMQ_OK;
}

static emq_status read_timeout(int64_t *out, int64_t ms, const char *what, emq_error *err) {
  if (ms < 1 || ms > EMQ_TIMEOUT_MAX_MS)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "%s is %lld ms: it goes from 1 to %d", what,
                    (long long)ms, EMQ_TIMEOUT_MAX_MS);
  *out = ms;
  return EMQ_OK;
}

static emq_status read_all(emq_settings *out, const emq_options *options, emq_error *err) {
  emq_bytes url = options->url;
  if (!url.ptr)
    url = (emq_bytes){DEFAULT_URL, strlen(DEFAULT_URL)};
  emq_status status = emq_settings_read_url(out, url.ptr, url.len, err);
  if (status == EMQ_OK)
    status = replace(&out->username, options->username, "username", err);
  if (status == EMQ_OK)
    status = replace(&out->password, options->password, "password", err);
  if (status == EMQ_OK)
    status = read_client_name(out, options->client_name, err);
  if (status == EMQ_OK)
    status = read_executor(out, options, err);
  if (status == EMQ_OK)
    status =
        read_timeout(&out->connect_timeout_ms, options->connect_timeout_ms, "connect timeout", err);
  if (status == EMQ_OK)
    status = read_timeout(&out->call_timeout_ms, options->call_timeout_ms, "call timeout", err);
  out->node = options->node;
  out->interrupt = options->interrupt;
  out->outside = options->outside;
  out->hook_data = options->hook_data;
  return status;
}

emq_status emq_settings_read(emq_settings *out, const emq_options *options, emq_error *err) {
  /* An older caller's struct is shorter: its missing fields keep their defaults. */
  emq_options known = EMQ_OPTIONS_INIT;
  if (options) {
    if (options->size < sizeof options->size)
      return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                      "options have the size %zu: start them with EMQ_OPTIONS_INIT", options->size);
    memcpy(&known, options, options->size < sizeof known ? options->size : sizeof known);
  }
  memset(out, 0, sizeof *out);
  emq_status status = read_all(out, &known, err);
  if (status != EMQ_OK)
    emq_settings_clear(out);
  return status;
}

void emq_settings_clear(emq_settings *settings) {
  emq_free(settings->host);
  emq_free(settings->path);
  emq_free((char *)settings->username.ptr);
  emq_free((char *)settings->password.ptr);
  emq_free(settings->client_name);
  memset(settings, 0, sizeof *settings);
}
