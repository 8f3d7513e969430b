/* SPDX-License-Identifier: MIT */
/* Lua: how arguments go in and results come out. What each typemap is for stands in
 * common/arguments.i; the C they call is in glue.i.
 *
 * A failed call gives nil and an error object; misuse (an argument that is refused before anything
 * is sent, a closed client) raises that object. Nothing that a typemap takes needs to be given
 * back: bytes are borrowed from the script's strings, which stay on the stack during the call, and
 * what the core hands over goes into a userdata that was made before the call. So an error of
 * Lua's own (no memory) may leave a wrapper anywhere but inside the core. */

%include <stdint.i>
%include "lua/glue.i"

/* ---- bytes and text ---- */

%typemap(in) (const char *bytes, size_t len) (size_t size) {
  if (!emq_glue_bytes(L, $input, "$1_name", (const char **)&$1, &size)) SWIG_fail;
  $2 = size;
}
%typemap(in) (const char *optional, size_t len) (size_t size) {
  if (lua_isnil(L, $input)) {
    $1 = NULL;
    $2 = 0;
  } else {
    if (!emq_glue_bytes(L, $input, "$1_name", (const char **)&$1, &size)) SWIG_fail;
    $2 = size;
  }
}
%typemap(in) const char *what (size_t size) {
  if (!emq_glue_bytes(L, $input, "$1_name", (const char **)&$1, &size)) SWIG_fail;
}

%typemap(out) emq_bytes { emq_glue_push_bytes(L, $1); SWIG_arg++; }
%typemap(out) const char * { lua_pushstring(L, $1); SWIG_arg++; } /* NULL is nil */

/* ---- numbers: integers of 64 bits, never by way of a float ---- */

%define %emq_integer(TYPE, MIN, MAX)
%typemap(in) TYPE (lua_Integer number) {
  if (!emq_glue_integer(L, $input, "$1_name", MIN, MAX, &number)) SWIG_fail;
  $1 = ($1_ltype)number;
}
%typemap(out) TYPE { lua_pushinteger(L, (lua_Integer)$1); SWIG_arg++; }
%enddef
%emq_integer(int32_t, INT32_MIN, INT32_MAX)
%emq_integer(uint32_t, 0, UINT32_MAX)
%emq_integer(unsigned, 0, UINT32_MAX)
%emq_integer(int64_t, INT64_MIN, INT64_MAX)
%emq_integer(uint64_t, 0, INT64_MAX)
%emq_integer(size_t, 0, INT64_MAX)
%emq_integer(enum SWIGTYPE, INT32_MIN, INT32_MAX)

%typemap(in) double {
  if (!emq_glue_number(L, $input, "$1_name", &$1)) SWIG_fail;
}
%typemap(in) bool {
  if (!emq_glue_flag(L, $input, "$1_name", &$1)) SWIG_fail;
}
%typemap(out) bool { lua_pushboolean(L, $1); SWIG_arg++; }

/* ---- handles: userdata of our own ---- */

