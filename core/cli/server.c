/* SPDX-License-Identifier: MIT */
/* server: a private server in the foreground, on a unix socket in a temporary folder. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "cli/input.h"
#include "cli/output.h"

enum { START_MS = 20000, STOP_MS = 5000, LOG_MAX = 1 << 20 };

const cli_option cli_server_options[] = {
    CLI_OPTION_TEXT("kind", 0, kind, "KIND", "valkey or redis; else valkey if it is installed"),
    CLI_OPTIONS_END,
};

typedef struct server {
  char folder[128], socket[sizeof(((struct sockaddr_un *)0)->sun_path)], log[160];
  pid_t pid; /* 0: not started, or over */
} server;

/* ---- the folder ---- */

static cli_code make_folder(server *s) {
  const char *base = getenv("TMPDIR");
  if (!base || !*base)
    base = "/tmp";
  int n = snprintf(s->folder, sizeof s->folder, "%s/echomq-XXXXXX", base);
  if (n < 0 || (size_t)n >= sizeof s->folder || (size_t)n + 3 > sizeof s->socket)
    return cli_usage("%.200s is too long for the path of a socket: set TMPDIR to a shorter one",
                     base);
  if (!mkdtemp(s->folder)) {
    cli_complain("%s: %s", s->folder, strerror(errno));
    s->folder[0] = '\0';
    return CLI_TROUBLE;
  }
  snprintf(s->socket, sizeof s->socket, "%.100s/s", s->folder);
  snprintf(s->log, sizeof s->log, "%s/log", s->folder);
  return CLI_DONE;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where) {
  (void)status;
  (void)kind;
  (void)where;
  return remove(path);
}

/* ---- the process ---- */

/* In the child: the kernel ends it when its parent ends, however that happens. */
static void die_with(pid_t parent, int number) {
#ifdef __linux__
  (void)prctl(PR_SET_PDEATHSIG, number);
#endif
  if (getppid() != parent) /* it was over before */
    (void)raise(number);
}

static void run_server(const server *s, const char *kind, pid_t parent) {
  static const char *const kinds[] = {"valkey", "redis"};
  char name[32];
  (void)setpgid(0, 0); /* Ctrl-C is for the tool, which then stops it in order */
  die_with(parent, SIGKILL);
  (void)signal(SIGPIPE, SIG_DFL);
  int null = open("/dev/null", O_RDWR);
  if (null >= 0) {
    (void)dup2(null, STDIN_FILENO);
    (void)dup2(null, STDOUT_FILENO); /* standard output is the URL's reader's */
  }
  for (size_t i = 0; i < 2; i++) {
    if (kind && strcmp(kind, kinds[i]) != 0)
      continue;
    snprintf(name, sizeof name, "%s-server", kinds[i]);
    execlp(name, name, "--port", "0", "--unixsocket", s->socket, "--unixsocketperm", "700",
           "--save", "", "--appendonly", "no", "--dir", s->folder, "--logfile", s->log,
           "--daemonize", "no", (char *)NULL);
  }
  _exit(127);
}

static bool ended(server *s, int *status) {
  if (s->pid == 0)
    return true;
  pid_t n = waitpid(s->pid, status, WNOHANG);
  if (n == 0 || (n < 0 && errno == EINTR))
    return false;
  s->pid = 0;
  return true;
}

static bool answers(const server *s) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path, s->socket, sizeof s->socket);
  char reply[8] = "";
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0)
    return false;
  struct timeval patience = {1, 0};
  (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  bool good = connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
              send(fd, "PING\r\n", 6, MSG_NOSIGNAL) == 6 && recv(fd, reply, 5, 0) == 5 &&
              memcmp(reply, "+PONG", 5) == 0;
  close(fd);
  return good;
}

static cli_code start(server *s, const char *kind) {
  pid_t parent = getpid();
  s->pid = fork();
  if (s->pid < 0) {
    s->pid = 0;
    cli_complain("fork: %s", strerror(errno));
    return CLI_TROUBLE;
  }
  if (s->pid == 0)
    run_server(s, kind, parent);
  int64_t until = cli_now_ms() + START_MS;
  while (!cli_stopped() && !answers(s)) {
    int status = 0;
    bool over = ended(s, &status);
    if (over && WIFEXITED(status) && WEXITSTATUS(status) == 127) {
      if (kind)
        cli_complain("%s-server is not installed", kind);
      else
        cli_complain("neither valkey-server nor redis-server is installed");
      return CLI_TROUBLE;
    }
    if (over || cli_now_ms() > until) {
      cli_buffer log = {NULL, 0, 0};
      if (access(s->log, R_OK) == 0 && cli_read_file(&log, s->log, LOG_MAX) == CLI_DONE)
        fwrite(log.bytes, 1, log.len, stderr);
      free(log.bytes);
      cli_complain("the server did not start");
      return CLI_TROUBLE;
    }
    cli_sleep_until(cli_now_ms() + 10, NULL);
  }
  return CLI_DONE;
}

static void stop(server *s) {
  int status;
  if (s->pid > 0)
    (void)kill(s->pid, SIGTERM);
  for (int64_t until = cli_now_ms() + STOP_MS; !ended(s, &status);) {
    if (cli_now_ms() > until)
      (void)kill(s->pid, SIGKILL); /* it is stopped, or busy with a script */
    struct timespec nap = {0, 5000000};
    (void)nanosleep(&nap, NULL);
  }
  if (s->folder[0] && nftw(s->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0)
    cli_complain("%s: %s", s->folder, strerror(errno));
}

/* ---- the command ---- */

/* The path in a URL: what means something there is written as %XX. */
static void write_url(char *room, size_t room_size, const char *path) {
  size_t filled = (size_t)snprintf(room, room_size, "unix://");
  for (; *path && filled + 4 < room_size; path++)
    if (*path > ' ' && *path < 0x7f && !strchr("%?#&", *path))
      room[filled++] = *path;
    else
      filled += (size_t)snprintf(room + filled, 4, "%%%02X", (unsigned char)*path);
  snprintf(room + filled, room_size - filled, "?db=0");
}

static cli_code serve(cli *c, server *s) {
  char url[512];
  int status = 0;
  cli_record record;
  write_url(url, sizeof url, s->socket);
  cli_record_data(&record, c, CLI_LINE);
  cli_record_text(&record, "url", url);
  if (c->options.json)
    cli_record_number(&record, "pid", s->pid);
  cli_record_end(&record);
  if (!cli_out_flush())
    return CLI_TROUBLE;
  while (!cli_stopped()) {
    if (ended(s, &status)) {
      cli_complain("the server has ended by itself");
      return CLI_TROUBLE;
    }
    cli_sleep_until(cli_now_ms() + 200, NULL);
  }
  return CLI_DONE;
}

cli_code cli_server(cli *c) {
  const char *kind = c->options.kind;
  server s = {0};
  pid_t parent = getppid();
  if (kind && strcmp(kind, "valkey") != 0 && strcmp(kind, "redis") != 0)
    return cli_usage("--kind is \"%.100s\": it is valkey or redis", kind);
  cli_catch_signals(false); /* the way to end it; the folder must go */
  die_with(parent, SIGTERM);
  cli_code code = make_folder(&s);
  if (code == CLI_DONE)
    code = start(&s, kind);
  if (code == CLI_DONE && !cli_stopped())
    code = serve(c, &s);
  if (s.folder[0])
    stop(&s);
  return code;
}
