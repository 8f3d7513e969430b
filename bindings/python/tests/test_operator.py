# SPDX-License-Identifier: MIT
"""What an operator does to a queue and to its jobs."""

import json

import pytest
import resp

import echomq


def mint():
    return echomq.ids.Minter().mint()


# ---- one job ----


def test_another_payload(queue):
    job_id = queue.enqueue(b"old")
    assert queue.update_data(job_id, b"new\0\xff") == "done"
    assert queue.job(job_id).payload == b"new\0\xff"
    assert queue.claim().payload == b"new\0\xff"
    unknown = mint()
    assert queue.update_data(unknown, b"new") == "gone"
    assert queue.job(unknown) is None


def test_progress(queue, url):
    job_id = queue.enqueue(b"")
    listener = resp.Raw(url)
    listener("SUBSCRIBE", echomq.keys.queue_key(queue.name, "events"))
    assert queue.update_progress(job_id, "50") == "done"
    assert queue.job(job_id).fields["progress"] == b"50"
    kind, _, message = listener.listen()
    assert kind == b"message"
    assert json.loads(message) == {"event": "progress", "job": job_id, "progress": "50"}
    for part in (b'"event":"progress"', b'"progress":"50"', job_id.encode()):
        assert part in message
    listener.close()
    assert queue.update_progress(mint(), "50") == "gone"
    assert queue.update_progress(job_id, b"\0\xff") == "done"
    assert queue.job(job_id).fields["progress"] == b"\0\xff"


def test_a_log(queue):
    job_id = queue.enqueue(b"")
    assert queue.logs(job_id) == []
    assert queue.add_log(job_id, "line-1") == 1
    assert queue.add_log(job_id, b"line-2") == 2
    assert queue.logs(job_id) == [b"line-1", b"line-2"]
    assert queue.add_log(job_id, "line-3", keep=2) == 2
    assert queue.logs(job_id) == [b"line-2", b"line-3"]
    assert queue.add_log(job_id, b"\0\xff", 10) == 3
    assert queue.logs(job_id)[-1] == b"\0\xff"
    assert queue.add_log(mint(), "line") is None
    assert queue.logs(mint()) is None


def test_lines_to_keep_that_are_none(queue, raw):
    job_id = queue.enqueue(b"")
    before = raw.commands()
    for keep in (0, -1, 1000001, 2**63):
        with pytest.raises(echomq.InvalidArgumentError):
            queue.add_log(job_id, "line", keep=keep)
    for keep in ("1", 1.0, True, False):
        with pytest.raises(TypeError):
            queue.add_log(job_id, "line", keep=keep)
    assert raw.commands() == before


def test_texts_that_are_too_long(queue, raw):
    job_id = queue.enqueue(b"")
    most = bytes(1 << 20)
    assert queue.add_log(job_id, most) == 1
    assert queue.update_progress(job_id, most) == "done"
    before = raw.commands()
    with pytest.raises(echomq.InvalidArgumentError):
        queue.add_log(job_id, most + b"x")
    with pytest.raises(echomq.InvalidArgumentError):
        queue.update_progress(job_id, most + b"x")
    assert raw.commands() == before


def test_removal(queue, raw):
    dedup = echomq.keys.queue_key(queue.name, "de:dedup-7")
    free, held, other = (queue.enqueue(b"") for _ in range(3))
    queue.add_log(free, "line")
    raw("SET", dedup, free)
    assert queue.dedup("dedup-7") == free
    raw("SET", echomq.keys.job_key(queue.name, held) + b":lock", "worker-1")
    assert queue.remove(free, dedup="dedup-7") == "done"
    assert queue.state(free) == "absent"
    assert queue.logs(free) is None
    assert raw("EXISTS", dedup, echomq.keys.job_key(queue.name, free) + b":logs") == 0
    assert queue.dedup("dedup-7") is None
    with pytest.raises(echomq.LockedError):
        queue.remove(held)
    assert queue.state(held) == "pending"
    raw("SET", dedup, held)
    assert queue.remove(other, dedup=b"dedup-7") == "done"
    assert queue.dedup(b"dedup-7") == held
    assert queue.remove(other) == "gone"


@pytest.mark.parametrize("state", ["pending", "active", "scheduled", "dead"])
def test_removal_from_everywhere(queue, state):
    job_id = queue.enqueue(b"", delay=60 if state == "scheduled" else None)
    if state == "active":
        queue.claim()
    if state == "dead":
        queue.claim().retry("no", max_attempts=1)
    assert queue.browse(state) == [job_id]
    assert queue.remove(job_id) == "done"
    assert queue.browse(state) == []
    assert queue.state(job_id) == "absent"


def test_a_dead_job_gets_another_chance(queue):
    dead = queue.enqueue(b"x")
    assert queue.claim().retry("no", max_attempts=1) == "dead"
    live = queue.enqueue(b"y")
    assert queue.reprocess(dead) == "done"
    assert queue.state(dead) == "pending"
    assert queue.job(dead).fields == {"state": b"pending", "attempts": b"1", "payload": b"x"}
    for alive in (dead, live):
        with pytest.raises(echomq.StateError) as caught:
            queue.reprocess(alive)
        assert caught.value.server_text == "EMQSTATE not dead"
        assert queue.state(alive) == "pending"
    assert queue.reprocess(mint()) == "gone"
    assert queue.claim().token == 2


