# SPDX-License-Identifier: MIT
"""Servers that are full, busy, loading, misconfigured, or have much to move."""

import pathlib
import threading

import pytest
import resp
import scenes
import servers
import wire
from waiting import WAIT, until

import echomq

ID = wire.job_id(1)


@pytest.fixture(scope="module")
def own_server():
    server = servers.Server("--maxmemory-policy", "noeviction")
    yield server
    server.stop()


@pytest.fixture
def own(own_server):
    """A server whose settings the test may change; they are put back."""
    raw = own_server.raw()
    raw("FLUSHALL")
    raw("SCRIPT", "FLUSH")
    yield raw
    for setting, value in (("maxmemory", 0), ("maxclients", 10000), ("save", "")):
        raw("CONFIG", "SET", setting, value)
    own_server.connections.remove(raw)
    raw.close()


# ---- a full server ----

# The first write of these frees memory, and a script that has begun to write is let through.
RUN_WHEN_FULL = {
    "claim",
    "bclaim",
    "complete",
    "retry",
    "delay",
    "promote",
    "reap",
    "sweep_stalled",
    "remove_job",
    "reprocess",
    "queue_resume",
    "drain",
    "obliterate",
    "counts",
    "state_lookup",
    "inspect",
}
REFUSED_WHEN_FULL = {
    "enqueue",
    "schedule",
    "extend_lock",
    "extend_locks",
    "update_data",
    "update_progress",
    "add_log",
    "queue_pause",
}


def fill(raw):
    """Puts the limit just below what is in use."""
    raw("CONFIG", "SET", "maxmemory", 1 << 20 if used(raw) > 1 << 20 else used(raw) - 1)
    raw("CONFIG", "SET", "maxmemory", used(raw) - (16 << 10))


def used(raw):
    info = raw("INFO", "memory").decode()
    return int(info.partition("used_memory:")[2].split()[0])


@pytest.mark.parametrize("name", sorted(scenes.SCENES))
def test_on_a_full_server_all_or_nothing(own, name):
    keys = wire.Keys("full")
    call = scenes.SCENES[name](own, keys)
    before = wire.dump(own, keys)
    fill(own)
    if call.script in RUN_WHEN_FULL:
        call.run(own)
        assert name in scenes.READS or wire.dump(own, keys) != before
    else:
        assert call.script in REFUSED_WHEN_FULL
        with pytest.raises(resp.Refused, match="^OOM"):
            call.run(own)
        assert wire.dump(own, keys) == before
    assert wire.offences(own, keys) == []


def test_a_full_server_is_worked_empty(own_server, own):
    """Only active jobs and no room: they can be finished, and lapsed ones come back."""
    keys = wire.Keys("wedged")
    with echomq.connect(own_server.url) as client:
        queue = client.queue("wedged")
        queue.enqueue_many([b"x" * 4096] * 100)
        jobs = queue.claim_many(100)
        own("ZADD", keys.active, scenes.PAST, jobs[99].id)
        fill(own)
        with pytest.raises(echomq.ServerMemoryError) as refused:
            queue.enqueue(b"more")
        assert refused.value.retriable
        with pytest.raises(echomq.ServerMemoryError):
            jobs[0].extend()
        assert own("ZCARD", keys.active) == 100  # the lease is what it was
        assert queue.reap() == 1
        assert queue.claim().id == jobs[99].id
        assert jobs[98].retry("why", delay=0) == "scheduled"
        assert [job.complete() for job in jobs[:98]] == ["done"] * 98
        assert wire.offences(own, keys) == []
        assert queue.enqueue(b"more")  # what was finished made room


# ---- a busy server ----


def test_a_long_script_is_waited_out(start_server):
    server = start_server("--busy-reply-threshold", "50")
    raw, other = server.raw(), server.raw()
    with echomq.connect(server.url) as client:
        queue = client.queue("busy")
        queue.enqueue(b"1")
        ended = []

        def loop():
            try:
                other("EVAL", "while true do end", 0)
            except resp.Refused as error:
                ended.append(str(error))

        thread = threading.Thread(target=loop)
        thread.start()
        until(lambda: isinstance(raw.replies([("PING",)])[0], resp.Refused))
        for call in (lambda: queue.enqueue(b"2"), queue.claim, queue.counts):
            with pytest.raises(echomq.BusyError) as busy:
                call()
            assert busy.value.retriable
        assert thread.is_alive()  # nobody of ours killed it
        raw("SCRIPT", "KILL")
        thread.join(WAIT)
        assert "killed" in ended[0]
        assert queue.claim().payload == b"1"
        assert queue.claim() is None


