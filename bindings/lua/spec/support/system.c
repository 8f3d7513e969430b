/* SPDX-License-Identifier: MIT */
/* For the specs: what plain Lua cannot do. Processes, signals, unix sockets, more Lua states. A
 * failed system call raises an error. `support/system.lua` compiles and loads this. */

#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failed(lua_State *L, const char *what) {
  return luaL_error(L, "%s: %s", what, strerror(errno));
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int system_now(lua_State *L) {
  lua_pushnumber(L, now());
  return 1;
}

static int system_pause(lua_State *L) {
  poll(NULL, 0, (int)(luaL_checknumber(L, 1) * 1000));
  return 0;
}

/* ---- processes ---- */

static int system_pid(lua_State *L) {
  lua_pushinteger(L, getpid());
  return 1;
}

static int system_fork(lua_State *L) {
  pid_t pid = fork();
  if (pid < 0)
    return failed(L, "fork");
  lua_pushinteger(L, pid);
  return 1;
}

/* exit(code): at once, as a forked child must, which shares its parent's test runner. */
static int system_exit(lua_State *L) { _exit((int)luaL_checkinteger(L, 1)); }

/* spawn(words) -> pid, descriptor of its input, descriptor of its output and errors. Signals are
 * as a shell gives them to a program that it runs. */
static int system_spawn(lua_State *L) {
  int in[2], out[2];
  char *words[64] = {NULL};
  int count = (int)luaL_len(L, 1);
  luaL_argcheck(L, count > 0 && count < 64, 1, "1 to 63 words");
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, 1, i + 1); /* stays on the stack, and so does its text */
    words[i] = (char *)luaL_checkstring(L, -1);
  }
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
    return failed(L, "pipe");
  pid_t pid = fork();
  if (pid < 0)
    return failed(L, "fork");
  if (pid == 0) {
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    dup2(in[0], 0);
    dup2(out[1], 1);
    dup2(out[1], 2);
    execvp(words[0], words);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  lua_pushinteger(L, pid);
  lua_pushinteger(L, in[1]);
  lua_pushinteger(L, out[0]);
  return 3;
}

/* wait(pid, seconds) -> exit code, or minus the number of the signal that ended it; nil when it
 * still runs. */
static int system_wait(lua_State *L) {
  pid_t pid = (pid_t)luaL_checkinteger(L, 1);
  double until = now() + luaL_checknumber(L, 2);
  int status = 0;
  for (;;) {
    pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended < 0 && errno != EINTR)
      return failed(L, "waitpid");
    if (ended == pid)
      break;
    if (now() > until)
      return 0;
    poll(NULL, 0, 5);
  }
  lua_pushinteger(L, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
  return 1;
}

static int system_kill(lua_State *L) {
  if (kill((pid_t)luaL_checkinteger(L, 1), (int)luaL_checkinteger(L, 2)) != 0)
    return failed(L, "kill");
  return 0;
}

/* ---- signals, in the way of luaposix: a hook that the next instruction runs ---- */

static lua_State *signal_state;
static volatile sig_atomic_t signal_came;

static void run_handler(lua_State *L, lua_Debug *event) {
  (void)event;
  lua_sethook(L, NULL, 0, 0);
  lua_getfield(L, LUA_REGISTRYINDEX, "spec.handler");
  lua_pushinteger(L, signal_came);
  lua_call(L, 1, 0);
}

static void on_signal(int number) {
  signal_came = number;
  lua_sethook(signal_state, run_handler, LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1);
}

/* handle(signal, function) */
static int system_handle(lua_State *L) {
  struct sigaction action = {.sa_handler = on_signal};
  lua_settop(L, 2);
  lua_setfield(L, LUA_REGISTRYINDEX, "spec.handler");
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  signal_state = lua_tothread(L, -1);
  if (sigaction((int)luaL_checkinteger(L, 1), &action, NULL) != 0)
    return failed(L, "sigaction");
  return 0;
}

/* ---- descriptors ---- */

/* Waits until there is something to read; an error after that time. */
static void await_input(lua_State *L, int fd, double seconds) {
  struct pollfd watched = {fd, POLLIN, 0};
  double until = now() + seconds;
  int ready;
  do {
    double left = until - now();
    ready = poll(&watched, 1, left > 0 ? (int)(left * 1000) + 1 : 0);
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0)
    luaL_error(L, "nothing came in time");
}

static int unix_socket(lua_State *L, struct sockaddr_un *address) {
  size_t len;
  const char *path = luaL_checklstring(L, 1, &len);
  luaL_argcheck(L, len < sizeof address->sun_path, 1, "too long for a socket");
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, len + 1);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return fd < 0 ? failed(L, "socket") : fd;
}

/* connect(path) -> descriptor, or nil and why not. */
static int system_connect(lua_State *L) {
  struct sockaddr_un address;
  int fd = unix_socket(L, &address);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    lua_pushnil(L);
    lua_pushstring(L, strerror(errno));
    close(fd);
    return 2;
  }
  lua_pushinteger(L, fd);
  return 1;
}

static int system_listen(lua_State *L) {
  struct sockaddr_un address;
  int fd = unix_socket(L, &address);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 16) != 0)
    return failed(L, "listen");
  lua_pushinteger(L, fd);
  return 1;
}

static int system_accept(lua_State *L) {
  await_input(L, (int)luaL_checkinteger(L, 1), luaL_checknumber(L, 2));
  int fd = accept4((int)luaL_checkinteger(L, 1), NULL, NULL, SOCK_CLOEXEC);
  if (fd < 0)
    return failed(L, "accept");
  lua_pushinteger(L, fd);
  return 1;
}

