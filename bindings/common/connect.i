/* SPDX-License-Identifier: MIT */
/* emq_options as one call. A language's typemaps.i defines emq_glue_interrupt and emq_glue_outside
 * (options.h says what they do), the only place where its interpreter's lock is released. */

%inline %{
static emq_status emq_connect(emq_client **out, const char *url, size_t url_len,
                              const char *username, size_t username_len, const char *password,
                              size_t password_len, const char *client_name, size_t client_name_len,
                              const char *identity, size_t identity_len, int32_t executor,
                              int32_t node, int64_t connect_timeout_ms, int64_t call_timeout_ms,
                              emq_error *err) {
  emq_options options = EMQ_OPTIONS_INIT;
  options.url = (emq_bytes){url, url_len};
  options.username = (emq_bytes){username, username_len};
  options.password = (emq_bytes){password, password_len};
  options.client_name = (emq_bytes){client_name, client_name_len};
  options.identity = (emq_bytes){identity, identity_len};
  options.executor = (emq_executor)executor;
  options.node = node;
  options.connect_timeout_ms = connect_timeout_ms;
  options.call_timeout_ms = call_timeout_ms;
  options.interrupt = emq_glue_interrupt;
  options.outside = emq_glue_outside;
  return emq_client_open(out, &options, err);
}
%}
