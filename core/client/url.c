/* SPDX-License-Identifier: MIT */
/* The three URL forms of options.h. Messages name a place, never the text of a userinfo. */
#include "client/posix.h"

#include <limits.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "client/alloc.h"
#include "client/settings.h"
#include "wire/error.h"

/* What is left to read: a view that the readers below shorten. */
typedef emq_bytes text;

static bool take(text *from, const char *prefix) {
  size_t len = strlen(prefix);
  if (from->len < len || memcmp(from->ptr, prefix, len) != 0)
    return false;
  *from = (text){from->ptr + len, from->len - len};
  return true;
}

/* Splits at the first byte of `any`: gives what is before it and leaves the rest, which starts
 * with that byte. All of it when there is none. */
static text until(text *from, const char *any) {
  size_t n = 0;
  while (n < from->len && !(from->ptr[n] && strchr(any, from->ptr[n])))
    n++;
  text head = {from->ptr, n};
  *from = (text){from->ptr + n, from->len - n};
  return head;
}

static int hex_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Percent-decodes once into new memory. A plus stays a plus. */
static emq_status decode(emq_bytes *out, text from, const char *what, emq_error *err) {
  char *room = emq_alloc(from.len + 1);
  if (!room)
    return emq_fail(err, EMQ_ERR_NO_MEMORY, "no memory for the URL's %s", what);
  size_t len = 0;
  for (size_t i = 0; i < from.len; i++) {
    if (from.ptr[i] != '%') {
      room[len++] = from.ptr[i];
      continue;
    }
    int high = i + 2 < from.len ? hex_value(from.ptr[i + 1]) : -1;
    int low = i + 2 < from.len ? hex_value(from.ptr[i + 2]) : -1;
    if (high < 0 || low < 0) {
      emq_free(room);
      return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                      "the URL's %s has a '%%' without two hexadecimal digits at byte %zu", what,
                      i);
    }
    room[len++] = (char)(high << 4 | low);
    i += 2;
  }
  room[len] = '\0';
  *out = (emq_bytes){room, len};
  return EMQ_OK;
}

/* The same for a text that C will read: a NUL in it is refused. */
static emq_status decode_text(char **out, text from, const char *what, emq_error *err) {
  emq_bytes bytes;
  emq_status status = decode(&bytes, from, what, err);
  if (status != EMQ_OK)
    return status;
  if (memchr(bytes.ptr, '\0', bytes.len)) {
    emq_free((char *)bytes.ptr);
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "the URL's %s holds a NUL byte", what);
  }
  *out = (char *)bytes.ptr;
  return EMQ_OK;
}

static emq_status read_number(uint32_t *out, text from, uint32_t min, uint32_t max,
                              const char *what, emq_error *err) {
  uint64_t value = 0;
  bool good = from.len > 0 && from.len <= 10;
  for (size_t i = 0; good && i < from.len; i++) {
    good = from.ptr[i] >= '0' && from.ptr[i] <= '9';
    value = value * 10 + (uint64_t)(from.ptr[i] - '0');
  }
  /* Not quoted: where a password has a raw '#' or '/', this is a part of it. */
  if (!good || value < min || value > max)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                    "the URL's %s is not a whole number from %lu to %lu", what, (unsigned long)min,
                    (unsigned long)max);
  *out = (uint32_t)value;
  return EMQ_OK;
}

static emq_status read_userinfo(emq_settings *out, text userinfo, emq_error *err) {
  text user = until(&userinfo, ":");
  emq_status status = EMQ_OK;
  if (user.len)
    status = decode(&out->username, user, "user name", err);
  if (status == EMQ_OK && userinfo.len)
    status = decode(&out->password, (text){userinfo.ptr + 1, userinfo.len - 1}, "password", err);
  return status;
}

