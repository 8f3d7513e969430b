# SPDX-License-Identifier: MIT
"""Python code in processes of its own, whose folder is this one: they find its modules."""

import os
import subprocess
import sys

from waiting import WAIT


def start_script(source, *arguments):
    """Starts Python code with pipes for its input and output."""
    return subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-W", "error", "-c", source, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=os.path.dirname(os.path.abspath(__file__)),
    )


def run_script(source, *arguments):
    """Runs Python code to its end and returns what it printed; it must end well and in peace."""
    return end_script(start_script(source, *arguments))


def end_script(process):
    """Waits for the end of a script that has no more input, and returns what it printed; the end
    must be a good one, without complaints."""
    try:
        out, complaints = process.communicate(timeout=3 * WAIT)
    finally:
        kill_script(process)
    assert (process.returncode, complaints) == (0, ""), (process.returncode, complaints)
    return out


def kill_script(process):
    if process.poll() is None:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()
