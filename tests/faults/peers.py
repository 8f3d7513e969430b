# SPDX-License-Identifier: MIT
"""The other ends: servers of a test's own, and a proxy that loses what it should carry."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

import wire


def wait_until(condition, seconds=wire.WAIT):
    """Awaits a condition; returns what it gave."""
    until = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.005)


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
        self.connections = []

    def await_start(self):
        self.url = self.launcher.stdout.readline().strip()
        self.pid = int(self.launcher.stdout.readline())
        return self

    def raw(self):
        self.connections.append(wire.Raw(self.url))
        return self.connections[-1]

    def freeze(self):
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self):
        os.kill(self.pid, signal.SIGCONT)

    def stop(self):
        while self.connections:
            self.connections.pop().close()
        if self.launcher.poll() is None:
            self.launcher.stdin.close()
            self.launcher.wait(wire.WAIT)
        self.launcher.stdout.close()


class Proxy:
    """Stands between a client and a server. What the client sends is always carried; of what the
    server answers, `mode` says: `relay`; `swallow` loses it and cuts the connection; `stall` loses
    it and says nothing. Both begin once `armed` has been seen in what the client sent: the fence's
    own replies pass."""

    def __init__(self, folder, url):
        self.path = os.path.join(folder, "proxy")
        self.url = "unix://" + urllib.parse.quote(self.path)
        self.target = urllib.parse.unquote(urllib.parse.urlsplit(url).path)
        self.mode, self.armed = "relay", b"EVALSHA"
        self.lost = threading.Event()
        self.opened = 0
        self.ends = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def lose(self, mode):
        """From the next script on, in this way."""
        self.lost.clear()
        self.mode = mode

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.target)
            self.opened += 1
            self.ends += [client, server]
            armed = threading.Event()
            threading.Thread(target=self.up, args=(client, server, armed), daemon=True).start()
            threading.Thread(target=self.down, args=(client, server, armed), daemon=True).start()

    def up(self, client, server, armed):
        while data := receive(client):
            if self.mode != "relay" and self.armed in data:
                armed.set()
            send(server, data)
        shut(server)

    def down(self, client, server, armed):
        while data := receive(server):
            if not armed.is_set():
                send(client, data)
                continue
            mode = self.mode
            self.lost.set()
            if mode == "swallow":
                self.mode = "relay"  # one reply is lost; the next connection is sound
                break
        shut(client)
        shut(server)

    def close(self):
        for end in [self.listener, *self.ends]:
            shut(end)
            end.close()


def receive(end):
    try:
        return end.recv(1 << 16)
    except OSError:
        return b""


def send(end, data):
    try:
        end.sendall(data)
    except OSError:
        pass


def shut(end):
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def start_script(text, *arguments):
    """Python code in a process of its own, with pipes for its input and output."""
    return subprocess.Popen(
        [sys.executable, "-c", text, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=os.path.dirname(os.path.abspath(__file__)),
    )


def end_script(process):
    """Waits for a script's end, which must be a good one, and returns what it printed."""
    try:
        out, complaints = process.communicate(timeout=3 * wire.WAIT)
    finally:
        kill_script(process)
    assert process.returncode == 0 and not complaints, complaints
    return out


def kill_script(process):
    if process.poll() is None:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()
