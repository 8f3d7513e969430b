/* SPDX-License-Identifier: MIT */
/* Python: the C that the typemaps call, and the two hooks of a blocking call. */

%{
/* ---- errors ---- */

/* Text for people: what is not UTF-8 is shown as \xNN. */
static PyObject *emq_glue_from_text(const char *text) {
  if (!text) Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "backslashreplace");
}

/* The exception object of an error, made by the face; None for NULL. The face is looked up at each
 * error, not kept, so that every interpreter of a process raises classes of its own. */
static PyObject *emq_glue_error(const emq_error *error) {
  PyObject *module, *made;
  if (!error) Py_RETURN_NONE;
  module = PyImport_ImportModule("echomq._error");
  if (!module) return NULL;
  made = PyObject_CallMethod(
      module, "from_core", "iNNNN", (int)error->code, emq_glue_from_text(error->message),
      emq_glue_from_text(error->server_text), emq_glue_from_text(error->found),
      emq_glue_from_text(error->expected));
  Py_DECREF(module);
  return made;
}

static void emq_glue_raise(const emq_error *error) {
  PyObject *made = emq_glue_error(error);
  if (!made) return;
  PyErr_SetObject((PyObject *)Py_TYPE(made), made);
  Py_DECREF(made);
}

static void emq_glue_refuse(const char *format, ...) {
  emq_error error = EMQ_ERROR_INIT;
  va_list args;
  error.code = EMQ_ERR_INVALID_ARGUMENT;
  va_start(args, format);
  vsnprintf(error.message, sizeof error.message, format, args);
  va_end(args);
  emq_glue_raise(&error);
}

/* ---- in ---- */

/* The text's UTF-8, which lives as long as the str does. */
static int emq_glue_utf8(PyObject *input, const char *what, char **ptr, size_t *len) {
  PyObject *type, *value, *trace;
  Py_ssize_t size, at = 0;
  *ptr = (char *)PyUnicode_AsUTF8AndSize(input, &size);
  if (*ptr) {
    *len = (size_t)size;
    return 1;
  }
  if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return 0;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (!value || PyUnicodeEncodeError_GetStart(value, &at) < 0) PyErr_Clear();
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  emq_glue_refuse("%s has a lone surrogate at character %zd, which UTF-8 cannot carry: give bytes",
                  what, at);
  return 0;
}

/* Only these types: an object that merely offers a buffer may be a number (NumPy's are). The view
 * is held until the call has ended, so nobody can resize a bytearray meanwhile. */
static int emq_glue_bytes(PyObject *input, const char *what, Py_buffer *view, char **ptr,
                          size_t *len) {
  if (PyUnicode_Check(input)) return emq_glue_utf8(input, what, ptr, len);
  if (!PyBytes_Check(input) && !PyByteArray_Check(input) && !PyMemoryView_Check(input)) {
    PyErr_Format(PyExc_TypeError, "%s must be bytes, bytearray, memoryview or str, not %s", what,
                 Py_TYPE(input)->tp_name);
    return 0;
  }
  if (PyObject_GetBuffer(input, view, PyBUF_SIMPLE) < 0) {
    if (PyErr_ExceptionMatches(PyExc_BufferError)) {
      PyErr_Clear();
      emq_glue_refuse("%s is a memoryview that is not contiguous", what);
    }
    return 0;
  }
  *ptr = view->len ? (char *)view->buf : (char *)"";
  *len = (size_t)view->len;
  return 1;
}

/* An int, or what stands for one (__index__); a bool is a mistake. NULL with an exception set. */
static PyObject *emq_glue_index(PyObject *input, const char *what) {
  if (PyBool_Check(input) || !PyIndex_Check(input)) {
    PyErr_Format(PyExc_TypeError, "%s must be an int, not %s", what, Py_TYPE(input)->tp_name);
    return NULL;
  }
  return PyNumber_Index(input);
}

