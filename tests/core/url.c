/* SPDX-License-Identifier: MIT */
/* URLs and options: what they mean, and what is refused before a socket is made. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "client/settings.h"

static emq_status read_url(emq_settings *out, const char *url, emq_error *err) {
  emq_options options = EMQ_OPTIONS_INIT;
  options.url = (emq_bytes){url, strlen(url)};
  return emq_settings_read(out, &options, err);
}

static bool is(emq_bytes bytes, const char *text) {
  return text ? bytes.ptr && bytes.len == strlen(text) && !memcmp(bytes.ptr, text, bytes.len)
              : !bytes.ptr;
}

Test(url, parts) {
  static const struct {
    const char *url, *host, *port, *path, *user, *password;
    uint32_t database;
  } cases[] = {
      {"redis://", "127.0.0.1", "6379", NULL, NULL, NULL, 0},
      {"redis://h", "h", "6379", NULL, NULL, NULL, 0},
      {"valkey://h:1/", "h", "1", NULL, NULL, NULL, 0},
      {"redis://h:65535/15", "h", "65535", NULL, NULL, NULL, 15},
      {"redis://[::1]:7000/2", "::1", "7000", NULL, NULL, NULL, 2},
      {"redis://[fe80::1%25eth0]", "fe80::1%eth0", "6379", NULL, NULL, NULL, 0},
      {"redis://u:p@h", "h", "6379", NULL, "u", "p", 0},
      {"redis://:p@h", "h", "6379", NULL, NULL, "p", 0},
      {"redis://u@h", "h", "6379", NULL, "u", NULL, 0},
      {"redis://u:@h", "h", "6379", NULL, "u", "", 0},
      {"redis://:a%2Bb+c%2F%3D%40%3A%23%25%3F%20%C3%A9@h", "h", "6379", NULL, NULL,
       "a+b+c/=@:#%? \xc3\xa9", 0},
      {"redis://:raw@sign@h", "h", "6379", NULL, NULL, "raw@sign", 0},
      {"redis://:%2525@h", "h", "6379", NULL, NULL, "%25", 0},
      {"unix:///run/v.sock", NULL, NULL, "/run/v.sock", NULL, NULL, 0},
      {"unix:///a%20b c/%25.sock?db=2", NULL, NULL, "/a b c/%.sock", NULL, NULL, 2},
      {"unix:///s?user=u&password=p%26q&db=0", NULL, NULL, "/s", "u", "p&q", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    emq_settings s;
    emq_error error = EMQ_ERROR_INIT;
    cr_assert_eq(read_url(&s, cases[i].url, &error), EMQ_OK, "%s: %s", cases[i].url, error.message);
    if (cases[i].host) {
      cr_assert_str_eq(s.host, cases[i].host);
      cr_assert_str_eq(s.port, cases[i].port);
      cr_assert_null(s.path);
    } else {
      cr_assert_str_eq(s.path, cases[i].path);
      cr_assert_null(s.host);
    }
    cr_assert(is(s.username, cases[i].user), "%s", cases[i].url);
    cr_assert(is(s.password, cases[i].password), "%s", cases[i].url);
    cr_assert_eq(s.database, cases[i].database);
    emq_settings_clear(&s);
  }
}

Test(url, refusals_name_the_place_and_never_the_password) {
  static const struct {
    const char *url, *says;
    emq_status status;
  } cases[] = {
      {"", "does not start with", EMQ_ERR_INVALID_ARGUMENT},
      {"localhost:6379", "does not start with", EMQ_ERR_INVALID_ARGUMENT},
      {"http://h", "does not start with", EMQ_ERR_INVALID_ARGUMENT},
      {"rediss://h", "TLS", EMQ_ERR_UNSUPPORTED},
      {"valkeys://h", "TLS", EMQ_ERR_UNSUPPORTED},
      {"redis://h:0", "port is not", EMQ_ERR_INVALID_ARGUMENT},
      {"redis://h:65536", "port is not", EMQ_ERR_INVALID_ARGUMENT},
      {"redis://h:6a", "port is not", EMQ_ERR_INVALID_ARGUMENT},
      {"redis://[::1", "closing ']'", EMQ_ERR_INVALID_ARGUMENT},
      {"redis://[::1]x:1", "between ']'", EMQ_ERR_INVALID_ARGUMENT},
      {"redis://h/x", "database is not", EMQ_ERR_INVALID_ARGUMENT},
      {"redis://h/-1", "database is not", EMQ_ERR_INVALID_ARGUMENT},
      {"redis://h/2147483648", "database is", EMQ_ERR_INVALID_ARGUMENT},
      {"redis://h/1?x=y", "'?'", EMQ_ERR_INVALID_ARGUMENT},
      {"redis://:secret%4@h", "'%'", EMQ_ERR_INVALID_ARGUMENT},
      {"redis://:secret%zz@h", "'%'", EMQ_ERR_INVALID_ARGUMENT},
      {"redis://:secret#x@h", "port is not", EMQ_ERR_INVALID_ARGUMENT},
      {"redis://:secret/x@h", "port is not", EMQ_ERR_INVALID_ARGUMENT},
      {"redis://h/1#secret", "'#'", EMQ_ERR_INVALID_ARGUMENT},
      {"redis://h%00x", "NUL", EMQ_ERR_INVALID_ARGUMENT},
      {"redis://h\n", "control byte", EMQ_ERR_INVALID_ARGUMENT},
      {"unix://relative", "not absolute", EMQ_ERR_INVALID_ARGUMENT},
      {"unix://", "not absolute", EMQ_ERR_INVALID_ARGUMENT},
      {"unix:///s?color=secret", "parameter", EMQ_ERR_INVALID_ARGUMENT},
      {"unix:///s?db=", "database", EMQ_ERR_INVALID_ARGUMENT},
      {"unix:///s%00", "NUL", EMQ_ERR_INVALID_ARGUMENT},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    emq_settings s;
    emq_error error = EMQ_ERROR_INIT;
    cr_assert_eq(read_url(&s, cases[i].url, &error), cases[i].status, "%s", cases[i].url);
    cr_assert_not_null(strstr(error.message, cases[i].says), "%s: %s", cases[i].url, error.message);
    cr_assert_null(strstr(error.message, "secret"), "%s", error.message);
  }
}

Test(url, a_socket_path_has_to_fit) {
  char url[256] = "unix:///";
  memset(url + 8, 'a', 107);
  emq_settings s;
  emq_error error = EMQ_ERROR_INIT;
  url[8 + 107] = '\0'; /* 108 with the slash: one too many */
  cr_assert_eq(read_url(&s, url, &error), EMQ_ERR_INVALID_ARGUMENT);
  url[8 + 106] = '\0';
  cr_assert_eq(read_url(&s, url, &error), EMQ_OK);
  emq_settings_clear(&s);
}

