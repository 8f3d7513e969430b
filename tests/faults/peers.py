# SPDX-License-Identifier: MIT
"""A proxy that loses what it should carry."""

import os
import socket
import threading
import urllib.parse

from resp import socket_path


class Proxy:
    """Stands between a client and a server. What the client sends is always carried; of what the
    server answers, `mode` says: `relay`; `swallow` loses it and cuts the connection; `stall` loses
    it and says nothing. Both begin once `armed` has been seen in what the client sent: the fence's
    own replies pass."""

    def __init__(self, folder, url):
        self.path = os.path.join(folder, "proxy")
        self.url = "unix://" + urllib.parse.quote(self.path)
        self.target = socket_path(url)
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
