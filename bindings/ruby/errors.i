/* SPDX-License-Identifier: MIT */
/* From an emq_error to an exception. The classes are made by lib/echomq/errors.rb from the core's
 * table; C asks EchoMQ::Error for the one of a code and keeps none. */

%{
/* Text for people: UTF-8, with a mark where the bytes are none. */
static VALUE emq_rb_text(const char *text) {
  VALUE string = rb_utf8_str_new_cstr(text);
  VALUE scrubbed = rb_str_scrub(string, Qnil);
  return NIL_P(scrubbed) ? string : scrubbed;
}

/* The exception of a failed call, not yet raised. */
static VALUE emq_rb_exception(const emq_error *error, emq_status status) {
  bool fence = status == EMQ_ERR_FENCE;
  VALUE arguments[] = {
    INT2NUM(status),
    emq_rb_text(error->message),
    *error->server_text ? emq_rb_text(error->server_text) : Qnil,
    fence ? emq_rb_text(error->found) : Qnil,
    fence ? emq_rb_text(error->expected) : Qnil,
  };
  return rb_funcallv(rb_path2class("EchoMQ::Error"), rb_intern("of"), 5, arguments);
}

NORETURN(static void emq_rb_refuse_type(const char *what, const char *wanted, VALUE value));
static void emq_rb_refuse_type(const char *what, const char *wanted, VALUE value) {
  rb_raise(rb_eTypeError, "%s must be %s, not %" PRIsVALUE, what, wanted, rb_obj_class(value));
}

/* Raises InvalidArgumentError for an Integer that C's type cannot hold. */
NORETURN(static void emq_rb_refuse_range(const char *what, VALUE value));
static void emq_rb_refuse_range(const char *what, VALUE value) {
  emq_error error = EMQ_ERROR_INIT;
  VALUE digits = rb_String(value);
  snprintf(error.message, sizeof error.message, "%s is out of range: %s", what,
           StringValueCStr(digits));
  rb_exc_raise(emq_rb_exception(&error, EMQ_ERR_INVALID_ARGUMENT));
}
%}
