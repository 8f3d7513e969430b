# SPDX-License-Identifier: MIT
"""Jobs for later: schedule, promote, delay, and the times that a caller gives."""

import datetime

import pytest
from waiting import until

import echomq

SECOND = datetime.timedelta(seconds=1)
YEAR = 365 * 86400


def due_ms(queue, raw, job_id):
    return int(raw("ZSCORE", echomq.keys.queue_key(queue.name, "schedule"), job_id))


def test_a_job_for_later(queue):
    job_id = queue.enqueue(b"later", delay=0.03)
    assert queue.state(job_id) == "scheduled"
    assert queue.job(job_id).fields == {
        "state": b"scheduled", "attempts": b"0", "payload": b"later"
    }  # fmt: skip
    assert queue.claim() is None
    assert until(lambda: queue.promote(10)) == 1
    assert queue.job(job_id).state == "pending"
    job = queue.claim()
    assert (job.id, job.payload, job.token) == (job_id, b"later", 1)
    assert job.complete() == "done"
    assert queue.promote() == 0


def test_a_delay_is_from_the_servers_now(queue, raw):
    before = raw.now()
    job_id = queue.enqueue(b"", delay=60)
    assert before + 60000 <= due_ms(queue, raw, job_id) <= raw.now() + 60000
    job_id = queue.enqueue(b"", delay=0)
    assert before <= due_ms(queue, raw, job_id) <= raw.now()
    assert queue.promote() == 1


@pytest.mark.parametrize(
    "at, ms",
    [
        (0, 0),
        (1893456000, 1893456000000),
        (1893456000.25, 1893456000250),
        (0.0001, 1),
        (253402300799.999, 253402300799999),
        (datetime.datetime(2030, 1, 1, tzinfo=datetime.timezone.utc), 1893456000000),
        (datetime.datetime(2030, 1, 1, 2, tzinfo=datetime.timezone(2 * 3600 * SECOND)),
         1893456000000),
        (datetime.datetime(2030, 1, 1, 0, 0, 0, 1, datetime.timezone.utc), 1893456000001),
        (datetime.datetime(2030, 1, 1, 0, 0, 0, 123000, datetime.timezone.utc), 1893456000123),
        (datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc), 0),
        (datetime.datetime(9999, 12, 31, 23, 59, 59, 999000, datetime.timezone.utc),
         253402300799999),
    ],
)  # fmt: skip
def test_a_job_at_a_time(queue, raw, at, ms):
    job_id = queue.enqueue(b"", at=at)
    assert due_ms(queue, raw, job_id) == ms
    assert queue.locate(job_id) == ("scheduled", ms, 1)


def test_every_millisecond_of_a_float_is_its_own(queue, raw):
    """Unix seconds as a float are not exact: what a clock says in ms must come back as it was."""
    for ms in range(1700000000000, 1700000000500, 7):
        assert due_ms(queue, raw, queue.enqueue(b"", at=ms / 1000)) == ms


def test_an_id_of_the_callers(queue):
    job_id = echomq.ids.Minter().mint()
    assert queue.enqueue(b"first", id=job_id, delay=60) == job_id
    assert queue.enqueue(b"second", id=job_id, at=0) is None
    assert queue.enqueue(b"third", id=job_id) is None
    assert queue.job(job_id).payload == b"first"
    assert queue.counts() == {
        "pending": 0, "active": 0, "schedule": 1, "dead": 0, "completed": 0, "failed": 0
    }  # fmt: skip
    with pytest.raises(echomq.KindError):
        queue.enqueue(b"", id=echomq.ids.Minter().mint("USR"), delay=1)


BAD_DELAYS = [float("nan"), float("inf"), -float("inf"), -0.001, -1, YEAR + 0.001, 1e300, 10**400]
BAD_TIMES = [
    *(float("nan"), float("inf"), -0.001, -1, 253402300800, 1e300, 10**400),
    datetime.datetime(2030, 1, 1),
    datetime.datetime(1969, 12, 31, 23, 59, 59, tzinfo=datetime.timezone.utc),
    datetime.datetime(9999, 12, 31, 23, 59, 59, 999999, datetime.timezone.utc),
]
WRONG_TYPES = ["1", b"1", True, [1], SECOND]


@pytest.mark.parametrize("way", ["enqueue", "enqueue_as", "delay", "retry"])
@pytest.mark.parametrize("delay", BAD_DELAYS + WRONG_TYPES)
def test_delays_that_are_none(queue, raw, way, delay):
    queue.enqueue(b"")
    job = queue.claim()
    refuse(queue, raw, way, job, delay, {"delay": delay})