# ---- much to move ----

SEED = """
for i = 1, tonumber(ARGV[1]) do
  local id = string.format('JOB0NgWd%06d', i)
  redis.call('HSET', KEYS[1] .. 'job:' .. id, 'state', ARGV[3], 'attempts', ARGV[4], 'payload', '')
  redis.call('ZADD', KEYS[1] .. ARGV[2], i, id)
end
"""


def seed(raw, keys, set, count, attempts=0):
    """Many jobs in a set, their scores in the past."""
    raw("EVAL", SEED, 1, keys.base, count, set, wire.STATES[set], attempts)


def slowest_us(raw, record_property, name):
    """The server's mean time for a call, for the report."""
    stats = raw("INFO", "commandstats").decode()
    line = next(line for line in stats.split() if line.startswith("cmdstat_evalsha:"))
    record_property(name, line)


def test_promote_and_reap_are_bounded(own_server, own, record_property):
    keys = wire.Keys("large")
    seed(own, keys, "schedule", 200_000)
    with echomq.connect(own_server.url) as client:
        queue = client.queue("large")
        own("CONFIG", "RESETSTAT")
        assert [queue.promote() for _ in range(5)] == [1000] * 5
        slowest_us(own, record_property, "promote")
        assert own("ZCARD", keys.schedule) == 195_000
        assert own("ZRANGE", keys.schedule, 0, 0) == [wire.job_id(5001).encode()]
        assert queue.promote(limit=3) == 3
        own("RENAME", keys.schedule, keys.active)
        own("CONFIG", "RESETSTAT")
        assert [queue.reap() for _ in range(5)] == [100] * 5
        slowest_us(own, record_property, "reap")
        back, dead = queue.sweep(max_stalled=1, limit=1000)
        assert (len(back), len(dead)) == (0, 1000)
        assert own("ZCARD", keys.active) == 194_997 - 1500


@pytest.mark.parametrize("count", [7_999, 8_000, 20_000])
def test_one_call_for_very_many(own, count):
    """Lua's unpack ends at 8,000 values: no script hands its members over in that way."""
    keys = wire.Keys("many")
    rows = [wire.job_id(number).encode() for number in range(1, count + 1)]
    seed(own, keys, "schedule", count)
    assert wire.run(own, "promote", [keys.schedule, keys.pending], [keys.base, count]) == count
    claimed = wire.run(own, "bclaim", [keys.pending, keys.active], [keys("job:"), 30000, count])
    assert [job[0] for job in claimed] == rows
    holds = [part for id in rows for part in (id, 1)]
    assert wire.run(own, "extend_locks", [keys.active], [keys.base, 1, *holds]) == []
    until(lambda: own("ZCOUNT", keys.active, "-inf", own.now()) == count)
    sets = [keys.active, keys.pending, keys.dead]
    assert wire.run(own, "sweep_stalled", sets, [keys.base, 2, count]) == [rows, []]
    wire.run(own, "queue_pause", [keys.meta], [])
    assert wire.run(own, "obliterate", [keys.meta, keys.base], ["", count + 1]) == 0
    assert wire.dump(own, keys) == {}
    seed(own, keys, "pending", count)
    assert wire.run(own, "drain", [keys.base, keys.pending], []) == count
    assert wire.dump(own, keys) == {}


def test_many_through_the_client(own_server, own):
    keys = wire.Keys("bulk")
    with echomq.connect(own_server.url) as client:
        queue = client.queue("bulk")
        verdicts = queue.enqueue_many(b"%d" % i for i in range(8_000))
        assert {verdict.outcome for verdict in verdicts} == {"enqueued"}
        jobs = [job for _ in range(8) for job in queue.claim_many(1000)]
        assert [job.id for job in jobs] == [verdict.id for verdict in verdicts]
        assert {v.outcome for v in queue.extend_many(jobs)} == {"done"}
        assert {v.outcome for v in queue.complete_many(jobs)} == {"done"}
    assert wire.dump(own, keys).keys() == {keys("metrics:completed")}


# ---- a loading server ----


def test_a_loading_server_is_waited_for(start_server, folder):
    first = start_server("--dir", folder)
    raw = first.raw()
    with echomq.connect(first.url) as client:
        client.queue("q").enqueue(b"kept")
    raw.pipeline([("SET", "key:%d" % i, "x" * 100) for i in range(500)])
    raw("SAVE")
    first.stop()

    # 2 ms for each key: a second of loading, with the events served in between.
    server = start_server(
        "--dir",
        folder,
        "--key-load-delay",
        "2000",
        "--loading-process-events-interval-bytes",
        "1024",
        wait=False,
    )
    path = "unix://" + folder + "/s"
    assert until(lambda: loading(path))
    with pytest.raises(echomq.LoadingError) as error:
        echomq.connect(path, connect_timeout=0.4)
    assert error.value.retriable
    with echomq.connect(path, connect_timeout=WAIT) as client:
        assert client.queue("q").claim().payload == b"kept"
    server.await_start()