BY_ID = {
    "update_data": lambda queue, id: queue.update_data(id, b""),
    "update_progress": lambda queue, id: queue.update_progress(id, ""),
    "add_log": lambda queue, id: queue.add_log(id, ""),
    "logs": lambda queue, id: queue.logs(id),
    "remove": lambda queue, id: queue.remove(id),
    "reprocess": lambda queue, id: queue.reprocess(id),
    "locate": lambda queue, id: queue.locate(id),
}


@pytest.mark.parametrize("call", BY_ID.values(), ids=BY_ID)
def test_ids_that_are_none(queue, raw, call):
    before = raw.commands()
    for bad in ("", "JOB", "x" * 14, "JOBzzzzzzzzzzz", b"\xff" * 14):
        with pytest.raises(echomq.InvalidArgumentError):
            call(queue, bad)
    for bad in (None, 5):
        with pytest.raises(TypeError):
            call(queue, bad)
    assert raw.commands() == before


@pytest.mark.parametrize("bad", [None, 5, ["x"]])
def test_texts_of_a_wrong_type(queue, raw, bad):
    job_id = queue.enqueue(b"")
    before = raw.commands()
    for call in (queue.update_data, queue.update_progress, queue.add_log):
        with pytest.raises(TypeError):
            call(job_id, bad)
    with pytest.raises(TypeError):
        queue.dedup(bad)
    if bad is not None:
        with pytest.raises(TypeError):
            queue.remove(job_id, dedup=bad)
    assert raw.commands() == before


# ---- the whole queue ----


def test_a_pause(queue):
    job_id = queue.enqueue(b"p")
    for _ in range(2):
        assert queue.pause() is None
    assert queue.claim() is None
    assert queue.claim_many(10) == []
    assert queue.counts("pending") == {"pending": 1}
    for _ in range(2):
        assert queue.resume() is None
    job = queue.claim()
    assert (job.id, job.payload, job.token) == (job_id, b"p", 1)


def test_a_drain(queue, raw):
    queue.enqueue(b"")
    claimed = queue.claim()
    waiting = [queue.enqueue(b"") for _ in range(3)]
    later = queue.enqueue(b"", delay=60)
    queue.add_log(waiting[0], "line")
    assert queue.drain() == 3
    key = echomq.keys.job_key(queue.name, waiting[0])
    assert raw("EXISTS", key, key + b":logs") == 0
    assert queue.counts("pending", "active", "schedule") == {
        "pending": 0, "active": 1, "schedule": 1
    }  # fmt: skip
    assert queue.state(claimed.id) == "active"
    assert queue.drain(scheduled=True) == 1
    assert queue.state(later) == "absent"
    assert claimed.complete() == "done"
    assert queue.drain(True) == 0


@pytest.mark.parametrize("flag", [None, 1, 0, "yes"])
def test_flags_of_a_wrong_type(queue, raw, flag):
    before = raw.commands()
    with pytest.raises(TypeError, match="scheduled must be a bool"):
        queue.drain(flag)
    with pytest.raises(TypeError, match="force must be a bool"):
        queue.obliterate(flag)
    assert raw.commands() == before


def test_an_obliteration(queue, raw):
    queue.enqueue(b"")
    with pytest.raises(echomq.StateError, match="not paused"):
        queue.obliterate()
    assert queue.depth() == 1
    queue.enqueue(b"", delay=60)
    queue.pause()
    assert queue.obliterate() is None
    assert set(queue.counts().values()) == {0}
    assert raw("KEYS", b"emq:{" + queue.name.encode() + b"}:*") == []


def test_an_obliteration_of_active_jobs(queue, raw):
    queue.enqueue(b"")
    job = queue.claim()
    queue.pause()
    with pytest.raises(echomq.StateError, match="active jobs present"):
        queue.obliterate()
    assert queue.state(job.id) == "active"
    queue.obliterate(force=True)
    assert job.complete() == "gone"


def test_an_obliteration_in_steps(queue, raw):
    queue.enqueue_many([b""] * 25)
    queue.pause()
    told = []
    queue.obliterate(budget=10, progress=lambda steps: told.append((steps, queue.depth())))
    assert told == [(1, 15), (2, 5), (3, 0)]
    assert raw("KEYS", b"emq:{" + queue.name.encode() + b"}:*") == []


def test_an_obliteration_whose_progress_raises(queue):
    queue.enqueue_many([b""] * 25)
    queue.pause()

    def progress(steps):
        raise ZeroDivisionError("enough")

    with pytest.raises(ZeroDivisionError, match="enough"):
        queue.obliterate(budget=10, progress=progress)
    assert queue.depth() == 15
    assert queue.claim() is None, "it is still paused"
    queue.obliterate()
    assert queue.depth() == 0
