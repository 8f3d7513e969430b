# SPDX-License-Identifier: MIT
"""What tests talk to: a real server without a client library, and a server that keeps silent."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

WAIT = 10.0
"""Seconds that something which must happen may take, on a busy machine, before a test fails."""


def socket_path(url):
    return urllib.parse.unquote(urllib.parse.urlsplit(url).path)


def encode(*parts):
    """A command as RESP."""
    out = b"*%d\r\n" % len(parts)
    for part in parts:
        part = part if isinstance(part, bytes) else str(part).encode()
        out += b"$%d\r\n%s\r\n" % (len(part), part)
    return out


def decode(file):
    """The next value of a RESP stream; an error reply comes back as an exception object."""
    line = file.readline()
    if not line.endswith(b"\r\n"):
        raise EOFError
    kind, rest = line[:1], line[1:-2]
    if kind == b"+":
        return rest.decode()
    if kind == b"-":
        return RuntimeError(rest.decode())
    if kind == b":":
        return int(rest)
    if kind == b"$":
        return None if rest == b"-1" else file.read(int(rest) + 2)[:-2]
    if kind == b"*":
        return None if rest == b"-1" else [decode(file) for _ in range(int(rest))]
    raise ValueError(line)


class Raw:
    """A connection of the tests' own: ``raw("SET", key, value)``."""

    def __init__(self, url):
        self.asked = 0
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(WAIT)
        self.socket.connect(socket_path(url))
        self.file = self.socket.makefile("rb")

    def __call__(self, *parts):
        self.socket.sendall(encode(*parts))
        reply = decode(self.file)
        if isinstance(reply, RuntimeError):
            raise reply
        return reply

    def commands(self):
        """How many commands the server has carried out, this one not counted."""
        stats = self("INFO", "stats").decode()
        line = next(x for x in stats.split() if x.startswith("total_commands_processed:"))
        self.asked += 1
        return int(line.partition(":")[2]) - self.asked

    def now(self):
        """The server's clock in unix ms."""
        seconds, micros = (int(part) for part in self("TIME"))
        return seconds * 1000 + micros // 1000

    def listen(self):
        """The next value that comes unasked."""
        return decode(self.file)

    def close(self):
        self.file.close()
        self.socket.close()


def until(condition):
    """Waits until something holds that must come to hold, and returns it."""
    deadline = time.monotonic() + WAIT
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.002)


class Server:
    """A server of the test's own, by the shared launcher."""

    def __init__(self, *arguments):
        self.launcher = subprocess.Popen(
            [os.environ["ECHOMQ_TEST_SERVER"], "--kind", os.environ["ECHOMQ_TEST_KIND"]]
            + list(arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.url = self.launcher.stdout.readline().strip()
        self.pid = int(self.launcher.stdout.readline())
        self.connections = []

    def raw(self):
        self.connections.append(Raw(self.url))
        return self.connections[-1]

    def freeze(self):
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self):
        os.kill(self.pid, signal.SIGCONT)

    def stop(self):
        while self.connections:
            self.connections.pop().close()
        if self.launcher.poll() is None:
            self.thaw()
            self.launcher.stdin.close()
            self.launcher.wait(WAIT)
        self.launcher.stdout.close()


class Silent:
    """Speaks the fence, tells by ``asked`` that another command has come, and answers that one
    only when ``answer`` is called. With ``fence=False`` the fence's own command is such a one."""

    def __init__(self, folder, fence=True):
        self.path = os.path.join(folder, "silent")
        self.url = "unix://" + urllib.parse.quote(self.path)
        self.fence = fence
        self.asked = threading.Event()
        self.connections = []
        self.waiting = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(16)
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection.makefile("rb") as file:
            while True:
                try:
                    command = decode(file)
                except (EOFError, OSError):
                    return
                if self.fence and command[:2] == [b"GET", b"{emq}:version"]:
                    connection.sendall(b"$12\r\nechomq:4.0.0\r\n")
                else:
                    self.waiting.append(connection)
                    self.asked.set()

    def answer(self, reply):
        self.waiting.pop(0).sendall(reply)

    def close(self):
        # shutdown wakes the threads that are in accept and recv; close alone would not.
        for each in [self.listener, *self.connections]:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            each.close()
        self.thread.join(WAIT)


def start_script(source, *arguments):
    """Starts Python code of its own process, with pipes for its input and output."""
    return subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-W", "error", "-c", source, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_script(source, *arguments):
    """Runs Python code to its end and returns what it printed; it must end well and in peace."""
    return end_script(start_script(source, *arguments))


def end_script(process):
    """Waits for the end of a script that has no more input."""
    try:
        out, complaints = process.communicate(timeout=3 * WAIT)
    finally:
        kill_script(process)
    assert (process.returncode, complaints) == (0, "")
    return out


def kill_script(process):
    if process.poll() is None:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()
