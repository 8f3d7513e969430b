/* SPDX-License-Identifier: MIT */
/* Ruby's typemaps: what common/arguments.i asks of a language. gvl.i has the lock, errors.i the
 * exceptions. No VALUE is kept in C beyond a call, so the collector may move what it likes. */

%{
#include <ruby/encoding.h>
#include <ruby/thread.h>
%}

%include "ruby/errors.i"
%include "ruby/gvl.i"

/* Ruby wants class names with a capital. */
%rename(Client) emq_client;
%rename(Minter) emq_minter;
%rename(Batch) emq_batch;
%rename(Leases) emq_leases;

/* Jobs, rows and lists come back as arrays, see below: a handle would keep a second copy of the
 * payload until the collector came by. */
%ignore emq_job;
%ignore emq_job_id;
%ignore emq_job_payload;
%ignore emq_job_token;
%ignore emq_row;
%ignore emq_row_size;
%ignore emq_row_name;
%ignore emq_row_value;
%ignore emq_row_field;
%ignore emq_list;
%ignore emq_list_size;
%ignore emq_list_text;
%ignore emq_jobs;
%ignore emq_jobs_size;
%ignore emq_jobs_id;
%ignore emq_jobs_payload;
%ignore emq_jobs_token;

/* ---- bytes in: any String, whatever its encoding; nil and numbers are refused ---- */

%{
/* A frozen string with the bytes of `value`, which another thread cannot change or free while the
 * lock is released. The wrapper keeps it on its stack, so that the collector neither frees it nor
 * moves its bytes. */
static VALUE emq_rb_string(VALUE value, const char *what) {
  VALUE string = rb_check_string_type(value);
  if (NIL_P(string)) emq_rb_refuse_type(what, "a String", value);
  return rb_str_new_frozen(string);
}
%}

%typemap(in) (const char *bytes, size_t len) (VALUE held = Qnil) {
  held = emq_rb_string($input, "$1_name");
  $1 = RSTRING_PTR(held);
  $2 = (size_t)RSTRING_LEN(held);
}
%typemap(in) (const char *optional, size_t len) (VALUE held = Qnil) {
  if (!NIL_P($input)) held = emq_rb_string($input, "$1_name");
  $1 = NIL_P(held) ? NULL : RSTRING_PTR(held);
  $2 = NIL_P(held) ? 0 : (size_t)RSTRING_LEN(held);
}
%typemap(freearg) (const char *bytes, size_t len), (const char *optional, size_t len) {
  RB_GC_GUARD(held$argnum);
}

/* ---- bytes out: binary, whole; {NULL, 0} is nil ---- */

%{
static VALUE emq_rb_bytes(emq_bytes bytes) {
  return bytes.ptr ? rb_str_new(bytes.ptr, (long)bytes.len) : Qnil;
}
%}

%typemap(out) emq_bytes "$result = emq_rb_bytes($1);"

/* ---- text out ---- */

%typemap(out) const char * "$result = $1 ? rb_utf8_str_new_cstr($1) : Qnil;"
%typemap(out) const emq_error * "$result = $1 ? emq_rb_exception($1, $1->code) : Qnil;"

/* ---- integers: exact, or refused ---- */

%{
static uint64_t emq_rb_uint64(VALUE value, uint64_t max, const char *what) {
  uint64_t number = 0;
  if (!RB_INTEGER_TYPE_P(value)) emq_rb_refuse_type(what, "an Integer", value);
  int sign = rb_integer_pack(value, &number, 1, sizeof number, 0,
                             INTEGER_PACK_2COMP | INTEGER_PACK_LSWORD_FIRST |
                               INTEGER_PACK_NATIVE_BYTE_ORDER);
  if (sign < 0 || sign > 1 || number > max) emq_rb_refuse_range(what, value);
  return number;
}

static int64_t emq_rb_int64(VALUE value, int64_t min, int64_t max, const char *what) {
  int64_t number = 0;
  if (!RB_INTEGER_TYPE_P(value)) emq_rb_refuse_type(what, "an Integer", value);
  int sign = rb_integer_pack(value, &number, 1, sizeof number, 0,
                             INTEGER_PACK_2COMP | INTEGER_PACK_LSWORD_FIRST |
                               INTEGER_PACK_NATIVE_BYTE_ORDER);
  bool fits = sign == 0 || (sign == 1 && number > 0) || (sign == -1 && number < 0);
  if (!fits || number < min || number > max) emq_rb_refuse_range(what, value);
  return number;
}

static double emq_rb_double(VALUE value, const char *what) {
  bool real = RTEST(rb_obj_is_kind_of(value, rb_cNumeric)) &&
              !RTEST(rb_obj_is_kind_of(value, rb_cComplex));
  if (!real) emq_rb_refuse_type(what, "a number", value);
  return rb_num2dbl(value);
}

static bool emq_rb_bool(VALUE value, const char *what) {
  if (value != Qtrue && value != Qfalse) emq_rb_refuse_type(what, "true or false", value);
  return value == Qtrue;
}
%}