static int system_write(lua_State *L) {
  size_t len;
  int fd = (int)luaL_checkinteger(L, 1);
  const char *bytes = luaL_checklstring(L, 2, &len);
  while (len > 0) {
    ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);
    if (n < 0 && errno == ENOTSOCK)
      n = write(fd, bytes, len);
    if (n < 0)
      return failed(L, "write");
    bytes += n;
    len -= (size_t)n;
  }
  return 0;
}

/* read(fd, seconds) -> what is there, "" at the end; an error after that time. */
static int system_read(lua_State *L) {
  char room[65536];
  int fd = (int)luaL_checkinteger(L, 1);
  await_input(L, fd, luaL_checknumber(L, 2));
  ssize_t n = read(fd, room, sizeof room);
  if (n < 0 && errno != ECONNRESET)
    return failed(L, "read");
  lua_pushlstring(L, room, n < 0 ? 0 : (size_t)n);
  return 1;
}

static int system_close(lua_State *L) {
  close((int)luaL_checkinteger(L, 1));
  return 0;
}

/* ---- more Lua states in this process, each in a thread of its own ---- */

typedef struct other {
  pthread_t thread;
  const char *code, *path, *cpath, *argument;
  char answer[512]; /* what the code returned, or the error */
} other;

static void *run_state(void *data) {
  other *o = data;
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  lua_getglobal(L, "package");
  lua_pushstring(L, o->path);
  lua_setfield(L, -2, "path");
  lua_pushstring(L, o->cpath);
  lua_setfield(L, -2, "cpath");
  lua_settop(L, 0);
  if (luaL_loadstring(L, o->code) == LUA_OK) {
    lua_pushstring(L, o->argument);
    lua_pcall(L, 1, 1, 0);
  }
  strncpy(o->answer, luaL_tolstring(L, -1, NULL), sizeof o->answer - 1);
  lua_close(L);
  return NULL;
}

/* states(count, code, argument) -> a list of what the code returned in each. */
static int system_states(lua_State *L) {
  int count = (int)luaL_checkinteger(L, 1);
  other *others = lua_newuserdata(L, sizeof(other) * (size_t)count);
  memset(others, 0, sizeof(other) * (size_t)count);
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "path");
  lua_getfield(L, -2, "cpath");
  for (int i = 0; i < count; i++) {
    others[i].code = luaL_checkstring(L, 2);
    others[i].argument = luaL_checkstring(L, 3);
    others[i].path = lua_tostring(L, -2);
    others[i].cpath = lua_tostring(L, -1);
    errno = pthread_create(&others[i].thread, NULL, run_state, &others[i]);
    if (errno)
      return failed(L, "pthread_create");
  }
  lua_newtable(L);
  for (int i = 0; i < count; i++) {
    pthread_join(others[i].thread, NULL);
    lua_pushstring(L, others[i].answer);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* ---- a Lua state that is out of memory now and then ---- */

static long allocations_left = -1; /* before the one that fails; negative: none does */

static void *starving(void *data, void *ptr, size_t old_size, size_t size) {
  (void)data;
  if (size == 0) {
    free(ptr);
    return NULL;
  }
  /* Lua relies on it that shrinking works. */
  bool grows = !ptr || size > old_size;
  if (grows && allocations_left >= 0 && allocations_left-- == 0)
    return NULL;
  return realloc(ptr, size);
}

/* starve(code, argument) -> how often the function that the code returns was called, each time
 * with one allocation more before the one that fails, until none failed. Any other error than
 * Lua's own of memory is raised. */
static int system_starve(lua_State *L) {
  long rounds = 0;
  char failure[512] = "";
  lua_State *other = lua_newstate(starving, NULL);
  luaL_openlibs(other);
  lua_getglobal(L, "package");
  lua_getglobal(other, "package");
  lua_getfield(L, -1, "path");
  lua_pushstring(other, lua_tostring(L, -1));
  lua_setfield(other, -2, "path");
  lua_getfield(L, -2, "cpath");
  lua_pushstring(other, lua_tostring(L, -1));
  lua_setfield(other, -2, "cpath");
  int status = luaL_loadstring(other, luaL_checkstring(L, 1));
  lua_pushstring(other, luaL_checkstring(L, 2));
  if (status == LUA_OK)
    status = lua_pcall(other, 1, 1, 0);
  for (bool failed = true; status == LUA_OK && failed; rounds++) {
    lua_pushvalue(other, -1);
    allocations_left = rounds;
    status = lua_pcall(other, 0, 0, 0);
    failed = allocations_left < 0;
    allocations_left = -1;
    if (status == LUA_ERRMEM) {
      status = LUA_OK;
      lua_pop(other, 1);
    }
  }
  if (status != LUA_OK)
    strncpy(failure, luaL_tolstring(other, -1, NULL), sizeof failure - 1);
  lua_close(other);
  if (*failure)
    return luaL_error(L, "in round %d: %s", (int)rounds, failure);
  lua_pushinteger(L, rounds);
  return 1;
}

int luaopen_spec_system(lua_State *L);
int luaopen_spec_system(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"now", system_now},       {"pid", system_pid},       {"fork", system_fork},
      {"exit", system_exit},     {"spawn", system_spawn},   {"wait", system_wait},
      {"kill", system_kill},     {"handle", system_handle}, {"connect", system_connect},
      {"listen", system_listen}, {"accept", system_accept}, {"write", system_write},
      {"read", system_read},     {"close", system_close},   {"states", system_states},
      {"pause", system_pause},   {"starve", system_starve}, {NULL, NULL},
  };
  luaL_newlib(L, functions);
  return 1;
}
