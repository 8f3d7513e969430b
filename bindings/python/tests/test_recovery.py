# SPDX-License-Identifier: MIT
"""Jobs that their holders lost: reap and sweep."""

import pytest
from waiting import until

import echomq


def lapse(queue, raw, job):
    """Waits until a job's lease has ended by the server's clock."""
    deadline = queue.locate(job.id).score_ms
    until(lambda: raw.now() > deadline)


def test_a_reaped_job(queue):
    job_id = queue.enqueue(b"x")
    queue.enqueue(b"held")
    lost = queue.claim(lease=0.02)
    held = queue.claim()
    assert until(queue.reap) == 1
    assert queue.reap() == 0
    row = queue.job(job_id)
    assert (row.state, row.attempts) == ("pending", 1)
    assert queue.state(held.id) == "active"
    again = queue.claim()
    assert (again.id, again.token) == (job_id, 2)
    with pytest.raises(echomq.StaleError):
        lost.complete()
    assert again.complete() == "done"


def test_a_reaped_job_is_still_its_last_holders(queue):
    queue.enqueue(b"x")
    job = queue.claim(lease=0.01)
    assert until(queue.reap) == 1
    assert job.complete() == "done"
    assert queue.claim() is None
    assert queue.check() == []


def test_no_more_than_a_hundred_at_a_time(queue, raw):
    queue.enqueue_many([b""] * 150)
    jobs = queue.claim_many(150, lease=0.01)
    lapse(queue, raw, jobs[0])
    assert [queue.reap(), queue.reap(), queue.reap()] == [100, 50, 0]


def test_a_job_that_stalls_too_often(queue, raw):
    job_id = queue.enqueue(b"x")
    job = queue.claim(lease=0.03)
    assert "stalled" not in queue.job(job_id).fields
    lapse(queue, raw, job)
    swept = queue.sweep(max_stalled=2)
    assert swept == ([job_id], [])
    assert (swept.recovered, swept.dead) == ([job_id], [])
    assert queue.job(job_id).fields["stalled"] == b"1"
    assert queue.state(job_id) == "pending"
    job = queue.claim(lease=0.03)
    assert job.token == 2
    lapse(queue, raw, job)
    assert queue.sweep(max_stalled=2) == ([], [job_id])
    assert queue.state(job_id) == "dead"
    assert queue.job(job_id).fields["last_error"] == b"stalled"
    assert queue.metric("failed") == 1
    assert queue.sweep() == ([], [])


def test_one_lapse_is_too_many_unless_said_otherwise(queue, raw):
    job_id = queue.enqueue(b"x")
    lapse(queue, raw, queue.claim(lease=0.01))
    assert queue.sweep() == ([], [job_id])


def test_a_sweep_takes_no_more_than_its_limit(queue, raw):
    queue.enqueue_many([b""] * 5)
    jobs = queue.claim_many(5, lease=0.01)
    lapse(queue, raw, jobs[0])
    ids = [job.id for job in jobs]
    first, rest = queue.sweep(9, 2).recovered, queue.sweep(9, limit=10).recovered
    assert (len(first), sorted(first + rest)) == (2, ids)


@pytest.mark.parametrize("most", [0, -1, 1000001, 2**63])
def test_stalls_that_are_none(queue, raw, most):
    before = raw.commands()
    with pytest.raises(echomq.InvalidArgumentError):
        queue.sweep(max_stalled=most)
    assert raw.commands() == before


def test_ghosts_are_taken_out_and_not_counted(queue, raw):
    queue.enqueue_many([b""] * 2)
    first, second = queue.claim_many(2, lease=0.01)
    lapse(queue, raw, first)
    for job in (first, second):
        raw("DEL", echomq.keys.job_key(queue.name, job.id))
    assert queue.sweep(limit=1) == ([], [])
    assert queue.reap() == 0
    ghost = queue.enqueue(b"", at=0)
    raw("DEL", echomq.keys.job_key(queue.name, ghost))
    assert queue.promote() == 0
    assert queue.counts("pending", "active", "schedule") == {
        "pending": 0, "active": 0, "schedule": 0
    }  # fmt: skip
