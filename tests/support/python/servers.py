# SPDX-License-Identifier: MIT
"""Servers of a test's own, by the launcher that the suite runs under."""

import os
import signal
import subprocess

from resp import Raw
from waiting import WAIT


class Server:
    """A server with arguments of its own: ``Server("--requirepass", "x")``. With ``wait=False``
    it may still be starting; ``await_start`` gives it its ``url`` and ``pid``."""

    def __init__(self, *arguments, wait=True):
        self.launcher = subprocess.Popen(
            [os.environ["ECHOMQ_TEST_SERVER"], "--kind", os.environ["ECHOMQ_TEST_KIND"]]
            + list(arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.connections = []
        self.frozen = False
        if wait:
            self.await_start()

    def await_start(self):
        self.url = self.launcher.stdout.readline().strip()
        self.pid = int(self.launcher.stdout.readline())

    def raw(self):
        """A connection that is closed when the server is stopped."""
        self.connections.append(Raw(self.url))
        return self.connections[-1]

    def freeze(self):
        self.frozen = True
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self):
        self.frozen = False
        os.kill(self.pid, signal.SIGCONT)

    def stop(self):
        while self.connections:
            self.connections.pop().close()
        if self.launcher.poll() is None:
            if self.frozen:
                self.thaw()
            self.launcher.stdin.close()
            self.launcher.wait(WAIT)
        self.launcher.stdout.close()
