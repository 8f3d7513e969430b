# SPDX-License-Identifier: MIT
"""How long the tests wait for something, and how."""

import time

WAIT = 20.0
"""Seconds that something which must happen may take, on a busy machine, before a test fails."""


def until(condition, what="it did not happen"):
    """Waits until something holds that must come to hold, and returns it."""
    deadline = time.monotonic() + WAIT
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, what
        time.sleep(0.002)
