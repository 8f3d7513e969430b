# SPDX-License-Identifier: MIT
"""On a terminal: watch's screen, obliterate's question, progress bars."""

import json
import os
import signal
import subprocess
import time

from test_jobs import claim, enqueue
from waiting import WAIT, until

ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"


def test_watch_prints_lines_where_there_is_no_terminal(tool):
    enqueue(tool, "x")
    lines = tool("watch", "--interval", "0.1", "--count", "2").lines
    assert len(lines) == 2 and all(line.startswith("time=") for line in lines)
    assert " pending=1 active=0 schedule=0 dead=0 completed=0 failed=0 " in lines[0]
    found = tool("watch", "--interval", "0.1", "--count", "2", "--json").json
    assert [each["pending"] for each in found] == [1, 1]
    assert found[1]["time_ms"] - found[0]["time_ms"] >= 90
    assert found[1]["completed_per_second"] == 0


def test_watch_counts_what_happens(tool):
    process = tool.start("watch", "--interval", "0.1", "--json")
    try:
        assert json.loads(process.stdout.readline())["completed"] == 0
        enqueue(tool, "x")
        tool("complete", *claim(tool))
        while True:
            seen = json.loads(process.stdout.readline())
            if seen["completed"]:
                break
        assert seen["completed"] == 1 and 0 < seen["completed_per_second"] <= 10.5
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=WAIT)
        assert (process.returncode, err) == (0, b"")
    finally:
        process.kill()
        process.communicate()


def test_watch_on_a_screen(tool, terminal):
    enqueue(tool, stdin=b"a\nb\n")
    screen = terminal(tool, "watch", "--interval", "0.1")
    screen.expect(ENTER, b"\x1b[?25l", tool.queue.encode(), b"per second", b"pending", b" 2 ",
                  b"failed", b"Ctrl-C ends")
    enqueue(tool, "c")
    screen.expect(b"pending                 3")
    screen.type(b"\x03")
    assert screen.end() == 0
    assert screen.text.endswith(b"\x1b[?7h\x1b[?25h" + LEAVE)
    assert screen.text.count(ENTER) == screen.text.count(LEAVE) == 1
    assert screen.settings() == screen.before


def test_watch_follows_the_size(tool, terminal):
    screen = terminal(tool, "watch", "--interval", "3600")
    screen.expect(b"per second", b"Ctrl-C ends")
    screen.forget()
    screen.resize(4, 40)
    screen.expect(b"\x1b[H", b"pending", b"schedule", b"\x1b[J")
    frame = screen.text[screen.text.rindex(b"\x1b[H"):]
    assert frame.count(b"\r\n") <= 3 and b"per second" not in frame
    screen.forget()
    screen.resize(24, 80)
    screen.expect(b"per second", b"Ctrl-C ends")
    screen.process.send_signal(signal.SIGTERM)
    assert screen.end() == 0 and LEAVE in screen.text


def test_watch_steps_aside_for_the_shell(tool, terminal):
    screen = terminal(tool, "watch", "--interval", "0.1")
    screen.expect(ENTER, b"pending")
    screen.forget()
    screen.process.send_signal(signal.SIGTSTP)
    until(lambda: os.waitpid(screen.process.pid, os.WUNTRACED | os.WNOHANG)[0])
    screen.expect(LEAVE)
    screen.forget()
    screen.process.send_signal(signal.SIGCONT)
    screen.expect(ENTER, b"pending")
    screen.type(b"\x03")
    assert screen.end() == 0


def test_watch_outlives_its_server(tool, terminal, start_server):
    first = start_server()
    tool.environment["ECHOMQ_URL"] = first.url
    screen = terminal(tool, "watch", "--interval", "0.2")
    screen.expect(b"pending")
    first.stop()
    screen.expect(b"failed", b"connect", b"Ctrl-C ends")
    screen.type(b"\x03")
    assert screen.end() == 0 and LEAVE in screen.text


