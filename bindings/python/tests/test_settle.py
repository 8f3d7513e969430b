# SPDX-License-Identifier: MIT
"""What a holder says of its job: retry, extend, and a job as a context manager."""

import pytest
from waiting import until

import echomq


def mint():
    return echomq.ids.Minter().mint()


# ---- retry ----


def test_tried_again_until_it_is_dead(queue, raw):
    job_id = queue.enqueue(b"poison")
    for attempt in (1, 2):
        job = queue.claim()
        assert job.token == attempt
        assert job.retry(f"boom {attempt}", delay=0.01 * attempt, max_attempts=3) == "scheduled"
        assert queue.state(job_id) == "scheduled"
        assert queue.job(job_id).fields["last_error"] == b"boom %d" % attempt
        assert until(lambda: queue.promote(10)) == 1
    assert queue.claim().retry("boom 3", max_attempts=3) == "dead"
    assert queue.state(job_id) == "dead"
    row = queue.job(job_id)
    assert (row.state, row.attempts) == ("dead", 3)
    assert row.fields["last_error"] == b"boom 3"
    assert queue.browse("dead") == [job_id]
    assert queue.metric("failed") == 1


def test_what_a_retry_does_by_itself(queue, raw):
    """A second's delay, 20 attempts."""
    job_id = queue.enqueue(b"")
    key = echomq.keys.job_key(queue.name, job_id)
    job = queue.claim()
    before = raw.now()
    assert job.retry("no") == "scheduled"
    assert before + 1000 <= queue.locate(job_id).score_ms <= raw.now() + 1000
    for attempts, outcome in ((18, "scheduled"), (19, "dead")):
        raw("HSET", key, "attempts", attempts)
        raw("ZADD", echomq.keys.queue_key(queue.name, "schedule"), 0, job_id)
        queue.promote()
        assert queue.claim().retry("no") == outcome


def test_a_stale_retry(queue):
    job_id = queue.enqueue(b"")
    job = queue.claim()
    before = queue.job(job_id).fields
    with pytest.raises(echomq.StaleError) as caught:
        queue.retry(job_id, 99, "no")
    assert caught.value.server_text == "EMQSTALE retry token mismatch"
    assert queue.job(job_id).fields == before
    assert queue.state(job_id) == "active"
    assert queue.retry(mint(), 1, "no") == "gone"
    assert job.retry("no") == "scheduled"
    for settle in (job.retry, job.complete):
        with pytest.raises(echomq.StateError):
            settle("again")
    assert queue.state(job_id) == "scheduled"
    assert queue.remove(job_id) == "done"
    assert job.retry("no") == "gone"


@pytest.mark.parametrize(
    "reason, kept",
    [
        (b"", b""),
        (b"\0\xff", b"\0\xff"),
        (bytearray(b"a"), b"a"),
        ("déjà", "déjà".encode()),
        ("\udcff", b"\\udcff"),
        ("x" * 5000, b"x" * 4096),
        ("é" * 2049, ("é" * 2048).encode()),
        ("x" + "é" * 2048, b"x" + ("é" * 2047).encode()),
    ],
    ids=["empty", "bytes", "bytearray", "text", "surrogate", "long", "long text", "odd"],
)
def test_reasons(queue, reason, kept):
    job_id = queue.enqueue(b"")
    assert queue.claim().retry(reason) == "scheduled"
    assert queue.job(job_id).fields["last_error"] == kept


def test_what_a_retry_refuses(queue, raw):
    queue.enqueue(b"")
    job = queue.claim()
    before = raw.commands()
    for reason in (None, 5, ValueError("no")):
        with pytest.raises(TypeError):
            job.retry(reason)
    for most in (0, -1, 1000001, 2**64):
        with pytest.raises(echomq.InvalidArgumentError):
            job.retry("no", max_attempts=most)
    for most in (None, 2.0, "2", True):
        with pytest.raises(TypeError):
            job.retry("no", max_attempts=most)
    assert raw.commands() == before


# ---- every settling call, by id and token ----


