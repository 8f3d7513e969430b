# SPDX-License-Identifier: MIT
"""Servers that are not there, keep silent, speak another wire, or want a password."""

import signal
import subprocess
import time

import support
from test_jobs import NEVER
from waiting import WAIT, until

FENCE = "{emq}:version"
EVERY_COMMAND = [
    ["enqueue", "x"], ["claim"], ["complete", NEVER, "1"], ["retry", NEVER, "1", "x"],
    ["delay", NEVER, "1", "--delay", "1"], ["extend", NEVER, "1"], ["ls"], ["show", NEVER],
    ["stats"], ["watch"], ["dead", "list"], ["dead", "requeue", "--all"], ["dead", "purge", NEVER],
    ["pause"], ["resume"], ["drain"], ["obliterate", "--yes"], ["promote"], ["reap"], ["sweep"],
    ["check"],
]


def test_a_foreign_fence(tool, start_server):
    server = start_server()
    raw = server.raw()
    raw("SET", FENCE, "echomq:6.0.0")
    for arguments in EVERY_COMMAND:
        refused = tool(*arguments, "--url", server.url, code=5)
        assert b"echomq:6.0.0" in refused.err and b"echomq:4.0.0" in refused.err
        assert refused.out == b""
    assert raw("KEYS", "*") == [FENCE.encode()]


def test_no_server(tool, folder):
    gone = f"unix://{folder}/none"
    for arguments in EVERY_COMMAND:
        failed = tool(*arguments, "--url", gone, code=4)
        assert failed.err.startswith(b"echomq: cannot connect to ") and failed.out == b""


def test_passwords(tool, start_server, tmp_path):
    server = start_server("--requirepass", "secret word")
    raw = server.raw()
    raw("AUTH", "secret word")
    raw("ACL", "SETUSER", "anna", "on", ">hers", "~*", "+@all")
    raw("ACL", "SETUSER", "reader", "on", ">his", "~*", "&*", "+@read", "+@connection")
    good, bad, hers, his = (tmp_path / name for name in ("good", "bad", "hers", "his"))
    good.write_text("secret word\n")
    bad.write_text("secret")
    hers.write_text("hers")
    his.write_text("his")
    at = ["--url", server.url]
    assert tool("stats", *at, code=5).err.startswith(b"echomq: ")
    tool("stats", *at, "--password-file", str(bad), code=5)
    tool("stats", *at, "--password-file", str(good))
    tool("stats", *at, environment={"ECHOMQ_PASSWORD": "secret word"})
    tool("stats", *at, "--password-file", str(bad), code=5,
         environment={"ECHOMQ_PASSWORD": "secret word"})
    tool("stats", *at, "--user", "anna", "--password-file", str(hers))
    tool("stats", *at, "--user", "nobody", "--password-file", str(hers), code=5)
    assert b"secret" not in tool("stats", *at, "--password-file", str(bad), code=5).err
    # A user who may only read gets past the fence, and no further.
    tool("ls", *at, "--user", "reader", "--password-file", str(his))
    tool("enqueue", "x", *at, "--user", "reader", "--password-file", str(his), code=5)


def test_a_wrong_type_is_refused(tool, raw):
    raw("SET", tool.key("pending"), "x")
    for arguments in (["enqueue", "x"], ["claim"], ["stats"], ["ls", "pending"]):
        refused = tool(*arguments, code=3)
        assert refused.err.startswith(b"echomq: ")


def test_a_job_that_is_locked(tool, raw):
    minted = tool("id", "mint").lines[0]
    tool("enqueue", "x", "--id", minted)
    tool("claim")
    tool("retry", minted, "1", "x", "--max", "1")
    raw("SET", tool.key(f"job:{minted}:lock"), "held")
    assert b"EMQLOCK" in tool("dead", "purge", minted, code=3).err


def test_a_signal_ends_a_call_that_waits(tool, silent):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = tool.start("stats", "--url", silent.url)
        try:
            until(silent.met)
            started = time.monotonic()
            process.send_signal(number)
            _, err = process.communicate(timeout=WAIT)
            assert time.monotonic() - started < 3
            assert (process.returncode, err) == (-number, b"")
        finally:
            process.kill()
            process.communicate()


def test_a_server_that_stops_answering(tool, start_server):
    server = start_server()
    process = tool.start("watch", "--interval", "0.1", "--url", server.url)
    try:
        assert process.stdout.readline()
        server.freeze()
        time.sleep(0.3)  # its next look is under way
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=WAIT)
        assert process.returncode == 0 and err == b""
    finally:
        server.thaw()
        process.kill()
        process.communicate()


def test_the_command_line_has_no_place_for_a_password(tool):
    text = tool("--help").out + tool("stats", "--help").out
    assert b"--password " not in text and b"--password-file FILE" in text
    tool("stats", "--password", "x", code=2)


def test_what_the_tool_calls_itself(tool, raw):
    process = tool.start("watch", "--interval", "0.1")
    try:
        assert process.stdout.readline()
        assert b"name=echomq " in raw("CLIENT", "LIST")
    finally:
        process.terminate()
        process.communicate(timeout=WAIT)


def test_nothing_is_printed_by_a_dynamic_linker():
    done = subprocess.run([support.CLI, "--version"], capture_output=True, env={})
    assert done.returncode == 0 and done.stderr == b""
