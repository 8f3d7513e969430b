/* SPDX-License-Identifier: MIT */
/* Lua: the C that the typemaps call, and the two hooks of a blocking call. */

%{
#include <pthread.h>

/* SWIG's start-up writes to the global table: the module under its own name, and two helpers. A
 * module of today leaves no globals. */
#undef SWIG_LUA_MODULE_GLOBAL
#undef lua_pushglobaltable
#define lua_pushglobaltable(L) lua_newtable(L)

/* ---- errors ---- */

#define EMQ_GLUE_ERROR "echomq.Error" /* the error objects' metatable, in the registry */
#define EMQ_GLUE_FACE "echomq.face"   /* the sources of the Lua files of this package, likewise */

static void emq_glue_push_code(lua_State *L, emq_status status) {
  const emq_error_class *row = emq_error_class_of(status);
  char code[32];
  size_t len = 0;
  for (const char *at = row ? row->name : "error"; *at && len < sizeof code; at++, len++)
    code[len] = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
  lua_pushlstring(L, code, len);
}

/* Pushes the error object of an error; nil for NULL. */
static void emq_glue_push_error(lua_State *L, const emq_error *error) {
  if (!error) {
    lua_pushnil(L);
    return;
  }
  const emq_error_class *row = emq_error_class_of(error->code);
  lua_createtable(L, 0, 4);
  emq_glue_push_code(L, error->code);
  lua_setfield(L, -2, "code");
  lua_pushstring(L, *error->message || !row ? error->message : row->text);
  lua_setfield(L, -2, "message");
  lua_pushboolean(L, error->retriable);
  lua_setfield(L, -2, "retriable");
  if (*error->server_text) {
    lua_pushstring(L, error->server_text);
    lua_setfield(L, -2, "server_text");
  }
  if (error->code == EMQ_ERR_FENCE) {
    lua_pushstring(L, error->found);
    lua_setfield(L, -2, "found");
    lua_pushstring(L, error->expected);
    lua_setfield(L, -2, "expected");
  }
  luaL_setmetatable(L, EMQ_GLUE_ERROR);
}

/* Pushes the place in the script that called into this package, such as "app.lua:7: ", or "". */
static void emq_glue_push_where(lua_State *L) {
  lua_Debug frame;
  lua_getfield(L, LUA_REGISTRYINDEX, EMQ_GLUE_FACE);
  for (int level = 1; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "S", &frame);
    if (*frame.what == 'C') continue;
    lua_pushstring(L, frame.source);
    bool ours = lua_rawget(L, -2) != LUA_TNIL;
    lua_pop(L, 1);
    if (ours) continue;
    lua_pop(L, 1);
    luaL_where(L, level);
    return;
  }
  lua_pop(L, 1);
  lua_pushliteral(L, "");
}

/* What a script should not have done is raised, and says where it was done. */
static bool emq_glue_is_misuse(emq_status status) {
  return status == EMQ_ERR_INVALID_ARGUMENT || status == EMQ_ERR_CLOSED;
}

static void emq_glue_push_misuse(lua_State *L, const emq_error *error) {
  emq_glue_push_error(L, error);
  emq_glue_push_where(L);
  lua_setfield(L, -2, "where");
}

/* The misuse of an argument, as text to be finished by the caller's format. */
static void emq_glue_push_refusal(lua_State *L, emq_status status, const char *format, ...) {
  emq_error error = EMQ_ERROR_INIT;
  va_list args;
  error.code = status;
  va_start(args, format);
  vsnprintf(error.message, sizeof error.message, format, args);
  va_end(args);
  emq_glue_push_misuse(L, &error);
}

/* ---- in: each returns whether it could, and pushes the refusal if not ---- */

/* Never lua_isstring or lua_tolstring on a number, which would turn it into a string in place. */
static bool emq_glue_bytes(lua_State *L, int index, const char *what, const char **ptr,
                           size_t *len) {
  if (lua_type(L, index) != LUA_TSTRING) {
    emq_glue_push_refusal(L, EMQ_ERR_INVALID_ARGUMENT, "%s must be a string, not %s", what,
                          luaL_typename(L, index));
    return false;
  }
  *ptr = lua_tolstring(L, index, len);
  return true;
}

