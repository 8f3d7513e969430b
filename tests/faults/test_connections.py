# SPDX-License-Identifier: MIT
"""Replies that are lost, links that fall silent, connections that are cut."""

import time

import children
import pytest
import wire
from waiting import until

import echomq


@pytest.fixture
def lossy(proxy, raw):
    """A client whose server's replies the test can lose. The server knows every script already:
    what is lost is the reply of one that ran."""
    for name in wire.scripts():
        raw("SCRIPT", "LOAD", wire.source(name))
    with echomq.connect(proxy.url, call_timeout=5.0) as client:
        yield client


# ---- the reply is lost after the server has done it ----


def test_what_may_be_repeated_is(lossy, proxy, queue, raw, keys, sound):
    through = lossy.queue(queue.name)
    calls = {
        "enqueue": lambda: through.enqueue(b"1"),
        "schedule": lambda: through.enqueue(b"2", delay=0),
        "promote": lambda: through.promote(),
        "counts": lambda: through.counts("pending"),
    }
    through.enqueue(b"0")
    answers = {}
    for name, call in calls.items():
        proxy.lose("swallow")
        answers[name] = call()
        assert proxy.lost.is_set(), name
    assert raw("ZCARD", keys.pending) + raw("ZCARD", keys.schedule) == 3  # one row for each
    assert {queue.job(answers[name]).payload for name in ("enqueue", "schedule")} == {b"1", b"2"}
    assert answers["counts"] == {"pending": 3}


def test_an_id_of_the_callers_is_enqueued_once(lossy, proxy, queue, raw, keys, sound):
    id = wire.job_id(1)
    proxy.lose("swallow")
    assert lossy.queue(queue.name).enqueue(b"1", id=id) is None  # the call's own, or another's
    assert raw("ZRANGE", keys.pending, 0, -1) == [id.encode()]


def test_a_batch_is_enqueued_once(lossy, proxy, queue, raw, keys, sound):
    proxy.lose("swallow")
    verdicts = lossy.queue(queue.name).enqueue_many([b"%d" % i for i in range(500)])
    assert proxy.lost.is_set()
    assert {verdict.outcome for verdict in verdicts} == {"enqueued"}
    assert raw("ZCARD", keys.pending) == 500 == len({verdict.id for verdict in verdicts})


@pytest.mark.parametrize(
    "verb", ["complete", "retry", "delay", "remove", "add_log", "sweep", "claim"]
)
def test_what_may_not_is_of_unknown_outcome(lossy, proxy, queue, raw, keys, sound, verb):
    queue.enqueue(b"1")
    queue.enqueue(b"2")
    job = lossy.queue(queue.name).claim()
    through = lossy.queue(queue.name)
    call = {
        "complete": job.complete,
        "retry": lambda: job.retry("why"),
        "delay": lambda: job.delay(1.0),
        "remove": lambda: through.remove(job.id),
        "add_log": lambda: through.add_log(job.id, b"line"),
        "sweep": through.sweep,
        "claim": through.claim,
    }[verb]
    proxy.lose("swallow")
    with pytest.raises(echomq.UnknownOutcomeError):
        call()
    assert proxy.lost.is_set()
    # Done once: nothing is sent a second time.
    if verb == "add_log":
        assert queue.logs(job.id) == [b"line"]
    if verb == "claim":
        assert raw("ZCARD", keys.active) == 2
    if verb in ("complete", "remove"):
        assert not raw("EXISTS", keys.row(job.id))
    assert through.counts("pending")  # the next call has a connection of its own


def test_a_claim_whose_reply_is_lost_comes_back_once(lossy, proxy, queue, raw, keys, sound):
    id = queue.enqueue(b"1")
    proxy.lose("swallow")
    with pytest.raises(echomq.UnknownOutcomeError):
        lossy.queue(queue.name).claim(lease=0.2)
    assert raw("HGET", keys.row(id), "attempts") == b"1"
    assert queue.claim() is None  # nobody holds it, and it is not given out before its lease ends
    assert until(queue.reap) == 1
    assert queue.reap() == 0
    job = queue.claim()
    assert (job.id, job.token, job.payload) == (id, 2, b"1")
    assert queue.claim() is None
    assert job.complete() == "done"


# ---- silence ----


