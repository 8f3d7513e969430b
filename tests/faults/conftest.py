# SPDX-License-Identifier: MIT
import os
import tempfile
import uuid

import peers
import pytest
import wire

import echomq


def pytest_configure(config):
    for name in ("ECHOMQ_TEST_URL", "ECHOMQ_TEST_KIND", "ECHOMQ_TEST_SERVER"):
        if not os.environ.get(name):
            raise pytest.UsageError(f"{name} not set: run these tests under tests/support/server")


@pytest.fixture
def url():
    """The server that tests share which leave it as it is."""
    return os.environ["ECHOMQ_TEST_URL"]


@pytest.fixture
def raw(url):
    connection = wire.Raw(url)
    yield connection
    connection.close()


@pytest.fixture
def client(url):
    with echomq.connect(url) as client:
        yield client


@pytest.fixture
def queue(client):
    """A queue that no other test uses."""
    return client.queue("faults-" + uuid.uuid4().hex)


@pytest.fixture
def keys(queue):
    """The same queue's keys."""
    return wire.Keys(queue.name)


@pytest.fixture
def sound(raw, keys):
    """Asserts that the queue has no offences; tests that leave some behind do not ask for it."""

    def check():
        assert wire.offences(raw, keys) == []

    yield check
    check()


@pytest.fixture
def start_server():
    """Starts servers of the test's own."""
    servers = []

    def start(*arguments, wait=True):
        servers.append(peers.Server(*arguments))
        return servers[-1].await_start() if wait else servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def start_script():
    """Starts Python code in processes that do not outlive the test."""
    processes = []

    def start(text, *arguments):
        processes.append(peers.start_script(text, *arguments))
        return processes[-1]

    yield start
    for process in processes:
        peers.kill_script(process)


@pytest.fixture
def folder():
    """A folder whose path is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="emq-") as path:
        yield path


@pytest.fixture
def proxy(folder, url):
    proxy = peers.Proxy(folder, url)
    yield proxy
    proxy.close()