CALLS = {
    "complete": lambda queue, id, token: queue.complete(id, token),
    "retry": lambda queue, id, token: queue.retry(id, token, "no"),
    "delay": lambda queue, id, token: queue.delay(id, token, 1),
    "extend": lambda queue, id, token: queue.extend(id, token, 1),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_ids_and_tokens_that_are_none(queue, raw, call):
    before = raw.commands()
    for bad in ("", "JOB", "x" * 14, "JOBzzzzzzzzzzz", b"\xff" * 14):
        with pytest.raises(echomq.InvalidArgumentError):
            call(queue, bad, 1)
    for bad in (0, -1, 2**63, -(2**63) - 1):
        with pytest.raises(echomq.InvalidArgumentError):
            call(queue, mint(), bad)
    for bad in (None, 5):
        with pytest.raises(TypeError):
            call(queue, bad, 1)
    for bad in (None, "1", 1.0, True):
        with pytest.raises(TypeError):
            call(queue, mint(), bad)
    assert raw.commands() == before


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_job_that_is_gone(queue, call):
    queue.enqueue(b"")
    job = queue.claim()
    job.complete()
    assert call(queue, job.id, job.token) == "gone"
    assert call(queue, job.id.encode(), job.token) == "gone"


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_token_of_another_claim(queue, call):
    queue.enqueue(b"")
    job = queue.claim()
    before = queue.job(job.id).fields, queue.locate(job.id)
    with pytest.raises(echomq.StaleError):
        call(queue, job.id, job.token + 1)
    assert (queue.job(job.id).fields, queue.locate(job.id)) == before


# ---- extend ----


def test_an_extended_lease(queue, raw):
    job_id = queue.enqueue(b"")
    job = queue.claim(lease=0.05)
    before = raw.now()
    assert job.extend(60) == "done"
    assert before + 60000 <= queue.locate(job_id).score_ms <= raw.now() + 60000
    until(lambda: raw.now() > before + 120)
    assert queue.reap() == 0
    assert queue.state(job_id) == "active"
    with pytest.raises(echomq.StaleError, match="extend token mismatch"):
        queue.extend(job_id, 2, 60)
    assert queue.extend(mint(), 1, 60) == "gone"
    before = raw.now()
    assert job.extend() == "done"
    assert before + 30000 <= queue.locate(job_id).score_ms <= raw.now() + 30000
    assert job.complete() == "done"
    assert job.extend() == "gone"


def test_a_lease_that_lapsed(queue):
    job_id = queue.enqueue(b"")
    job = queue.claim(lease=0.01)
    assert until(queue.reap) == 1
    with pytest.raises(echomq.StaleError, match="lease lapsed"):
        job.extend()
    assert queue.state(job_id) == "pending"


@pytest.mark.parametrize("lease", [0, -1, float("nan"), float("inf"), 365 * 86400 + 1, 10**400])
def test_leases_that_are_none(queue, raw, lease):
    queue.enqueue(b"")
    job = queue.claim()
    before = raw.commands()
    for call in (job.extend, lambda n: queue.claim_many(1, n), lambda n: queue.extend_many([], n)):
        with pytest.raises(echomq.InvalidArgumentError, match="lease"):
            call(lease)
    assert raw.commands() == before


# ---- a job as a context manager ----


def test_left_in_peace(queue):
    job_id = queue.enqueue(b"x")
    with queue.claim() as job:
        assert job.payload == b"x"
        assert queue.state(job_id) == "active"
    assert queue.state(job_id) == "absent"
    assert queue.metric("completed") == 1


def test_left_on_an_exception(queue):
    job_id = queue.enqueue(b"x")
    with pytest.raises(ValueError, match="what"), queue.claim():
        raise ValueError("what")
    row = queue.job(job_id)
    assert (row.state, row.fields["last_error"]) == ("scheduled", b"ValueError: what")


def test_left_on_an_interrupt(queue):
    job_id = queue.enqueue(b"x")
    with pytest.raises(KeyboardInterrupt), queue.claim():
        raise KeyboardInterrupt
    assert queue.state(job_id) == "active"
    assert "last_error" not in queue.job(job_id).fields


def test_settled_inside(queue):
    for settle, state in (
        (lambda job: job.complete(), "absent"),
        (lambda job: job.retry("no", max_attempts=1), "dead"),
        (lambda job: job.delay(60), "scheduled"),
    ):
        job_id = queue.enqueue(b"x")
        with queue.claim() as job:
            settle(job)
        assert queue.state(job_id) == state
        if state == "scheduled":
            continue
        job_id = queue.enqueue(b"x")
        with pytest.raises(ValueError), queue.claim() as job:
            settle(job)
            raise ValueError
        assert queue.state(job_id) == state


def test_lost_inside(queue):
    job_id = queue.enqueue(b"x")
    with pytest.raises(echomq.StaleError), queue.claim(lease=0.01):
        assert until(queue.reap) == 1
        assert queue.claim().id == job_id
    assert queue.state(job_id) == "active"
