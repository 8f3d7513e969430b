# SPDX-License-Identifier: MIT
import time

import pytest

import echomq


def test_the_life_of_a_job(queue):
    job_id = queue.enqueue(b"payload")
    assert queue.state(job_id) == "pending"
    job = queue.claim(lease=60)
    assert (job.id, job.payload, job.token) == (job_id, b"payload", 1)
    assert job.queue is queue
    assert repr(job) == f"<echomq.Job {job_id} of {queue.name!r} token=1>"
    assert queue.state(job_id) == "active"
    assert job.complete() == "done"
    assert queue.state(job_id) == "absent"
    assert queue.job(job_id) is None
    assert job.complete() == "gone"
    assert queue.claim() is None
    assert queue.counts("completed") == {"completed": 1}


def test_jobs_come_in_the_order_of_their_minting(queue):
    ids = [queue.enqueue(b"%d" % number) for number in range(50)]
    assert ids == sorted(ids)
    jobs = [queue.claim() for _ in ids]
    assert [job.id for job in jobs] == ids
    assert [job.payload for job in jobs] == [b"%d" % number for number in range(50)]


def test_an_id_of_the_callers(queue):
    job_id = echomq.ids.Minter().mint()
    assert queue.enqueue(b"first", id=job_id) == job_id
    assert queue.enqueue(b"second", id=job_id) is None
    assert queue.job(job_id).payload == b"first"
    assert queue.counts("pending") == {"pending": 1}
    other = echomq.ids.Minter().mint()
    assert queue.enqueue(b"", id=other.encode()) == other


def test_an_id_of_another_namespace(queue):
    other = echomq.ids.Minter().mint("USR")
    with pytest.raises(echomq.KindError):
        queue.enqueue(b"", id=other)
    assert queue.counts("pending") == {"pending": 0}


def test_a_stale_token_leaves_the_job_as_it_was(queue, raw):
    queue.enqueue(b"x")
    job = queue.claim()
    before = queue.job(job.id).fields
    for token in (2, 2**53 + 1, 2**63 - 1):
        with pytest.raises(echomq.StaleError) as caught:
            queue.complete(job.id, token)
        assert caught.value.server_text == "EMQSTALE complete token mismatch"
        assert not caught.value.retriable
    assert queue.job(job.id).fields == before
    assert queue.state(job.id) == "active"
    assert queue.complete(job.id, job.token) == "done"


def test_a_lease_is_in_seconds_of_the_servers_clock(queue, raw):
    queue.enqueue(b"x")
    seconds, micros = (int(part) for part in raw("TIME"))
    job = queue.claim(lease=1.5)
    deadline = float(raw("ZSCORE", echomq.keys.queue_key(queue.name, "active"), job.id))
    assert 1500 <= deadline - (seconds * 1000 + micros / 1000) + 1 < 1500 + 5000


def test_a_paused_queue_gives_nothing(queue, raw):
    queue.enqueue(b"x")
    raw("HSET", echomq.keys.queue_key(queue.name, "meta"), "paused", "1")
    assert queue.claim() is None
    raw("HDEL", echomq.keys.queue_key(queue.name, "meta"), "paused")
    assert queue.claim().payload == b"x"


def test_a_ghost_is_removed_and_counted(client, queue, raw):
    ghost = queue.enqueue(b"ghost")
    queue.enqueue(b"job")
    raw("DEL", echomq.keys.job_key(queue.name, ghost))
    assert queue.claim().payload == b"job"
    assert client.ghosts == 1
    assert queue.state(ghost) == "absent"


def test_counts(queue, raw):
    names = ["pending", "active", "schedule", "dead", "completed", "failed"]
    assert queue.counts() == dict.fromkeys(names, 0)
    assert list(queue.counts()) == names
    for _ in range(3):
        queue.enqueue(b"")
    queue.claim().complete()
    queue.claim()
    raw("HSET", echomq.keys.queue_key(queue.name, "metrics:failed"), "count", 2**53 + 1)
    assert queue.counts() == {
        "pending": 1, "active": 1, "schedule": 0, "dead": 0, "completed": 1, "failed": 2**53 + 1
    }  # fmt: skip
    assert list(queue.counts("dead", "active", "dead").items()) == [("dead", 0), ("active", 1)]


def test_a_count_that_there_is_not(queue, raw):
    before = raw.commands()
    with pytest.raises(echomq.InvalidArgumentError) as caught:
        queue.counts("pending", "waiting")
    for word in ("waiting", "pending", "active", "schedule", "dead", "completed", "failed"):
        assert word in caught.value.message
    assert raw.commands() == before


