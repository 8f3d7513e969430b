# SPDX-License-Identifier: MIT
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests/support/python"))

import support

pytest_plugins = ["shared_fixtures"]


@pytest.fixture
def silent(folder):
    server = support.Silent(folder)
    yield server
    server.close()
