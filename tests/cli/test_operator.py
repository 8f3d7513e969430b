# SPDX-License-Identifier: MIT
"""What an operator sees and does: ls, show, stats, dead, pause, drain, sweep, check and others."""

import pytest
from test_jobs import NEVER, claim, enqueue


def make_dead(tool, *reasons):
    dead = []
    for reason in reasons:
        enqueue(tool, "x")
        job, token = claim(tool)
        tool("retry", job, token, reason, "--max", "1")
        dead.append(job)
    return dead


def test_ls(tool):
    jobs = enqueue(tool, stdin=b"a\nb\nc\n")
    later = enqueue(tool, "x", "--delay", "100")
    claimed, _ = claim(tool)
    assert claimed == jobs[0]
    assert tool("ls", "pending").lines == [jobs[2], jobs[1]]
    assert tool("ls", "pending", "--limit", "1").lines == [jobs[2]]
    assert tool("ls", "dead").out == b""
    assert tool("ls").lines == [f"pending {jobs[2]}", f"pending {jobs[1]}", f"active {jobs[0]}",
                                f"scheduled {later}"]
    assert tool("ls", "active", "--json").json == [{"state": "active", "id": claimed}]


def test_show(tool, raw):
    job = enqueue(tool, "x")
    raw("RPUSH", tool.key(f"job:{job}:logs"), "first line", b"second\xff")
    raw("HSET", tool.key("job:" + job), "payload", b"a\x00\xff")
    claim(tool, "--lease", "60")
    lines = [line.split(maxsplit=1) for line in tool("show", job).lines]
    shown = dict(line for line in lines if len(line) == 2)
    assert shown["id"] == job and shown["place"] == "active" and shown["sets"] == "1"
    assert shown["payload"] == "a\\x00\\xff" and shown["attempts"] == "1"
    assert [line[1] for line in lines if line[0] == "log"] == ["first line", "second\\xff"]
    found = tool("show", job, "--json").json[0]
    decoded = tool("id", "decode", job, "--json").json[0]
    assert found["minted_ms"] == decoded["minted_ms"] and found["node"] == decoded["node"]
    assert found["lease_ends_ms"] == int(float(raw("ZSCORE", tool.key("active"), job)))
    assert found["row"] == {"state": "active", "attempts": "1", "payload": {"base64": "YQD/"}}
    assert found["logs"] == ["first line", {"base64": "c2Vjb25k/w=="}]


def test_show_scheduled_ghost_and_absent(tool, raw):
    job = enqueue(tool, "x", "--at", "4102444800")
    assert tool("show", job, "--json").json[0]["due_ms"] == 4102444800000
    assert "due        2100-01-01T00:00:00.000Z" in tool("show", job).lines
    raw("DEL", tool.key("job:" + job))
    ghost = tool("show", job, "--json").json[0]
    assert ghost["row"] is None and ghost["place"] == "scheduled" and ghost["logs"] == []
    tool("show", job)
    absent = tool("show", NEVER, code=1)
    assert absent.out == b"" and b"no such job" in absent.err
    assert tool("show", NEVER, "--json", "--quiet", code=1).err == b""


def test_stats(tool):
    enqueue(tool, stdin=b"a\nb\nc\n")
    job, token = claim(tool)
    tool("complete", job, token)
    claim(tool)
    assert tool("stats", "--json").json == [{"pending": 1, "active": 1, "schedule": 0, "dead": 0,
                                             "completed": 1, "failed": 0}]
    assert [line.split() for line in tool("stats").lines] == [
        ["pending", "1"], ["active", "1"], ["schedule", "0"], ["dead", "0"], ["completed", "1"],
        ["failed", "0"]]


def test_dead_list(tool, raw):
    one, two = make_dead(tool, "first", "second")
    assert tool("dead", "list").lines == [f"{two} 1 second", f"{one} 1 first"]
    assert tool("dead", "list", "-n", "1", "--json").json == [
        {"id": two, "attempts": "1", "last_error": "second"}]
    raw("DEL", tool.key("job:" + two))
    raw("ZADD", tool.key("dead"), 0, "no id\n")
    assert tool("dead", "list").lines == ["no id\\n - ", f"{two} - ", f"{one} 1 first"]


def test_dead_requeue(tool, raw):
    one, two, three = make_dead(tool, "a", "b", "c")
    assert tool("dead", "requeue", one, two).lines == [f"{one} done", f"{two} done"]
    again = tool("dead", "requeue", one, three, "--json", code=3)
    assert again.json == [{"id": three, "outcome": "done"}]
    assert one.encode() in again.err and b"not dead" in again.err
    assert tool("dead", "requeue", NEVER, code=1).lines == [f"{NEVER} gone"]
    assert tool("ls", "pending").lines == [three, two, one]
    assert raw("HEXISTS", tool.key("job:" + one), "last_error") == 0
    assert tool("check").code == 0


@pytest.mark.parametrize("verb, state", [("requeue", "pending"), ("purge", None)])
def test_dead_all(tool, raw, verb, state):
    dead = make_dead(tool, "a", "b", "c")
    assert tool("dead", verb, "--all").lines == [f"{verb}d=3 left=0"]
    assert tool("ls").lines == ([f"{state} {job}" for job in dead[::-1]] if state else [])
    assert tool("dead", verb, "--all", "--json").json == [{verb + "d": 0, "left": 0}]
    # What has no row, or is no id, stays, and is told.
    raw("ZADD", tool.key("dead"), 0, NEVER, 0, "no id")
    left = tool("dead", verb, "--all", code=3)
    assert left.lines == [f"{verb}d=0 left=2"]
    assert b"no id" in left.err