static emq_status read_host(emq_settings *out, text address, emq_error *err) {
  text host;
  if (address.len && address.ptr[0] == '[') {
    address = (text){address.ptr + 1, address.len - 1};
    host = until(&address, "]");
    if (address.len == 0)
      return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "the URL's IPv6 address has no closing ']'");
    address = (text){address.ptr + 1, address.len - 1};
    if (address.len && address.ptr[0] != ':')
      return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "the URL has text between ']' and the port");
  } else {
    host = until(&address, ":");
  }
  uint32_t port = 6379;
  emq_status status = EMQ_OK;
  if (address.len > 1)
    status = read_number(&port, (text){address.ptr + 1, address.len - 1}, 1, 65535, "port", err);
  if (status != EMQ_OK)
    return status;
  size_t at = sizeof out->port - 1;
  for (out->port[at] = '\0'; port; port /= 10)
    out->port[--at] = (char)('0' + port % 10);
  memmove(out->port, out->port + at, sizeof out->port - at);
  if (host.len == 0)
    host = (text){"127.0.0.1", 9};
  return decode_text(&out->host, host, "host", err);
}

static emq_status read_tcp(emq_settings *out, text url, emq_error *err) {
  text authority = until(&url, "/?#");
  /* The last '@' ends the userinfo: a password with a raw one is read as it was meant. */
  size_t at = authority.len;
  while (at > 0 && authority.ptr[at - 1] != '@')
    at--;
  emq_status status = EMQ_OK;
  if (at > 0)
    status = read_userinfo(out, (text){authority.ptr, at - 1}, err);
  if (status == EMQ_OK)
    status = read_host(out, (text){authority.ptr + at, authority.len - at}, err);
  if (status != EMQ_OK)
    return status;
  if (take(&url, "/") && url.len) {
    text database = until(&url, "?#");
    if (database.len)
      status = read_number(&out->database, database, 0, INT_MAX, "database", err);
  }
  if (status == EMQ_OK && url.len)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                    "the URL has a '%c' where it should end: percent-encode it if it belongs to "
                    "the user name or password",
                    url.ptr[0]);
  return status;
}

static emq_status read_parameter(emq_settings *out, text parameter, emq_error *err) {
  if (take(&parameter, "db="))
    return read_number(&out->database, parameter, 0, INT_MAX, "database", err);
  bool user = take(&parameter, "user=");
  if (!user && !take(&parameter, "password="))
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                    "the URL has a parameter other than db, user and password");
  emq_bytes *slot = user ? &out->username : &out->password;
  emq_free((char *)slot->ptr);
  *slot = (emq_bytes){NULL, 0};
  return decode(slot, parameter, user ? "user name" : "password", err);
}

static emq_status read_unix(emq_settings *out, text url, emq_error *err) {
  text path = until(&url, "?#");
  if (path.len == 0 || path.ptr[0] != '/')
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                    "the URL's socket path is not absolute: write unix:///path");
  emq_status status = decode_text(&out->path, path, "socket path", err);
  if (status != EMQ_OK)
    return status;
  size_t room = sizeof((struct sockaddr_un *)0)->sun_path - 1;
  if (strlen(out->path) > room)
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                    "the URL's socket path has %zu bytes, at most %zu are allowed",
                    strlen(out->path), room);
  if (url.len && url.ptr[0] == '#')
    return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "the URL has a '#' where it should end");
  while (status == EMQ_OK && url.len) {
    url = (text){url.ptr + 1, url.len - 1};
    text parameter = until(&url, "&");
    if (parameter.len)
      status = read_parameter(out, parameter, err);
  }
  return status;
}

emq_status emq_settings_read_url(emq_settings *out, const char *bytes, size_t len, emq_error *err) {
  text url = {bytes, len};
  for (size_t i = 0; i < len; i++)
    if ((unsigned char)bytes[i] < 0x20 || bytes[i] == 0x7f)
      return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT, "the URL has a control byte at byte %zu", i);
  if (take(&url, "redis://") || take(&url, "valkey://"))
    return read_tcp(out, url, err);
  if (take(&url, "unix://"))
    return read_unix(out, url, err);
  if (take(&url, "rediss://") || take(&url, "valkeys://"))
    return emq_fail(err, EMQ_ERR_UNSUPPORTED,
                    "TLS is not built in: connect with redis:// or unix://, or through a proxy "
                    "that speaks TLS");
  return emq_fail(err, EMQ_ERR_INVALID_ARGUMENT,
                  "the URL does not start with redis://, valkey:// or unix://");
}