def test_every_state(queue, raw):
    def put(set_name, state):
        job_id = queue.enqueue(b"")
        raw("ZREM", echomq.keys.queue_key(queue.name, "pending"), job_id)
        raw("HSET", echomq.keys.job_key(queue.name, job_id), "state", state)
        if set_name:
            raw("ZADD", echomq.keys.queue_key(queue.name, set_name), 0, job_id)
        return queue.state(job_id)

    assert put("pending", "pending") == "pending"
    assert put("active", "active") == "active"
    assert put("schedule", "scheduled") == "scheduled"
    assert put("dead", "dead") == "dead"
    assert put(None, "awaiting_children") == "awaiting_children"
    assert put(None, "pending") == "unknown"
    assert queue.state(echomq.ids.Minter().mint()) == "absent"


def test_a_row(queue, raw):
    job_id = queue.enqueue(b"p\0q")
    row = queue.job(job_id)
    assert (row.state, row.attempts, row.payload) == ("pending", 0, b"p\0q")
    assert list(row.fields.items()) == [
        ("state", b"pending"), ("attempts", b"0"), ("payload", b"p\0q")
    ]  # fmt: skip
    assert repr(row) == "<echomq.Row state='pending' attempts=0>"
    key = echomq.keys.job_key(queue.name, job_id)
    raw("HSET", key, "attempts", "many", b"\xff", b"\xfe", "state", b"\xff")
    row = queue.job(job_id)
    assert (row.state, row.attempts) == ("\\xff", None)
    assert row.fields["\\xff"] == b"\xfe"
    raw("HSET", key, "attempts", "9" * 5000)
    assert queue.job(job_id).attempts is None
    raw("HDEL", key, "state", "attempts", "payload")
    row = queue.job(job_id)
    assert (row.state, row.attempts, row.payload) == (None, None, None)


def test_the_names_of_queues(client, raw):
    for name in ("a b", "é/ü", "x" * 512, "a:b", "100%s%n"):
        queue = client.queue(name)
        assert queue.name == name
        assert repr(queue) == f"<echomq.Queue {name!r}>"
        assert queue.claim() is None
        job_id = queue.enqueue(b"x")
        assert raw("EXISTS", b"emq:{" + name.encode() + b"}:job:" + job_id.encode()) == 1
        queue.claim().complete()
    assert client.queue(b"bytes").name == "bytes"
    assert client.queue(b"\xff").name == "\\xff"
    before = raw.commands()
    for name in ("", "a{b", "a}b", "\n", "\x7f", "a\0b", "x" * 513, "é" * 257, "\ud800"):
        with pytest.raises(echomq.InvalidArgumentError):
            client.queue(name)
    for name in (None, 5, ["a"]):
        with pytest.raises(TypeError):
            client.queue(name)
    assert raw.commands() == before


def test_a_completion_with_a_result(queue):
    queue.enqueue(b"x")
    assert queue.claim().complete(result=b"\0\xff") == "done"
    queue.enqueue(b"x")
    assert queue.claim().complete("text") == "done"


def test_the_result_of_a_child_reaches_its_parent(queue, raw):
    parent, child = (queue.enqueue(b"") for _ in range(2))
    key = echomq.keys.job_key(queue.name, parent)
    raw("ZREM", echomq.keys.queue_key(queue.name, "pending"), parent)
    raw("HSET", key, "state", "awaiting_children")
    raw("SET", key + b":dependencies", 1)
    raw("HSET", echomq.keys.job_key(queue.name, child), "parent", parent)
    assert queue.claim().complete(result=b"\0result\xff") == "done"
    assert raw("HGET", key + b":processed", child) == b"\0result\xff"
    assert queue.state(parent) == "pending"


def test_a_call_that_times_out(start_server):
    server = start_server()
    client = echomq.connect(server.url, call_timeout=0.3)
    queue = client.queue("q")
    job_id = queue.enqueue(b"mine")
    server.freeze()
    with pytest.raises(echomq.UnknownOutcomeError):
        queue.claim()
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        queue.counts()
    assert 0.29 <= time.monotonic() - began < 1.0
    server.thaw()
    # Each later call has its own answer, never one that was late.
    assert queue.job(job_id).payload == b"mine"
    assert queue.state(job_id) in ("pending", "active")
    assert queue.counts("dead") == {"dead": 0}