Test(options, credentials_are_literal_and_go_before_the_urls) {
  emq_options options = EMQ_OPTIONS_INIT;
  options.url = (emq_bytes){"redis://u:p@h", 13};
  options.username = (emq_bytes){"v%20", 4};
  options.password = (emq_bytes){"q\0+", 3};
  emq_settings s;
  cr_assert_eq(emq_settings_read(&s, &options, NULL), EMQ_OK);
  cr_assert(is(s.username, "v%20"));
  cr_assert_eq(s.password.len, 3);
  cr_assert_arr_eq(s.password.ptr, "q\0+", 3);
  emq_settings_clear(&s);
}

Test(options, refusals) {
  emq_settings s;
  emq_error error = EMQ_ERROR_INIT;
#define REFUSED(field, value, code)                                                                \
  do {                                                                                             \
    emq_options options = EMQ_OPTIONS_INIT;                                                        \
    options.field = value;                                                                         \
    cr_assert_eq(emq_settings_read(&s, &options, &error), code, #field " = " #value);              \
  } while (0)
  REFUSED(connect_timeout_ms, 0, EMQ_ERR_INVALID_ARGUMENT);
  REFUSED(connect_timeout_ms, -1, EMQ_ERR_INVALID_ARGUMENT);
  REFUSED(call_timeout_ms, INT64_MAX, EMQ_ERR_INVALID_ARGUMENT);
  REFUSED(executor, EMQ_EXECUTOR_NATIVE, EMQ_ERR_UNSUPPORTED);
  REFUSED(executor, (emq_executor)9, EMQ_ERR_INVALID_ARGUMENT);
  REFUSED(identity, ((emq_bytes){"", 0}), EMQ_ERR_INVALID_ARGUMENT);
  REFUSED(identity, ((emq_bytes){"a\0b", 3}), EMQ_ERR_INVALID_ARGUMENT);
  REFUSED(client_name, ((emq_bytes){"a b", 3}), EMQ_ERR_INVALID_ARGUMENT);
  REFUSED(client_name, ((emq_bytes){"\xc3\xa9", 2}), EMQ_ERR_INVALID_ARGUMENT);
  REFUSED(size, 0, EMQ_ERR_INVALID_ARGUMENT);
#undef REFUSED
}

Test(options, an_older_callers_shorter_struct_keeps_the_defaults) {
  emq_options options = EMQ_OPTIONS_INIT;
  options.size = offsetof(emq_options, executor);
  options.connect_timeout_ms = -5; /* past what that caller knows */
  emq_settings s;
  cr_assert_eq(emq_settings_read(&s, &options, NULL), EMQ_OK);
  cr_assert_eq(s.connect_timeout_ms, 5000);
  emq_settings_clear(&s);
}
