# SPDX-License-Identifier: MIT
import os
import socket
import tempfile
import uuid

import pytest
import support


def pytest_configure(config):
    needed = ("ECHOMQ_TEST_URL", "ECHOMQ_TEST_KIND", "ECHOMQ_TEST_SERVER", "ECHOMQ_TEST_CLI")
    missing = [name for name in needed if not os.environ.get(name)]
    if missing:
        raise pytest.UsageError(f"{', '.join(missing)} not set: see tests/cli/README.md")


@pytest.fixture
def url():
    return os.environ["ECHOMQ_TEST_URL"]


@pytest.fixture
def raw(url):
    connection = support.Raw(url)
    yield connection
    connection.close()


@pytest.fixture
def tool(url):
    """The tool on a queue that no other test uses."""
    return support.Tool(url, "cli-" + uuid.uuid4().hex)


@pytest.fixture
def start_server():
    servers = []

    def start(*arguments):
        servers.append(support.Server(*arguments))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def terminal():
    open_ones = []

    def start(*arguments, **options):
        open_ones.append(support.Terminal(*arguments, **options))
        return open_ones[-1]

    yield start
    for each in open_ones:
        each.close()


@pytest.fixture
def folder():
    """A folder whose path is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="emq-") as path:
        yield path


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
