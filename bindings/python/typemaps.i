/* SPDX-License-Identifier: MIT */
/* Python: how arguments go in and results come out. What each typemap is for stands in
 * common/arguments.i; the C they call is in glue.i. */

%include <stdint.i>
%include "python/glue.i"

/* ---- bytes and text ---- */

%typemap(in) (const char *bytes, size_t len) (Py_buffer view = {0}) {
  if (!emq_glue_bytes($input, "$1_name", &view, &$1, &$2)) SWIG_fail;
}
%typemap(freearg) (const char *bytes, size_t len) {
  if (view$argnum.obj) PyBuffer_Release(&view$argnum);
}

%typemap(in) (const char *optional, size_t len) (Py_buffer view = {0}) {
  if ($input == Py_None) {
    $1 = NULL;
    $2 = 0;
  } else if (!emq_glue_bytes($input, "$1_name", &view, &$1, &$2)) {
    SWIG_fail;
  }
}
%typemap(freearg) (const char *optional, size_t len) {
  if (view$argnum.obj) PyBuffer_Release(&view$argnum);
}

%typemap(out) emq_bytes { $result = emq_glue_from_bytes($1); }
%typemap(out) const char * { $result = emq_glue_from_text($1); }

/* ---- numbers ---- */

%define %emq_integer(TYPE, MIN, MAX)
%typemap(in) TYPE (int64_t number) {
  if (!emq_glue_integer($input, "$1_name", MIN, MAX, &number)) SWIG_fail;
  $1 = (TYPE)number;
}
%enddef
%emq_integer(int32_t, INT32_MIN, INT32_MAX)
%emq_integer(uint32_t, 0, UINT32_MAX)
%emq_integer(int64_t, INT64_MIN, INT64_MAX)
%emq_integer(size_t, 0, INT64_MAX)
%emq_integer(unsigned, 0, UINT32_MAX)

%typemap(in) uint64_t {
  if (!emq_glue_unsigned($input, "$1_name", &$1)) SWIG_fail;
}
%typemap(in) bool {
  if (!emq_glue_flag($input, "$1_name", &$1)) SWIG_fail;
}
%typemap(in) double {
  if (!emq_glue_number($input, "$1_name", &$1)) SWIG_fail;
}

/* ---- handles: capsules, so that no pointer without an owner ever meets Python ---- */

#define EMQ_OWN_HANDLES
%define %emq_handle_out(TYPE, NAME)
%{
static void emq_glue_release_##TYPE(void *handle) { TYPE##_free((TYPE *)handle); }
static void emq_glue_free_##TYPE(PyObject *capsule) {
  emq_glue_release_##TYPE(PyCapsule_GetPointer(capsule, #TYPE));
}
%}
%typemap(in) TYPE *, const TYPE * {
  $1 = ($1_ltype)PyCapsule_GetPointer($input, #TYPE);
  if (!$1) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s must be a handle of " #TYPE ", not %s", "$1_name",
                 Py_TYPE($input)->tp_name);
    SWIG_fail;
  }
}
%typemap(in, numinputs=0) TYPE **NAME (TYPE *handle = NULL) { $1 = &handle; }
%typemap(argout) TYPE **NAME {
  if (result == EMQ_OK) {
    $result = SWIG_AppendOutput($result, emq_glue_capsule(*$1, #TYPE, emq_glue_free_##TYPE,
                                                          emq_glue_release_##TYPE));
  }
}
%enddef

/* ---- out-parameters ---- */

%define %emq_out(PARAMETER, STORAGE, MAKE)
%typemap(in, numinputs=0) PARAMETER (STORAGE value) { $1 = &value; }
%typemap(argout) PARAMETER {
  if (result == EMQ_OK) $result = SWIG_AppendOutput($result, MAKE);
}
%enddef
%emq_out(emq_id *out, emq_id, emq_glue_from_text($1->text))
%emq_out(emq_key *out, emq_key, PyBytes_FromStringAndSize($1->text, (Py_ssize_t)$1->len))
%emq_out(emq_counts *out, emq_counts, emq_glue_from_counts($1))
%emq_out(int64_t *out, int64_t, PyLong_FromLongLong(*$1))
%emq_out(uint64_t *out, uint64_t, PyLong_FromUnsignedLongLong(*$1))
%emq_out(emq_place *out, emq_place,
         Py_BuildValue("iLi", (int)$1->state, (long long)$1->score_ms, (int)$1->sets))
%emq_out(bool *more, bool, PyBool_FromLong(*$1))
%emq_out(emq_outcome *out, emq_outcome, PyLong_FromLong((long)*$1))
%emq_out(emq_state *out, emq_state, PyLong_FromLong((long)*$1))
%emq_out(emq_count *out, emq_count, PyLong_FromLong((long)*$1))

/* ---- status and error ---- */

%typemap(out) emq_status {
  (void)$1;
  $result = Py_None;
  Py_INCREF(Py_None);
}
%typemap(in, numinputs=0) emq_error *err (emq_error detail = EMQ_ERROR_INIT) { $1 = &detail; }
%typemap(argout) emq_error *err {
  /* An exception that is set already came from a signal's handler, during the call. */
  if (result != EMQ_OK || PyErr_Occurred()) {
    if (!PyErr_Occurred()) emq_glue_raise($1);
    Py_CLEAR($result);
    SWIG_fail;
  }
}
%typemap(out) const emq_error * { $result = emq_glue_error($1); }