def test_dead_purge(tool, raw):
    one, two = make_dead(tool, "a", "b")
    waiting = enqueue(tool, "x")
    refused = tool("dead", "purge", waiting, one, code=3)
    assert b"not dead: it is pending" in refused.err and refused.lines == [f"{one} done"]
    assert tool("dead", "purge", one, "--json", code=1).json == [{"id": one, "outcome": "gone"}]
    assert tool("ls").lines == [f"pending {waiting}", f"dead {two}"]
    assert raw("EXISTS", tool.key("job:" + one)) == 0


def test_pause_and_resume(tool):
    job = enqueue(tool, "x")
    assert tool("pause").lines == ["paused"]
    assert tool("pause", "--json").json == [{"outcome": "paused"}]
    tool("claim", code=1)
    assert tool("resume").lines == ["resumed"]
    assert tool("resume", "--json").json == [{"outcome": "resumed"}]
    assert tool("claim").lines == [f"{job} 1 x"]


def test_drain(tool):
    enqueue(tool, stdin=b"a\nb\nc\n")
    enqueue(tool, "x", "--delay", "100")
    claim(tool)
    assert tool("drain").lines == ["deleted=2"]
    assert tool("drain", "--scheduled", "--json").json == [{"deleted": 1}]
    assert [line.split()[0] for line in tool("ls").lines] == ["active"]


def test_obliterate(tool, raw):
    enqueue(tool, stdin=b"".join(b"%d\n" % i for i in range(2500)))
    claim(tool)
    refused = tool("obliterate", code=2)
    assert b"--yes" in refused.err
    assert b"not paused" in tool("obliterate", "--yes", code=3).err
    tool("pause")
    assert b"active jobs" in tool("obliterate", "--yes", code=3).err
    assert tool("obliterate", "--yes", "--force", "--json").json == [{"outcome": "obliterated"}]
    assert raw("KEYS", f"emq:{{{tool.queue}}}:*") == []


def test_promote(tool):
    enqueue(tool, "--at", "5", stdin=b"a\nb\nc\n")
    assert tool("promote", "--limit", "2").lines == ["promoted=2"]
    assert tool("promote", "--json").json == [{"promoted": 1}]


def lapse(tool, raw):
    for job in raw("ZRANGE", tool.key("active"), 0, -1):
        raw("ZADD", tool.key("active"), 5, job)


def test_reap(tool, raw):
    enqueue(tool, stdin=b"a\nb\n")
    tool("claim", "--size", "2")
    assert tool("reap").lines == ["recovered=0"]
    lapse(tool, raw)
    assert tool("reap", "--json").json == [{"recovered": 2}]


def test_sweep(tool, raw):
    job = enqueue(tool, "a")
    tool("claim")
    lapse(tool, raw)
    assert tool("sweep", "--max", "2").lines == [f"recovered  {job}"]
    assert tool("sweep").out == b""
    tool("claim")
    lapse(tool, raw)
    assert tool("sweep", "--max", "2", "--limit", "5", "--json").json == [
        {"recovered": [], "dead": [job]}]


def test_check(tool, raw):
    one, two = enqueue(tool, stdin=b"a\nb\n")
    assert tool("check").lines == ["no offenders"]
    assert tool("check", "--json").out == b""
    raw("ZADD", tool.key("dead"), 0, one)
    raw("DEL", tool.key("job:" + two))
    raw("ZADD", tool.key("active"), 5, b"no\xffid")
    found = tool("check", code=1)
    assert len(found.lines) == 3
    assert f"{one}: in pending and dead" in found.lines
    assert f"{two}: in pending, and has no row" in found.lines
    offenders = {each["id"]: each["problem"] for each in tool("check", "--json", code=1).json}
    assert offenders[two] == "in pending, and has no row" and len(offenders) == 3
    assert tool("check", "--quiet", code=1).out == b""


def test_id(tool, silent):
    offline = {"ECHOMQ_URL": silent.url, "ECHOMQ_NODE": "77"}
    found = tool("id", "decode", "USR0KHTOWnGLuC", "USR0NgWEfAEJfs", "--json", environment=offline)
    assert found.json[0] == {
        "id": "USR0KHTOWnGLuC", "namespace": "USR", "snowflake": "274557032793636864",
        "minted_ms": (274557032793636864 >> 22) + 1704067200000,
        "node": 0, "sequence": 0, "hash32": 234878118}
    assert found.json[1]["snowflake"] == "320636799581945856"
    assert "snowflake  274557032793636864" in tool("id", "decode", "USR0KHTOWnGLuC").lines
    bad = tool("id", "decode", "USR0KHTOWnGLuC", "USRzzzzzzzzzzz", code=2, environment=offline)
    assert bad.out == b""
    minted = tool("id", "mint", "--number", "5000", environment=offline).lines
    assert len(set(minted)) == 5000 and minted == sorted(minted)
    one = tool("id", "mint", "--json", environment=offline).json[0]["id"]
    assert tool("id", "decode", one, "--json").json[0]["node"] == 77
    assert not silent.met()