#define EMQ_OWN_HANDLES
%define %emq_handle_out(TYPE, NAME)
%{
static int emq_glue_free_##TYPE(lua_State *L) {
  TYPE##_free(emq_glue_empty(luaL_testudata(L, 1, #TYPE)));
  return 0;
}
%}
%init %{
  emq_glue_new_type(L, #TYPE, emq_glue_free_##TYPE);
%}
%typemap(in) TYPE *, const TYPE * {
  $1 = emq_glue_handle(L, $input, #TYPE, "$1_name");
  if (!$1) SWIG_fail;
}
/* The userdata is made when all arguments are good, and filled as soon as the call is over. */
%typemap(in, numinputs=0) TYPE **NAME (TYPE *made = NULL, emq_glue_box *box) { $1 = &made; }
%typemap(check) TYPE **NAME { box$argnum = emq_glue_new_box(L, #TYPE); }
%typemap(argout) TYPE **NAME {
  if (result == EMQ_OK) {
    box$argnum->handle = *$1;
    SWIG_arg += emq_glue_give_##TYPE(L, box$argnum);
  }
}
%enddef

%{
#define emq_glue_give_emq_client emq_glue_give_box
#define emq_glue_give_emq_minter emq_glue_give_box
#define emq_glue_give_emq_batch emq_glue_give_box
#define emq_glue_give_emq_leases emq_glue_give_box
#define emq_glue_give_emq_job emq_glue_give_job
#define emq_glue_give_emq_jobs emq_glue_give_jobs
#define emq_glue_give_emq_row emq_glue_give_row
#define emq_glue_give_emq_list emq_glue_give_list
%}

/* The two lists of a sweep, both of which are safe before Lua is asked for memory. */
%typemap(in, numinputs=0) (emq_list **recovered, emq_list **dead)
    (emq_list *back = NULL, emq_list *given_up = NULL, emq_glue_box *back_box,
     emq_glue_box *given_up_box) {
  $1 = &back;
  $2 = &given_up;
}
%typemap(check) (emq_list **recovered, emq_list **dead) {
  back_box$argnum = emq_glue_new_box(L, "emq_list");
  given_up_box$argnum = emq_glue_new_box(L, "emq_list");
}
%typemap(argout) (emq_list **recovered, emq_list **dead) {
  if (result == EMQ_OK) {
    back_box$argnum->handle = *$1;
    given_up_box$argnum->handle = *$2;
    SWIG_arg += emq_glue_give_list(L, back_box$argnum);
    SWIG_arg += emq_glue_give_list(L, given_up_box$argnum);
  }
}

/* Jobs, rows and lists come back as values: a handle would keep a second copy of the payload until
 * the collector came by, who knows nothing of its size. */
%ignore emq_job_id;
%ignore emq_job_payload;
%ignore emq_job_token;
%ignore emq_row_size;
%ignore emq_row_name;
%ignore emq_row_value;
%ignore emq_row_field;
%ignore emq_list_size;
%ignore emq_list_text;
%ignore emq_jobs_size;
%ignore emq_jobs_id;
%ignore emq_jobs_payload;
%ignore emq_jobs_token;

/* ---- out-parameters ---- */

%define %emq_out(PARAMETER, STORAGE, PUSH)
%typemap(in, numinputs=0) PARAMETER (STORAGE value) { $1 = &value; }
%typemap(argout) PARAMETER {
  if (result == EMQ_OK) {
    PUSH;
    SWIG_arg++;
  }
}
%enddef
%emq_out(emq_id *out, emq_id, lua_pushlstring(L, $1->text, EMQ_ID_LEN))
%emq_out(emq_key *out, emq_key, lua_pushlstring(L, $1->text, $1->len))
%emq_out(emq_counts *out, emq_counts, emq_glue_push_counts(L, $1))
%emq_out(emq_place *out, emq_place, emq_glue_push_place(L, $1))
%emq_out(bool *more, bool, lua_pushboolean(L, *$1))
%emq_out(int64_t *out, int64_t, lua_pushinteger(L, (lua_Integer)*$1))
%emq_out(uint64_t *out, uint64_t, lua_pushinteger(L, (lua_Integer)*$1))
%emq_out(emq_outcome *out, emq_outcome, lua_pushinteger(L, (lua_Integer)*$1))
%emq_out(emq_state *out, emq_state, lua_pushinteger(L, (lua_Integer)*$1))
%emq_out(emq_count *out, emq_count, lua_pushinteger(L, (lua_Integer)*$1))

/* ---- status and error ---- */

%typemap(out) emq_status { (void)$1; }
%typemap(in, numinputs=0) emq_error *err (emq_error detail = EMQ_ERROR_INIT) { $1 = &detail; }
%typemap(argout) emq_error *err {
  if (emq_glue_push_raised(L)) SWIG_fail;
  if (result != EMQ_OK) {
    if (emq_glue_is_misuse(result)) {
      emq_glue_push_misuse(L, $1);
      SWIG_fail;
    }
    lua_pushnil(L);
    emq_glue_push_error(L, $1);
    SWIG_arg = 2;
  }
}
%typemap(out) const emq_error * { emq_glue_push_error(L, $1); SWIG_arg++; }

/* ---- around every call ---- */

%exception {
  emq_glue_call call;
  emq_glue_enter(&call, L);
  $action
  emq_glue_leave(&call);
}