%typemap(in) int64_t "$1 = emq_rb_int64($input, INT64_MIN, INT64_MAX, \"$1_name\");"
%typemap(in) int32_t "$1 = (int32_t)emq_rb_int64($input, INT32_MIN, INT32_MAX, \"$1_name\");"
%typemap(in) uint64_t "$1 = emq_rb_uint64($input, UINT64_MAX, \"$1_name\");"
%typemap(in) uint32_t, unsigned "$1 = ($1_ltype)emq_rb_uint64($input, UINT32_MAX, \"$1_name\");"
%typemap(in) size_t "$1 = (size_t)emq_rb_uint64($input, SIZE_MAX, \"$1_name\");"
%typemap(in) double "$1 = emq_rb_double($input, \"$1_name\");"
%typemap(in) bool "$1 = emq_rb_bool($input, \"$1_name\");"

%typemap(out) int64_t, int32_t "$result = LL2NUM((long long)$1);"
%typemap(out) uint64_t, uint32_t, size_t "$result = ULL2NUM((unsigned long long)$1);"

/* ---- what comes back through a pointer: appended on EMQ_OK ---- */

%typemap(out) emq_status "$result = Qnil;"

%{
#define emq_rb_give_emq_client(client) \
  SWIG_NewPointerObj(client, SWIGTYPE_p_emq_client, SWIG_POINTER_OWN)
#define emq_rb_give_emq_minter(minter) \
  SWIG_NewPointerObj(minter, SWIGTYPE_p_emq_minter, SWIG_POINTER_OWN)
#define emq_rb_give_emq_batch(batch) \
  SWIG_NewPointerObj(batch, SWIGTYPE_p_emq_batch, SWIG_POINTER_OWN)
#define emq_rb_give_emq_leases(leases) \
  SWIG_NewPointerObj(leases, SWIGTYPE_p_emq_leases, SWIG_POINTER_OWN)

static VALUE emq_rb_copy_job(VALUE data) {
  const emq_job *job = (const emq_job *)data;
  return rb_ary_new_from_args(3, emq_rb_bytes(emq_job_id(job)), emq_rb_bytes(emq_job_payload(job)),
                              LL2NUM((long long)emq_job_token(job)));
}

static VALUE emq_rb_free_job(VALUE data) {
  emq_job_free((emq_job *)data);
  return Qnil;
}

/* [id, payload, token], or nil. */
static VALUE emq_rb_give_emq_job(emq_job *job) {
  return job ? rb_ensure(emq_rb_copy_job, (VALUE)job, emq_rb_free_job, (VALUE)job) : Qnil;
}

static VALUE emq_rb_copy_row(VALUE data) {
  const emq_row *row = (const emq_row *)data;
  VALUE pairs = rb_ary_new();
  for (size_t i = 0; i < emq_row_size(row); i++)
    rb_ary_push(pairs, rb_assoc_new(emq_rb_bytes(emq_row_name(row, i)),
                                    emq_rb_bytes(emq_row_value(row, i))));
  return pairs;
}

static VALUE emq_rb_free_row(VALUE data) {
  emq_row_free((emq_row *)data);
  return Qnil;
}

/* [[name, value], ...], or nil. */
static VALUE emq_rb_give_emq_row(emq_row *row) {
  return row ? rb_ensure(emq_rb_copy_row, (VALUE)row, emq_rb_free_row, (VALUE)row) : Qnil;
}

static VALUE emq_rb_copy_jobs(VALUE data) {
  const emq_jobs *jobs = (const emq_jobs *)data;
  VALUE triples = rb_ary_new();
  for (size_t i = 0; i < emq_jobs_size(jobs); i++)
    rb_ary_push(triples, rb_ary_new_from_args(3, emq_rb_bytes(emq_jobs_id(jobs, i)),
                                              emq_rb_bytes(emq_jobs_payload(jobs, i)),
                                              LL2NUM((long long)emq_jobs_token(jobs, i))));
  return triples;
}

static VALUE emq_rb_free_jobs(VALUE data) {
  emq_jobs_free((emq_jobs *)data);
  return Qnil;
}

/* [[id, payload, token], ...], or nil. */
static VALUE emq_rb_give_emq_jobs(emq_jobs *jobs) {
  return jobs ? rb_ensure(emq_rb_copy_jobs, (VALUE)jobs, emq_rb_free_jobs, (VALUE)jobs) : Qnil;
}

static VALUE emq_rb_copy_list(VALUE data) {
  const emq_list *list = (const emq_list *)data;
  VALUE texts = rb_ary_new();
  for (size_t i = 0; i < emq_list_size(list); i++)
    rb_ary_push(texts, emq_rb_bytes(emq_list_text(list, i)));
  return texts;
}

static VALUE emq_rb_free_list(VALUE data) {
  emq_list_free((emq_list *)data);
  return Qnil;
}

/* [text, ...], or nil. */
static VALUE emq_rb_give_emq_list(emq_list *list) {
  return list ? rb_ensure(emq_rb_copy_list, (VALUE)list, emq_rb_free_list, (VALUE)list) : Qnil;
}

static VALUE emq_rb_copy_lists(VALUE data) {
  emq_list *const *lists = (emq_list *const *)data;
  return rb_assoc_new(emq_rb_copy_list((VALUE)lists[0]), emq_rb_copy_list((VALUE)lists[1]));
}

static VALUE emq_rb_free_lists(VALUE data) {
  emq_list *const *lists = (emq_list *const *)data;
  emq_list_free(lists[0]);
  emq_list_free(lists[1]);
  return Qnil;
}

/* [[text, ...], [text, ...]] */
static VALUE emq_rb_give_lists(emq_list *first, emq_list *second) {
  emq_list *lists[] = {first, second};
  return rb_ensure(emq_rb_copy_lists, (VALUE)lists, emq_rb_free_lists, (VALUE)lists);
}
%}

