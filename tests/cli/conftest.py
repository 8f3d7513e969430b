# SPDX-License-Identifier: MIT
import os
import socket
import sys
import uuid
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/support/python"))

import support

pytest_plugins = ["shared_fixtures"]


def pytest_configure(config):
    if not support.CLI:
        raise pytest.UsageError("ECHOMQ_TEST_CLI not set: see tests/cli/README.md")


@pytest.fixture
def tool(url):
    """The tool on a queue that no other test uses."""
    return support.Tool(url, "cli-" + uuid.uuid4().hex)


@pytest.fixture
def terminal():
    open_ones = []

    def start(*arguments, **options):
        open_ones.append(support.Terminal(*arguments, **options))
        return open_ones[-1]

    yield start
    for each in open_ones:
        each.close()


class Silent:
    """A socket that takes connections and says nothing."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "silent")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(self.path)
        self.socket.listen(16)
        self.url = "unix://" + self.path
        self.peers = []

    def met(self):
        """Whether anybody has connected."""
        self.socket.setblocking(False)
        try:
            self.peers.append(self.socket.accept()[0])
            return True
        except BlockingIOError:
            return False


@pytest.fixture
def silent(folder):
    server = Silent(folder)
    yield server
    for each in (server.socket, *server.peers):
        each.close()
