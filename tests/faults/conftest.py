# SPDX-License-Identifier: MIT
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/support/python"))

import peers
import wire

pytest_plugins = ["shared_fixtures"]


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
def proxy(folder, url):
    proxy = peers.Proxy(folder, url)
    yield proxy
    proxy.close()