/* As in Lua's own library, a float that is a whole number will do, and a string will not. */
static bool emq_glue_integer(lua_State *L, int index, const char *what, lua_Integer min,
                             lua_Integer max, lua_Integer *out) {
  int whole = 0;
  if (lua_type(L, index) != LUA_TNUMBER) {
    emq_glue_push_refusal(L, EMQ_ERR_INVALID_ARGUMENT, "%s must be an integer, not %s", what,
                          luaL_typename(L, index));
    return false;
  }
  *out = lua_tointegerx(L, index, &whole);
  if (whole && *out >= min && *out <= max) return true;
  if (!whole)
    emq_glue_push_refusal(L, EMQ_ERR_INVALID_ARGUMENT, "%s must be an integer, not %.17g", what,
                          (double)lua_tonumber(L, index));
  else
    emq_glue_push_refusal(L, EMQ_ERR_INVALID_ARGUMENT, "%s must be from %lld to %lld, not %lld",
                          what, (long long)min, (long long)max, (long long)*out);
  return false;
}

static bool emq_glue_number(lua_State *L, int index, const char *what, double *out) {
  if (lua_type(L, index) != LUA_TNUMBER) {
    emq_glue_push_refusal(L, EMQ_ERR_INVALID_ARGUMENT, "%s must be a number, not %s", what,
                          luaL_typename(L, index));
    return false;
  }
  *out = lua_tonumber(L, index);
  return true;
}

static bool emq_glue_flag(lua_State *L, int index, const char *what, bool *out) {
  if (lua_type(L, index) != LUA_TBOOLEAN) {
    emq_glue_push_refusal(L, EMQ_ERR_INVALID_ARGUMENT, "%s must be true or false, not %s", what,
                          luaL_typename(L, index));
    return false;
  }
  *out = lua_toboolean(L, index) != 0;
  return true;
}

/* ---- handles ---- */

typedef struct emq_glue_box {
  void *handle; /* NULL: not there yet, or freed */
} emq_glue_box;