static int emq_glue_integer(PyObject *input, const char *what, int64_t min, int64_t max,
                            int64_t *out) {
  int overflow;
  PyObject *number = emq_glue_index(input, what);
  if (!number) return 0;
  *out = PyLong_AsLongLongAndOverflow(number, &overflow);
  Py_DECREF(number);
  if (!overflow && *out == -1 && PyErr_Occurred()) return 0;
  if (!overflow && *out >= min && *out <= max) return 1;
  emq_glue_refuse("%s must be an integer from %lld to %lld", what, (long long)min, (long long)max);
  return 0;
}

static int emq_glue_unsigned(PyObject *input, const char *what, uint64_t *out) {
  PyObject *number = emq_glue_index(input, what);
  if (!number) return 0;
  *out = PyLong_AsUnsignedLongLong(number);
  Py_DECREF(number);
  if (!PyErr_Occurred()) return 1;
  if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return 0;
  PyErr_Clear();
  emq_glue_refuse("%s must be an integer from 0 to %llu", what, (unsigned long long)UINT64_MAX);
  return 0;
}

/* An int too large for a float becomes infinite: the core refuses it with its own bounds. */
static int emq_glue_number(PyObject *input, const char *what, double *out) {
  if (PyBool_Check(input) || (!PyFloat_Check(input) && !PyLong_Check(input))) {
    PyErr_Format(PyExc_TypeError, "%s must be a float or an int, not %s", what,
                 Py_TYPE(input)->tp_name);
    return 0;
  }
  *out = PyFloat_AsDouble(input);
  if (*out != -1.0 || !PyErr_Occurred()) return 1;
  if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return 0;
  PyErr_Clear();
  *out = HUGE_VAL;
  return 1;
}

static int emq_glue_flag(PyObject *input, const char *what, bool *out) {
  if (!PyBool_Check(input)) {
    PyErr_Format(PyExc_TypeError, "%s must be a bool, not %s", what, Py_TYPE(input)->tp_name);
    return 0;
  }
  *out = input == Py_True;
  return 1;
}

/* ---- out ---- */

static PyObject *emq_glue_from_bytes(emq_bytes bytes) {
  if (!bytes.ptr) Py_RETURN_NONE;
  return PyBytes_FromStringAndSize(bytes.ptr, (Py_ssize_t)bytes.len);
}

/* A handle and what frees it, which also runs when no capsule can be made for it. */
static PyObject *emq_glue_capsule(void *handle, const char *name, PyCapsule_Destructor destructor,
                                  void (*release)(void *)) {
  PyObject *capsule;
  if (!handle) Py_RETURN_NONE;
  capsule = PyCapsule_New(handle, name, destructor);
  if (!capsule) release(handle);
  return capsule;
}

static PyObject *emq_glue_from_counts(const emq_counts *counts) {
  PyObject *list = PyList_New(EMQ_COUNTS);
  if (!list) return NULL;
  for (Py_ssize_t i = 0; i < EMQ_COUNTS; i++) {
    PyObject *number = PyLong_FromLongLong(counts->of[i]);
    if (!number) {
      Py_DECREF(list);
      return NULL;
    }
    PyList_SET_ITEM(list, i, number);
  }
  return list;
}

/* ---- the hooks of a blocking call: the only place where the lock is released ---- */

/* The thread's state while it is outside. By thread and not by client: threads share clients. */
static _Thread_local PyThreadState *emq_glue_state;

static int emq_glue_outside(void (*body)(void *), void *body_data, void *hook_data) {
  (void)hook_data;
  emq_glue_state = PyEval_SaveThread();
  body(body_data);
  PyEval_RestoreThread(emq_glue_state);
  return 0;
}

/* Runs the handlers of signals that came (in the main thread; elsewhere nothing happens). What a
 * handler raises stays set on the thread's state, for the wrapper to find. */
static int emq_glue_interrupt(void *hook_data) {
  int raised;
  (void)hook_data;
  PyEval_RestoreThread(emq_glue_state);
  raised = PyErr_CheckSignals() < 0;
  emq_glue_state = PyEval_SaveThread();
  return raised;
}
%}