def loading(url):
    try:
        raw = resp.Raw(url)
    except OSError:
        return False
    try:
        return str(raw.replies([("PING",)])[0]).startswith("LOADING")
    finally:
        raw.close()


# ---- a server that cannot save ----


def test_failed_saving_refuses_writes(start_server, folder):
    server = start_server("--dir", folder, "--dbfilename", "taken")
    raw = server.raw()
    keys = wire.Keys("unsaved")
    with echomq.connect(server.url) as client:
        queue = client.queue("unsaved")
        queue.enqueue(b"1")
        job = queue.claim()
        queue.enqueue(b"2")
        (pathlib.Path(folder) / "taken" / "there").mkdir(parents=True)
        raw("CONFIG", "SET", "save", "3600 1000000")
        raw("BGSAVE")
        until(lambda: b"rdb_last_bgsave_status:err" in raw("INFO", "persistence"))
        before = wire.dump(raw, keys)
        for call in (
            lambda: queue.enqueue(b"3"),
            queue.claim,
            job.complete,
            job.extend,
            lambda: job.retry("why"),
            queue.pause,
        ):
            with pytest.raises(echomq.MisconfiguredError) as refused:
                call()
            assert refused.value.retriable
        assert wire.dump(raw, keys) == before
        assert queue.counts("active", "pending") == {"active": 1, "pending": 1}
        raw("CONFIG", "SET", "save", "")
        assert job.complete() == "done"


# ---- no room for another connection ----


def test_no_room_for_another_client(own_server, own):
    with echomq.connect(own_server.url) as client:
        queue = client.queue("room")
        there = len(own("CLIENT", "LIST").split(b"\n")) - 1
        own("CONFIG", "SET", "maxclients", there)
        with pytest.raises(echomq.MaxClientsError) as refused:
            echomq.connect(own_server.url)
        assert refused.value.retriable
        # One that had a place and lost it to somebody else waits for another.
        own("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        other = own_server.raw()
        assert other("PING") == "PONG"
        timer = threading.Timer(0.3, other.close)
        timer.start()
        assert queue.enqueue(b"")
        timer.join()


# ---- alien keys ----


def test_an_alien_key_hurts_its_own_queue_alone(client, queue, raw, keys):
    sound = client.queue(queue.name + "-sound")
    raw("SET", keys.pending, "alien")
    calls = [
        lambda: queue.enqueue(b""),
        lambda: queue.enqueue(b"", id=ID),
        lambda: queue.enqueue(b"", delay=1),
        queue.claim,
        lambda: queue.claim_many(3),
        queue.promote,
        queue.reap,
        queue.sweep,
        queue.counts,
        lambda: queue.state(ID),
        queue.drain,
        queue.depth,
        lambda: queue.browse("pending"),
    ]
    for number, call in enumerate(calls):
        if number == 2:
            assert call()  # schedule does not touch pending
            continue
        with pytest.raises(echomq.WrongTypeError):
            call()
        assert sound.enqueue(b"%d" % number)
        assert sound.claim().complete() == "done"
    verdicts = queue.enqueue_many([b"1", b"2"])
    assert [type(verdict.error) for verdict in verdicts] == [echomq.WrongTypeError] * 2
    raw("DEL", keys.pending)
    assert queue.enqueue(b"") and queue.claim()


def test_ghosts_at_the_head(client, queue, raw, keys, sound):
    """Evicted rows: the next job is served, the ghosts are counted, and no call loops for ever."""
    ids = [verdict.id for verdict in queue.enqueue_many([b""] * 250)]
    raw("DEL", *[keys.row(id) for id in ids[:30]])
    assert queue.claim().id == ids[30]
    assert client.ghosts == 30
    raw("DEL", *[keys.row(id) for id in ids[31:240]])
    with pytest.raises(echomq.StateError):
        queue.claim()
    assert client.ghosts == 130
    with pytest.raises(echomq.StateError):
        queue.claim()
    assert queue.claim().id == ids[240]
    raw("DEL", *[keys.row(id) for id in ids[241:245]])
    assert [job.id for job in queue.claim_many(9)] == ids[245:]
