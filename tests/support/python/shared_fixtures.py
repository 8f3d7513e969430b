# SPDX-License-Identifier: MIT
"""The fixtures of all suites, as a plugin of pytest. A suite's conftest.py puts this folder on
sys.path and names it: ``pytest_plugins = ["shared_fixtures"]``."""

import os
import tempfile
import uuid

import children
import pytest
import resp
import servers


def pytest_configure(config):
    needed = ("ECHOMQ_TEST_URL", "ECHOMQ_TEST_KIND", "ECHOMQ_TEST_SERVER")
    missing = [name for name in needed if not os.environ.get(name)]
    if missing:
        raise pytest.UsageError(
            f"{', '.join(missing)} not set: run these tests under tests/support/server"
        )


@pytest.fixture
def url():
    """The server that tests share which leave it as it is."""
    return os.environ["ECHOMQ_TEST_URL"]


@pytest.fixture
def raw(url):
    connection = resp.Raw(url)
    yield connection
    connection.close()


@pytest.fixture
def client(url):
    import echomq  # here, as the suite of the tool does without the package

    with echomq.connect(url) as client:
        yield client


@pytest.fixture
def queue(client):
    """A queue that no other test uses."""
    return client.queue("test-" + uuid.uuid4().hex)


@pytest.fixture
def start_server():
    """Starts servers of the test's own: start_server("--requirepass", "x")."""
    started = []

    def start(*arguments, wait=True):
        started.append(servers.Server(*arguments, wait=wait))
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def start_script():
    """Starts Python code in processes that do not outlive the test."""
    processes = []

    def start(source, *arguments):
        processes.append(children.start_script(source, *arguments))
        return processes[-1]

    yield start
    for process in processes:
        children.kill_script(process)


@pytest.fixture
def folder():
    """A folder whose path is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="emq-") as path:
        yield path