def test_a_late_reply_answers_nobody(start_server):
    server = start_server()
    with echomq.connect(server.url, call_timeout=0.3) as client:
        queue = client.queue("late")
        queue.enqueue(b"1")
        server.freeze()
        with pytest.raises((echomq.UnknownOutcomeError, echomq.TimeoutError)):
            queue.claim()
        with pytest.raises(echomq.Error):
            queue.counts("pending")
        server.thaw()
        raw = server.raw()
        until(lambda: raw("PING"))
        for number in range(20):
            id = wire.job_id(number)
            assert queue.enqueue(b"%d" % number, id=id) == id
            assert queue.job(id).payload == b"%d" % number
        assert queue.counts("pending", "dead")["dead"] == 0


def test_a_silent_link_ends_with_the_deadline(proxy, queue):
    with echomq.connect(proxy.url, call_timeout=0.4) as client:
        through = client.queue(queue.name)
        through.enqueue(b"1")
        proxy.lose("stall")
        for call in (through.claim, lambda: through.enqueue(b"2")):
            begun = time.monotonic()
            with pytest.raises((echomq.UnknownOutcomeError, echomq.TimeoutError)):
                call()
            assert 0.3 < time.monotonic() - begun < 5.0
        proxy.mode = "relay"
        assert through.counts("active") == {"active": 1}


# ---- cut connections ----


def test_a_new_connection_is_like_the_old(start_server):
    server = start_server()
    raw = server.raw()
    raw("ACL", "SETUSER", "worker", "on", ">pw", "~*", "&*", "+@all")
    url = server.url.replace("db=0", "db=3")
    with echomq.connect(url, username="worker", password="pw", client_name="w-1") as client:
        queue = client.queue("q")
        queue.enqueue(b"1")
        for _ in range(3):
            raw("CLIENT", "KILL", "USER", "worker")
            queue.enqueue(b"2")
            line = next(x for x in raw("CLIENT", "LIST").split(b"\n") if b"name=w-1 " in x)
            assert b" db=3 " in line and b" user=worker " in line
        assert queue.counts("pending") == {"pending": 4}
        # The fence is read again, and a store that has changed hands is left alone.
        raw("SELECT", 3)
        raw("SET", "{emq}:version", "echomq:9.9.9")
        raw("CLIENT", "KILL", "USER", "worker")
        with pytest.raises(echomq.FenceError) as refused:
            queue.enqueue(b"3")
        assert (refused.value.found, refused.value.expected) == ("echomq:9.9.9", "echomq:4.0.0")
        assert raw("ZCARD", wire.Keys("q").pending) == 4


SIGPIPE = """
import signal, sys
import echomq, resp
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
raw = resp.Raw(sys.argv[1])
with echomq.connect(sys.argv[1]) as client:
    queue = client.queue("pipe")
    for _ in range(5):
        raw("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        assert queue.enqueue(b"")
        assert queue.enqueue_many([b"x" * 100000] * 20)[19].outcome == "enqueued"
raw.close()
print("alive")
"""


def test_a_cut_connection_spares_a_process_without_a_handler(start_server, start_script):
    process = start_script(SIGPIPE, start_server().url)
    assert children.end_script(process) == "alive\n"


# ---- the server goes and comes back ----


def test_a_queue_outlives_its_server(start_server, folder):
    arguments = ("--dir", folder, "--appendonly", "yes", "--appendfsync", "always")
    server = start_server(*arguments)
    keys = wire.Keys("q")
    with echomq.connect(server.url, connect_timeout=0.5) as client:
        queue = client.queue("q")
        ids = [queue.enqueue(b"%d" % i) for i in range(10)]
        jobs = [queue.claim(lease=0.1) for _ in range(5)]
        server.stop()
        with pytest.raises(echomq.Error):
            queue.enqueue(b"lost", id=wire.job_id(1))
        server = start_server(*arguments)
        assert queue.counts("pending", "active") == {"pending": 5, "active": 5}
        assert jobs[0].complete() == "done"  # the token is the row's, whatever the server did
        until(lambda: queue.reap() == 4 or queue.counts("active")["active"] == 0)
        again = queue.claim_many(20)
        assert [job.id for job in again] == ids[1:]
        assert [job.token for job in again] == [2] * 4 + [1] * 5
        assert wire.offences(server.raw(), keys) == []


def test_a_flushed_script_cache(client, queue, raw, keys, sound):
    for _ in range(2):
        for verb in (
            lambda: queue.enqueue(b"1"),
            lambda: queue.enqueue(b"2", delay=0),
            queue.promote,
            lambda: queue.enqueue_many([b"3"] * 100),
            lambda: queue.claim().complete(),
            lambda: queue.complete_many(queue.claim_many(50)),
            queue.reap,
            queue.sweep,
            lambda: queue.claim().retry("why", delay=0),
            queue.check,
        ):
            raw("SCRIPT", "FLUSH")
            verb()
    assert queue.counts("completed") == {"completed": 102}