def test_watch_with_a_count_ends_by_itself(tool, terminal):
    screen = terminal(tool, "watch", "--interval", "0.1", "--count", "2")
    assert screen.end() == 0 and LEAVE in screen.text


def test_a_signal_in_the_middle_of_a_drawing(tool, terminal):
    """Nobody reads the terminal until it is full, so that the signals meet a drawing: a resize has
    it go on, Ctrl-C ends it well."""
    for keys in (b"", b"\x03"):
        screen = terminal(tool, "watch", "--interval", "0.1", size=(200, 200))
        screen.keep_output()
        until(screen.is_full)
        for rows in (100, 101, 102):
            screen.resize(rows, 200)
            until(screen.is_full)
        screen.type(keys)
        if not keys:
            screen.forget()
            screen.expect(b"pending", b"pending")
            screen.type(b"\x03")
        assert screen.end() == 0 and LEAVE in screen.text


def test_a_name_cannot_act_on_the_screen(tool, terminal):
    tool.environment["ECHOMQ_QUEUE"] = "name\u009b2J"
    screen = terminal(tool, "watch", "--interval", "0.1")
    screen.expect(b"name\\xc2\\x9b2J")
    screen.type(b"\x03")
    assert screen.end() == 0 and b"\xc2\x9b" not in screen.text


def test_obliterate_asks(tool, terminal, raw):
    enqueue(tool, stdin=b"a\nb\n")
    tool("pause")
    for answer in (b"no\n", b"y\n", b"\n", b"yess\n", b"\x04"):
        asked = terminal(tool, "obliterate")
        asked.expect(tool.queue.encode(), b"2 jobs", b"Type yes: ")
        asked.type(answer)
        assert asked.end() == 1
        assert b"nothing was deleted" in asked.text
    assert raw("ZCARD", tool.key("pending")) == 2
    asked = terminal(tool, "obliterate")
    asked.expect(b"Type yes: ")
    asked.type(b"\x03")
    assert asked.end() == -signal.SIGINT
    asked = terminal(tool, "obliterate")
    asked.expect(b"Type yes: ")
    asked.type(b"yes\n")
    assert asked.end() == 0 and b"obliterated" in asked.text
    assert raw("KEYS", f"emq:{{{tool.queue}}}:*") == []


def hold_up(server, moving):
    """Stops the server in the midst of the work for longer than a bar waits before it shows."""
    until(moving)
    server.freeze()
    time.sleep(0.5)
    server.thaw()


def test_bars_of_long_work(tool, terminal, tmp_path, start_server):
    count = 30000
    path = tmp_path / "lines"
    path.write_bytes(b"".join(b"%d\n" % i for i in range(count)))
    server = start_server()
    raw = server.raw()
    tool.environment["ECHOMQ_URL"] = server.url
    with open(path) as lines:
        shown = terminal(tool, "enqueue", stdin=lines, stdout=subprocess.DEVNULL)
        hold_up(server, lambda: raw("ZCARD", tool.key("pending")))
        assert shown.end() == 0
    assert b"% " in shown.text and b"jobs enqueued, " in shown.text and b"[#" in shown.text
    assert shown.text.endswith(b"\r\x1b[K")
    with open(path) as lines:
        quiet = terminal(tool, "enqueue", "--quiet", stdin=lines, stdout=subprocess.DEVNULL)
        assert quiet.end() == 0 and quiet.text == b""
    tool("pause")
    shown = terminal(tool, "obliterate", "--yes", stdout=subprocess.DEVNULL)
    hold_up(server, lambda: raw("ZCARD", tool.key("pending")) < 2 * count)
    assert shown.end() == 0 and b"jobs deleted, " in shown.text
    assert shown.text.endswith(b"\r\x1b[K")


def test_short_work_has_no_bar(tool, terminal):
    shown = terminal(tool, "enqueue", "x")
    assert shown.end() == 0 and b"\x1b" not in shown.text
