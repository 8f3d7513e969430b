# SPDX-License-Identifier: MIT
"""A server without a client library: RESP over a unix socket."""

import socket
import urllib.parse

from waiting import WAIT


class Refused(Exception):
    """An error reply."""


def socket_path(url):
    return urllib.parse.unquote(urllib.parse.urlsplit(url).path)


def encode(*parts):
    """A command as RESP."""
    out = [b"*%d\r\n" % len(parts)]
    for part in parts:
        part = part if isinstance(part, bytes) else str(part).encode()
        out.append(b"$%d\r\n%s\r\n" % (len(part), part))
    return b"".join(out)


def decode(file):
    """The next value of a RESP stream; an error reply comes back as an exception object."""
    line = file.readline()
    if not line.endswith(b"\r\n"):
        raise EOFError("the connection was closed")
    kind, rest = line[:1], line[1:-2]
    if kind == b"+":
        return rest.decode()
    if kind == b"-":
        return Refused(rest.decode())
    if kind == b":":
        return int(rest)
    if kind == b"$":
        return None if rest == b"-1" else file.read(int(rest) + 2)[:-2]
    if kind == b"*":
        return None if rest == b"-1" else [decode(file) for _ in range(int(rest))]
    raise ValueError(line)


class Raw:
    """A connection of the tests' own: ``raw("SET", key, value)``. Error replies are raised as
    Refused."""

    def __init__(self, url):
        self.asked = 0
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(WAIT)
        self.socket.connect(socket_path(url))
        self.file = self.socket.makefile("rb")

    def __call__(self, *parts):
        return self.pipeline([parts])[0]

    def pipeline(self, commands):
        """Sends many commands at once; the first refusal among the replies is raised."""
        replies = self.replies(commands)
        for reply in replies:
            if isinstance(reply, Refused):
                raise reply
        return replies

    def replies(self, commands):
        """Sends many commands at once; a refusal among the replies is an exception object."""
        self.socket.sendall(b"".join(encode(*parts) for parts in commands))
        return [decode(self.file) for _ in commands]

    def listen(self):
        """The next value that comes unasked."""
        return decode(self.file)

    def commands(self):
        """How many commands the server has carried out, those of this method not counted."""
        stats = self("INFO", "stats").decode()
        line = next(x for x in stats.split() if x.startswith("total_commands_processed:"))
        self.asked += 1
        return int(line.partition(":")[2]) - self.asked

    def now(self):
        """The server's clock in unix ms."""
        seconds, micros = (int(part) for part in self("TIME"))
        return seconds * 1000 + micros // 1000

    def close(self):
        self.file.close()
        self.socket.close()
