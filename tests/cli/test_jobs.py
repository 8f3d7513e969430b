# SPDX-License-Identifier: MIT
"""A job's way through its queue: enqueue, claim, settle; text and JSON, and the exit codes."""

import re

import pytest

ID = re.compile(r"JOB[0-9A-Za-z]{11}")
NEVER = "JOB00000000001"


def enqueue(tool, *arguments, **options):
    lines = tool("enqueue", *arguments, **options).lines
    assert all(ID.fullmatch(line) for line in lines), lines
    return lines[0] if len(lines) == 1 else lines


def claim(tool, *arguments):
    job = tool("claim", "--json", *arguments).json[0]
    return job["id"], str(job["token"])


def score(raw, tool, name, job):
    found = raw("ZSCORE", tool.key(name), job)
    return None if found is None else int(float(found))


def test_enqueue_writes_the_row_and_prints_the_id(tool, raw):
    job = enqueue(tool, "hello")
    assert raw("HGETALL", tool.key("job:" + job)) == [
        b"state", b"pending", b"attempts", b"0", b"payload", b"hello"]
    assert raw("ZRANGE", tool.key("pending"), 0, -1) == [job.encode()]


def test_enqueue_as_json(tool):
    answer = tool("enqueue", "--json", "hello").json
    assert len(answer) == 1 and set(answer[0]) == {"id", "outcome"}
    assert answer[0]["outcome"] == "enqueued" and ID.fullmatch(answer[0]["id"])


def test_enqueue_under_an_id(tool):
    minted = tool("id", "mint").lines[0]
    assert enqueue(tool, "x", "--id", minted) == minted
    again = tool("enqueue", "y", "--id", minted, code=1)
    assert again.out == b"" and b"is a job already" in again.err
    assert tool("enqueue", "y", "--id", minted, "--quiet", code=1).err == b""
    assert tool("enqueue", "y", "--id", minted, "--json", code=1).json == [
        {"id": minted, "outcome": "duplicate"}]
    assert tool("claim").lines == [f"{minted} 1 x"]


def test_enqueue_of_another_kind_is_refused(tool, raw):
    refused = tool("enqueue", "x", "--id", "USR0KHTOWnGLuC", code=3)
    assert b"EMQKIND" in refused.err
    assert raw("KEYS", f"emq:{{{tool.queue}}}:*") == []


def test_enqueue_later(tool, raw):
    before = raw.now()
    job = enqueue(tool, "x", "--delay", "2.5")
    assert before + 2500 <= score(raw, tool, "schedule", job) <= raw.now() + 2500
    job = enqueue(tool, "x", "--at", "4102444800.25")
    assert score(raw, tool, "schedule", job) == 4102444800250
    assert tool("enqueue", "x", "--at", "5", "--json").json[0]["outcome"] == "scheduled"
    minted = tool("id", "mint").lines[0]
    assert enqueue(tool, "x", "--id", minted, "--delay", "9") == minted
    tool("enqueue", "x", "--id", minted, "--delay", "9", code=1)


def test_enqueue_lines(tool, raw):
    jobs = enqueue(tool, stdin=b"one\n\nthree\nlast")
    assert len(jobs) == 4 and jobs == sorted(jobs)
    rows = [raw("HGET", tool.key("job:" + job), "payload") for job in jobs]
    assert rows == [b"one", b"", b"three", b"last"]


def test_enqueue_nothing(tool):
    assert tool("enqueue", stdin=b"").out == b""


def test_enqueue_lines_later(tool, raw):
    enqueue(tool, "--at", "4102444800", stdin=b"a\nb\n")
    assert raw("ZCARD", tool.key("schedule")) == 2


def test_quiet_enqueue_prints_nothing(tool):
    assert tool("enqueue", "--quiet", "x").out == b""
    assert tool("stats", "--quiet", "--json").json[0]["pending"] == 1


def test_claim(tool, raw):
    first, second = enqueue(tool, stdin=b"a b\nc\\d\te\n")
    before = raw.now()
    assert tool("claim", "--lease", "60").lines == [f"{first} 1 a b"]
    assert before + 60000 <= score(raw, tool, "active", first) <= raw.now() + 60000
    assert tool("claim").lines == [f"{second} 1 c\\\\d\\te"]
    empty = tool("claim", code=1)
    assert empty.out == b"" and b"nothing to claim" in empty.err
    for quiet in (["--quiet"], ["--json", "--quiet"]):
        assert tool("claim", *quiet, code=1).out + tool("claim", *quiet, code=1).err == b""


