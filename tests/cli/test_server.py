# SPDX-License-Identifier: MIT
"""`echomq server`: starts, prints its URL first, and leaves nothing behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.parse

import pytest
import resp
import support
from waiting import WAIT, until


@pytest.fixture
def start(tool, folder):
    """Starts the tool's server below a folder of the test's own."""
    started = []

    def run(*arguments, **environment):
        environment = tool.environment | {"TMPDIR": folder} | environment
        process = subprocess.Popen([support.CLI, "server", *arguments], env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def own_kind():
    return ["--kind", os.environ["ECHOMQ_TEST_KIND"]]


def running(pid):
    """Whether the process is there, and no zombie."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def end(*pids):
    """What should be over by now, and may hold a pipe that the test would wait for."""
    for pid in pids:
        if running(pid):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_leaves_nothing_behind(tool, start, folder, number):
    process = start("--json", *own_kind())
    first = json.loads(process.stdout.readline())
    assert urllib.parse.urlsplit(first["url"]).path.startswith(folder)
    assert tool("enqueue", "x", "--url", first["url"]).lines
    assert running(first["pid"])
    raw = resp.Raw(first["url"])
    info = raw("INFO", "server").decode()
    assert ("valkey" in info) == (os.environ["ECHOMQ_TEST_KIND"] == "valkey")
    raw("SAVE")  # a file of the server's goes with the folder
    raw("CONFIG", "SET", "appendonly", "yes")  # and so does a folder, once it is there
    until(lambda: b"aof_rewrite_in_progress:0" in (info := raw("INFO", "persistence"))
          and b"aof_rewrite_scheduled:0" in info)
    raw.close()
    process.send_signal(number)
    out, err = process.communicate(timeout=WAIT)
    assert (process.returncode, out, err) == (0, b"", b"")
    assert os.listdir(folder) == [] and not running(first["pid"])


def test_the_first_line_is_the_url(tool, start):
    process = start()
    url = process.stdout.readline().decode().strip()
    assert url.startswith("unix://") and tool("stats", "--url", url).lines
    preferred = "valkey" if shutil.which("valkey-server") else "redis"
    raw = resp.Raw(url)
    assert ("valkey" in raw("INFO", "server").decode()) == (preferred == "valkey")
    assert raw("KEYS", "*") == [b"{emq}:version"]  # of the call of stats; its own it does not make
    raw.close()


def test_it_dies_with_its_parent(tool, folder):
    script = ("import subprocess, sys\n"
              "p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)\n"
              "print(p.pid, flush=True)\n"
              "sys.stdout.buffer.write(p.stdout.readline()); sys.stdout.flush()\n"
              "sys.stdin.read()\n")
    parent = subprocess.Popen(
        [sys.executable, "-c", script, support.CLI, "server", "--json", *own_kind()],
        env=tool.environment | {"TMPDIR": folder}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    tool_pid = int(parent.stdout.readline())
    server_pid = json.loads(parent.stdout.readline())["pid"]
    assert running(tool_pid) and running(server_pid)
    parent.kill()
    parent.wait()
    try:
        until(lambda: not running(tool_pid) and not running(server_pid))
        assert os.listdir(folder) == []
    finally:
        end(tool_pid, server_pid)
        parent.communicate()


def test_its_server_dies_with_it(start):
    process = start("--json", *own_kind())
    pid = json.loads(process.stdout.readline())["pid"]
    process.kill()
    process.wait()
    try:
        until(lambda: not running(pid))
    finally:
        end(pid)


def test_a_server_that_ends_is_told(start, folder):
    process = start("--json", *own_kind())
    os.kill(json.loads(process.stdout.readline())["pid"], signal.SIGKILL)
    _, err = process.communicate(timeout=WAIT)
    assert process.returncode == 4 and b"has ended by itself" in err
    assert os.listdir(folder) == []


def test_no_server_is_installed(start, folder, tmp_path):
    process = start(PATH=str(tmp_path))
    _, err = process.communicate(timeout=WAIT)
    assert process.returncode == 4 and b"neither valkey-server nor redis-server" in err
    process = start("--kind", "redis", PATH=str(tmp_path))
    _, err = process.communicate(timeout=WAIT)
    assert process.returncode == 4 and b"redis-server is not installed" in err
    assert os.listdir(folder) == []


def test_a_server_that_does_not_start_says_why(start, folder, tmp_path):
    broken = tmp_path / "redis-server"
    broken.write_text("#!/bin/sh\n"
                      "for each in \"$@\"; do\n"
                      "  [ \"$before\" != --logfile ] || echo no luck >\"$each\"\n"
                      "  before=$each\n"
                      "done\n"
                      "exit 1\n")
    broken.chmod(0o755)
    process = start("--kind", "redis", PATH=f"{tmp_path}:{os.environ['PATH']}")
    _, err = process.communicate(timeout=WAIT)
    assert process.returncode == 4
    assert b"no luck" in err and b"the server did not start" in err
    assert os.listdir(folder) == []


def test_closed_standard_output(tool, folder):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([support.CLI, "server"], stdout=writer, stderr=subprocess.PIPE,
                          env=tool.environment | {"TMPDIR": folder}, timeout=WAIT)
    os.close(writer)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")
    assert os.listdir(folder) == []


def test_a_folder_that_is_no_good(start, folder):
    for path, code in ((folder + "/none", 4), ("/tmp/" + "x" * 120, 2)):
        process = start(TMPDIR=path)
        _, err = process.communicate(timeout=WAIT)
        assert process.returncode == code and err.startswith(b"echomq: ")


def test_on_a_terminal_ctrl_c_stops_it(tool, terminal, folder):
    tool.environment["TMPDIR"] = folder
    screen = terminal(tool, "server")
    screen.expect(b"unix://", b"\n")
    screen.type(b"\x03")
    assert screen.end() == 0
    assert os.listdir(folder) == []
