# SPDX-License-Identifier: MIT
"""A server that keeps silent: a test gives its answers by hand."""

import os
import socket
import threading
import urllib.parse

from resp import decode
from waiting import WAIT


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