/* The metatable, with the function that frees, is out of a script's reach. */
static void emq_glue_new_type(lua_State *L, const char *type, lua_CFunction release) {
  luaL_newmetatable(L, type);
  lua_pushcfunction(L, release);
  lua_setfield(L, -2, "__gc");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

static emq_glue_box *emq_glue_new_box(lua_State *L, const char *type) {
  emq_glue_box *box = lua_newuserdata(L, sizeof *box);
  box->handle = NULL;
  luaL_setmetatable(L, type);
  return box;
}

/* Takes the handle out of a box. */
static void *emq_glue_empty(emq_glue_box *box) {
  void *handle = box ? box->handle : NULL;
  if (box) box->handle = NULL;
  return handle;
}

/* The handle of an argument; or NULL, with the refusal pushed. A box is empty when the collector
 * has been there, as at the end of a program. */
static void *emq_glue_handle(lua_State *L, int index, const char *type, const char *what) {
  emq_glue_box *box = luaL_testudata(L, index, type);
  if (!box)
    emq_glue_push_refusal(L, EMQ_ERR_INVALID_ARGUMENT, "%s must be a handle of %s, not %s", what,
                          type, luaL_typename(L, index));
  else if (!box->handle)
    emq_glue_push_refusal(L, EMQ_ERR_CLOSED, "the %s is closed", what);
  return box ? box->handle : NULL;
}

/* ---- out: each returns how many values it pushed ---- */

static void emq_glue_push_bytes(lua_State *L, emq_bytes bytes) {
  if (bytes.ptr)
    lua_pushlstring(L, bytes.ptr, bytes.len);
  else
    lua_pushnil(L);
}

/* The box itself, which is the value on top. */
static int emq_glue_give_box(lua_State *L, emq_glue_box *box) {
  (void)L;
  (void)box;
  return 1;
}

/* id, payload and token; nil for none. */
static int emq_glue_give_job(lua_State *L, emq_glue_box *box) {
  const emq_job *job = box->handle;
  if (!job) {
    lua_pushnil(L);
    return 1;
  }
  emq_glue_push_bytes(L, emq_job_id(job));
  emq_glue_push_bytes(L, emq_job_payload(job));
  lua_pushinteger(L, (lua_Integer)emq_job_token(job));
  emq_job_free(emq_glue_empty(box));
  return 3;
}

/* A table of the fields by name; nil for none. */
static int emq_glue_give_row(lua_State *L, emq_glue_box *box) {
  const emq_row *row = box->handle;
  if (!row) {
    lua_pushnil(L);
    return 1;
  }
  lua_newtable(L);
  for (size_t i = 0; i < emq_row_size(row); i++) {
    emq_glue_push_bytes(L, emq_row_name(row, i));
    emq_glue_push_bytes(L, emq_row_value(row, i));
    lua_rawset(L, -3);
  }
  emq_row_free(emq_glue_empty(box));
  return 1;
}

/* A list of strings; nil for none. */
static int emq_glue_give_list(lua_State *L, emq_glue_box *box) {
  const emq_list *list = box->handle;
  if (!list) {
    lua_pushnil(L);
    return 1;
  }
  lua_newtable(L);
  for (size_t i = 0; i < emq_list_size(list); i++) {
    emq_glue_push_bytes(L, emq_list_text(list, i));
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  emq_list_free(emq_glue_empty(box));
  return 1;
}

/* A list of tables with id, payload and token. */
static int emq_glue_give_jobs(lua_State *L, emq_glue_box *box) {
  const emq_jobs *jobs = box->handle;
  lua_newtable(L);
  for (size_t i = 0; i < emq_jobs_size(jobs); i++) {
    lua_createtable(L, 0, 4);
    emq_glue_push_bytes(L, emq_jobs_id(jobs, i));
    lua_setfield(L, -2, "id");
    emq_glue_push_bytes(L, emq_jobs_payload(jobs, i));
    lua_setfield(L, -2, "payload");
    lua_pushinteger(L, (lua_Integer)emq_jobs_token(jobs, i));
    lua_setfield(L, -2, "token");
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  emq_jobs_free(emq_glue_empty(box));
  return 1;
}

static void emq_glue_push_place(lua_State *L, const emq_place *place) {
  lua_createtable(L, 3, 0);
  lua_pushinteger(L, (lua_Integer)place->state);
  lua_rawseti(L, -2, 1);
  lua_pushinteger(L, (lua_Integer)place->score_ms);
  lua_rawseti(L, -2, 2);
  lua_pushinteger(L, (lua_Integer)place->sets);
  lua_rawseti(L, -2, 3);
}

static void emq_glue_push_counts(lua_State *L, const emq_counts *counts) {
  lua_createtable(L, EMQ_COUNTS, 0);
  for (int i = 0; i < EMQ_COUNTS; i++) {
    lua_pushinteger(L, (lua_Integer)counts->of[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

/* ---- the hooks of a blocking call ----
 *
 * Lua has no lock to release. What a call owes to the script while it waits is Lua's debug hooks:
 * the handlers of lua.c (Ctrl-C) and of libraries like luaposix set one from the signal, for the
 * next instruction to find. The interrupt hook calls a function that does nothing, in protected
 * mode, so that a debug hook runs as it would at any call; what it raises ends the core's call
 * and is raised again once the core has returned. A signal sets the main state's hook, which
 * belongs to that state alone: it is run there even if the call is a coroutine's. */

typedef struct emq_glue_call {
  lua_State *L;
  int raised;                  /* where on L's stack an error waits; 0: none */
  struct emq_glue_call *outer; /* a debug hook made this call while another waited */
} emq_glue_call;

/* By thread of the system: a process may have several Lua states. */
static _Thread_local emq_glue_call *emq_glue_current;
static _Thread_local int emq_glue_raised; /* of the call that just ended */

static void emq_glue_enter(emq_glue_call *call, lua_State *L) {
  call->L = L;
  call->raised = 0;
  call->outer = emq_glue_current;
  emq_glue_current = call;
}

static void emq_glue_leave(emq_glue_call *call) {
  emq_glue_current = call->outer;
  emq_glue_raised = call->raised;
}

/* Pushes the error that waits, if one does. */
static bool emq_glue_push_raised(lua_State *L) {
  if (!emq_glue_raised) return false;
  lua_pushvalue(L, emq_glue_raised);
  return true;
}

static int emq_glue_nothing(lua_State *L) {
  (void)L;
  return 0;
}

/* Runs the debug hook of `state`; what it raises goes to the top of the call's stack. */
static void emq_glue_run_hook(emq_glue_call *call, lua_State *state) {
  if (call->raised || !lua_gethook(state) || !lua_checkstack(state, LUA_MINSTACK)) return;
  lua_pushcfunction(state, emq_glue_nothing);
  if (lua_pcall(state, 0, 0, 0) == LUA_OK) return;
  if (state != call->L) lua_xmove(state, call->L, 1);
  call->raised = lua_gettop(call->L);
}

static int emq_glue_interrupt(void *hook_data) {
  (void)hook_data;
  emq_glue_call *call = emq_glue_current;
  if (!call) return 0;
  emq_glue_run_hook(call, call->L);
  lua_rawgeti(call->L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  lua_State *main = lua_tothread(call->L, -1);
  lua_pop(call->L, 1);
  if (main && main != call->L) emq_glue_run_hook(call, main);
  return call->raised != 0;
}

static int emq_glue_outside(void (*body)(void *), void *body_data, void *hook_data) {
  (void)hook_data;
  body(body_data);
  return 0;
}

/* ---- what the face calls besides the core ---- */

/* emq_face(): says that the calling file belongs to this package, so that errors name the line of
 * the script that called it. */
static int emq_glue_face(lua_State *L) {
  lua_Debug frame;
  if (!lua_getstack(L, 1, &frame) || !lua_getinfo(L, "S", &frame)) return 0;
  lua_getfield(L, LUA_REGISTRYINDEX, EMQ_GLUE_FACE);
  lua_pushstring(L, frame.source);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  return 0;
}

/* emq_alive(handle): whether the collector has not freed it, as it does at the end of a program. */
static int emq_glue_alive(lua_State *L) {
  const emq_glue_box *box = lua_touserdata(L, 1);
  lua_pushboolean(L, box && box->handle);
  return 1;
}

/* emq_raise(status, message): raises a misuse. */
static int emq_glue_raise(lua_State *L) {
  emq_status status = (emq_status)luaL_checkinteger(L, 1);
  emq_glue_push_refusal(L, status, "%s", luaL_checkstring(L, 2));
  return lua_error(L);
}

/* ---- loading ---- */

static int luaopen__echomq_once(lua_State *L);
int luaopen_echomq__echomq(lua_State *L);

/* SWIG's start-up fills tables that all Lua states of a process share: one thread at a time. */
SWIGEXPORT int luaopen_echomq__echomq(lua_State *L) {
  static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&turn);
  lua_pushcfunction(L, luaopen__echomq_once);
  int status = lua_pcall(L, 0, 1, 0);
  pthread_mutex_unlock(&turn);
  return status == LUA_OK ? 1 : lua_error(L);
}
%}

%native(emq_face) int emq_glue_face(lua_State *L);
%native(emq_alive) int emq_glue_alive(lua_State *L);
%native(emq_raise) int emq_glue_raise(lua_State *L);

/* The module's table is on top of the stack. */
%init %{
  luaL_newmetatable(L, EMQ_GLUE_ERROR);
  lua_setfield(L, -2, "Error");
  luaL_getsubtable(L, LUA_REGISTRYINDEX, EMQ_GLUE_FACE);
  lua_pop(L, 1);
%}

/* SWIG's own entry point, which is not exported, under a name that can be declared above it. */
%wrapper %{
int luaopen__echomq(lua_State *L);
static int luaopen__echomq_once(lua_State *L) { return luaopen__echomq(L); }
%}