@pytest.mark.parametrize("way", ["enqueue", "enqueue_as", "delay"])
@pytest.mark.parametrize("at", BAD_TIMES + [*WRONG_TYPES, datetime.date(2030, 1, 1)], ids=repr)
def test_times_that_are_none(queue, raw, way, at):
    queue.enqueue(b"")
    job = queue.claim()
    refuse(queue, raw, way, job, at, {"at": at})


def refuse(queue, raw, way, job, value, when):
    bad = isinstance(value, datetime.datetime) or (
        isinstance(value, (int, float)) and not isinstance(value, bool)
    )
    before = raw.commands()
    with pytest.raises(echomq.InvalidArgumentError if bad else TypeError):
        if way == "enqueue":
            queue.enqueue(b"", **when)
        elif way == "enqueue_as":
            queue.enqueue(b"", id=echomq.ids.Minter().mint(), **when)
        elif way == "retry":
            job.retry("no", **when)
        elif "at" in when:
            job.delay(**when)
        else:
            job.delay(when["delay"])
    assert raw.commands() == before


def test_one_time_only(queue, raw):
    queue.enqueue(b"")
    job = queue.claim()
    before = raw.commands()
    with pytest.raises(echomq.InvalidArgumentError, match="one of them"):
        queue.enqueue(b"", delay=1, at=1)
    with pytest.raises(echomq.InvalidArgumentError, match="one of them"):
        job.delay(1, at=1)
    with pytest.raises(echomq.InvalidArgumentError, match="neither"):
        job.delay()
    assert raw.commands() == before


# ---- promote ----


def test_promote_takes_what_is_due_and_no_more_than_its_limit(queue):
    ids = [queue.enqueue(b"", at=1) for _ in range(5)]
    later = queue.enqueue(b"", delay=60)
    assert queue.promote(2) == 2
    assert queue.counts("pending", "schedule") == {"pending": 2, "schedule": 4}
    assert queue.promote(limit=10000) == 3
    assert queue.promote() == 0
    assert queue.state(later) == "scheduled"
    assert [job.id for job in queue.claim_many(10)] == ids


@pytest.mark.parametrize("limit", [0, -1, 10001, 2**63])
def test_limits_that_are_none(queue, raw, limit):
    before = raw.commands()
    for call in (
        queue.promote,
        lambda n: queue.sweep(limit=n),
        lambda n: queue.browse("pending", n),
        lambda n: queue.browse("active", n),
        lambda n: queue.obliterate(budget=n),
    ):
        with pytest.raises(echomq.InvalidArgumentError):
            call(limit)
    assert raw.commands() == before


@pytest.mark.parametrize("limit", [None, 1.0, "1", True])
def test_limits_of_a_wrong_type(queue, raw, limit):
    before = raw.commands()
    for call in (
        queue.promote,
        lambda n: queue.sweep(limit=n),
        lambda n: queue.sweep(max_stalled=n),
        lambda n: queue.browse("pending", n),
        lambda n: queue.obliterate(budget=n),
    ):
        with pytest.raises(TypeError):
            call(limit)
    assert raw.commands() == before


# ---- delay ----


def test_a_delay_is_no_failure(queue, raw):
    job_id = queue.enqueue(b"x")
    job = queue.claim()
    assert job.delay(0.04) == "done"
    assert queue.job(job_id).fields == {
        "state": b"scheduled", "attempts": b"1", "payload": b"x"
    }  # fmt: skip
    place = queue.locate(job_id)
    assert (place.state, place.sets) == ("scheduled", 1)
    assert raw("ZSCORE", echomq.keys.queue_key(queue.name, "active"), job_id) is None
    assert queue.claim() is None
    assert until(queue.promote) == 1
    job = queue.claim()
    assert job.token == 2
    assert job.complete() == "done"


def test_a_delay_to_a_time(queue, raw):
    job_id = queue.enqueue(b"")
    assert queue.claim().delay(at=datetime.datetime(2100, 1, 1, tzinfo=datetime.timezone.utc))
    assert due_ms(queue, raw, job_id) == 4102444800000
    assert queue.promote() == 0


def test_a_stale_delay(queue, raw):
    raw("SCRIPT", "FLUSH")
    job_id = queue.enqueue(b"")
    old = queue.claim(lease=0.03)
    assert until(queue.reap) == 1
    new = queue.claim()
    assert (old.token, new.token) == (1, 2)
    with pytest.raises(echomq.StaleError):
        old.delay(60)
    assert queue.state(job_id) == "active"
    assert new.delay(60) == "done"
    assert queue.state(job_id) == "scheduled"
    assert raw("ZSCORE", echomq.keys.queue_key(queue.name, "active"), job_id) is None
    assert queue.delay(echomq.ids.Minter().mint(), 1, 60) == "gone"
    with pytest.raises(echomq.StateError, match="not active"):
        new.delay(60)
    with pytest.raises(echomq.KindError):
        queue.delay(echomq.ids.Minter().mint("USR"), 1, 60)