def test_claim_many(tool):
    jobs = enqueue(tool, stdin=b"a\nb\nc\n")
    assert tool("claim", "--size", "2").lines == [f"{jobs[0]} 1 a", f"{jobs[1]} 1 b"]
    assert tool("claim", "--size", "2", "--json").json == [
        {"id": jobs[2], "token": 1, "payload": "c"}]


def test_complete(tool):
    enqueue(tool, "x")
    job, token = claim(tool)
    stale = tool("complete", job, "9", code=3)
    assert b"EMQSTALE" in stale.err and stale.err.startswith(b"echomq: ") and stale.out == b""
    assert tool("complete", job, token).lines == ["done"]
    assert tool("complete", job, token, code=1).lines == ["gone"]
    assert tool("complete", job, token, "--json", code=1).json == [{"id": job, "outcome": "gone"}]
    assert tool("stats", "--json").json[0]["completed"] == 1


def test_complete_keeps_a_result_for_the_parent(tool, raw):
    parent, child = tool("id", "mint", "-n", "2").lines
    enqueue(tool, "x", "--id", child)
    raw("HSET", tool.key("job:" + parent), "state", "awaiting_children", "attempts", "0",
        "payload", "p")
    raw("SET", tool.key(f"job:{parent}:dependencies"), "1")
    raw("HSET", tool.key("job:" + child), "parent", parent)
    job, token = claim(tool)
    tool("complete", job, token, "--result", "42")
    assert raw("HGETALL", tool.key(f"job:{parent}:processed")) == [child.encode(), b"42"]
    assert tool("claim").lines == [f"{parent} 1 p"]


def test_retry(tool, raw):
    enqueue(tool, "x")
    job, token = claim(tool)
    tool("retry", job, "7", "why", code=3)
    before = raw.now()
    assert tool("retry", job, token, "bad luck", "--delay", "50").lines == ["scheduled"]
    assert before + 50000 <= score(raw, tool, "schedule", job) <= raw.now() + 50000
    assert raw("HGET", tool.key("job:" + job), "last_error") == b"bad luck"
    assert b"not active" in tool("retry", job, token, "why", code=3).err
    tool("retry", NEVER, "1", "why", code=1)


def test_retry_for_the_last_time(tool):
    enqueue(tool, "x")
    job, token = claim(tool)
    assert tool("retry", job, token, "bad\nluck", "--max", "1", "--json").json == [
        {"id": job, "outcome": "dead"}]
    assert tool("dead", "list").lines == [f"{job} 1 bad\\nluck"]


def test_delay(tool, raw):
    enqueue(tool, stdin=b"a\nb\n")
    job, token = claim(tool)
    before = raw.now()
    assert tool("delay", job, token, "--delay", "9").lines == ["done"]
    assert before + 9000 <= score(raw, tool, "schedule", job) <= raw.now() + 9000
    job, token = claim(tool)
    assert tool("delay", job, token, "--at", "4102444800", "--json").json == [
        {"id": job, "outcome": "done"}]
    assert score(raw, tool, "schedule", job) == 4102444800000
    tool("delay", NEVER, "1", "--delay", "1", code=1)


def test_extend(tool, raw):
    enqueue(tool, "x")
    job, token = claim(tool)
    before = raw.now()
    assert tool("extend", job, token, "--lease", "300").lines == ["done"]
    assert before + 300000 <= score(raw, tool, "active", job) <= raw.now() + 300000
    assert tool("extend", job, token, "--json").json == [{"id": job, "outcome": "done"}]
    tool("extend", job, "2", code=3)
    tool("extend", NEVER, "1", code=1)


@pytest.mark.parametrize("command", [["complete"], ["retry"], ["delay", "--delay", "1"],
                                     ["extend"]])
def test_quiet_settlements_print_nothing(tool, command):
    enqueue(tool, "x")
    job, token = claim(tool)
    reason = ["why"] if command[0] == "retry" else []
    done = tool(command[0], job, token, *reason, *command[1:], "--quiet")
    assert done.out + done.err == b""
