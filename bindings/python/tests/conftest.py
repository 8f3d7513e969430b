# SPDX-License-Identifier: MIT
import os
import tempfile
import uuid

import pytest
import support

import echomq


def pytest_configure(config):
    missing = [
        name
        for name in ("ECHOMQ_TEST_URL", "ECHOMQ_TEST_KIND", "ECHOMQ_TEST_SERVER")
        if not os.environ.get(name)
    ]
    if missing:
        raise pytest.UsageError(
            f"{', '.join(missing)} not set: run these tests under tests/support/server"
        )


@pytest.fixture
def url():
    """The server that all tests share."""
    return os.environ["ECHOMQ_TEST_URL"]


@pytest.fixture
def raw(url):
    connection = support.Raw(url)
    yield connection
    connection.close()


@pytest.fixture
def client(url):
    with echomq.connect(url) as client:
        yield client


@pytest.fixture
def queue(client):
    """A queue that no other test uses."""
    return client.queue("test-" + uuid.uuid4().hex)


@pytest.fixture
def start_server():
    """Starts servers of the test's own: start_server("--requirepass", "x")."""
    servers = []

    def start(*arguments):
        servers.append(support.Server(*arguments))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def start_script():
    """Starts Python code in processes that do not outlive the test."""
    processes = []

    def start(source, *arguments):
        processes.append(support.start_script(source, *arguments))
        return processes[-1]

    yield start
    for process in processes:
        support.kill_script(process)


@pytest.fixture
def folder():
    """A folder whose path is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="emq-") as path:
        yield path


@pytest.fixture
def silent(folder):
    server = support.Silent(folder)
    yield server
    server.close()