/* Two lists at once: appending the second would put it into the first. */
%typemap(in, numinputs=0) (emq_list **recovered, emq_list **dead)
    (emq_list *first = NULL, emq_list *second = NULL) {
  $1 = &first;
  $2 = &second;
}
%typemap(argout) (emq_list **recovered, emq_list **dead) {
  if (result == EMQ_OK) %append_output(emq_rb_give_lists(*$1, *$2));
}

%define %emq_handle_out(TYPE, NAME)
%typemap(in, numinputs=0) TYPE **NAME (TYPE *made = NULL) "$1 = &made;"
%typemap(argout) TYPE **NAME {
  if (result == EMQ_OK) %append_output(emq_rb_give_##TYPE(*$1));
}
%enddef

/* A value that the core writes on EMQ_OK, and the VALUE that it is in Ruby. */
%define %emq_rb_value_out(TYPE, RUBY)
%typemap(in, numinputs=0) TYPE *out (TYPE made) {
  memset(&made, 0, sizeof made);
  $1 = &made;
}
%typemap(argout) TYPE *out {
  if (result == EMQ_OK) %append_output(RUBY);
}
%enddef

%{
static VALUE emq_rb_counts(const emq_counts *counts) {
  VALUE list = rb_ary_new_capa(EMQ_COUNTS);
  for (int i = 0; i < EMQ_COUNTS; i++) rb_ary_push(list, LL2NUM((long long)counts->of[i]));
  return list;
}

static VALUE emq_rb_place(const emq_place *place) {
  return rb_ary_new_from_args(3, INT2NUM(place->state), LL2NUM((long long)place->score_ms),
                              INT2NUM(place->sets));
}
%}

%emq_rb_value_out(emq_id, rb_utf8_str_new($1->text, EMQ_ID_LEN))
%emq_rb_value_out(emq_key, rb_str_new($1->text, (long)$1->len))
%emq_rb_value_out(emq_counts, emq_rb_counts($1))
%emq_rb_value_out(int64_t, LL2NUM((long long)*$1))
%emq_rb_value_out(uint64_t, ULL2NUM((unsigned long long)*$1))
%emq_rb_value_out(emq_outcome, INT2NUM(*$1))
%emq_rb_value_out(emq_state, INT2NUM(*$1))
%emq_rb_value_out(emq_count, INT2NUM(*$1))
%emq_rb_value_out(emq_place, emq_rb_place($1))

%typemap(in, numinputs=0) bool *more (bool made = false) "$1 = &made;"
%typemap(argout) bool *more {
  if (result == EMQ_OK) %append_output(*$1 ? Qtrue : Qfalse);
}

/* ---- the error, last: goes on with what waits, then raises what failed ---- */

%typemap(in, numinputs=0) emq_error *err (emq_error detail = EMQ_ERROR_INIT) "$1 = &detail;"
%typemap(argout) emq_error *err {
  emq_rb_raise_pending();
  if (result != EMQ_OK) rb_exc_raise(emq_rb_exception($1, result));
}
