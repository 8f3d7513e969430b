# SPDX-License-Identifier: MIT
"""Many jobs at once: claimed, completed, extended."""

import pytest
from waiting import until

import echomq


def mint():
    return echomq.ids.Minter().mint()


# ---- claim_many ----


def test_the_oldest_under_one_deadline(queue, raw):
    ids = [queue.enqueue(b"%d" % number) for number in range(8)]
    jobs = queue.claim_many(4)
    assert [(job.id, job.payload, job.token) for job in jobs] == [
        (ids[number], b"%d" % number, 1) for number in range(4)
    ]
    assert all(job.queue is queue for job in jobs)
    places = {queue.locate(job.id) for job in jobs}
    assert len(places) == 1
    assert places.pop()[::2] == ("active", 1)
    assert {queue.job(job.id).state for job in jobs} == {"active"}
    assert queue.counts("pending", "active") == {"pending": 4, "active": 4}


def test_fewer_than_asked_for(client, queue, raw):
    ids = [queue.enqueue(b"") for _ in range(3)]
    assert [job.id for job in queue.claim_many(7)] == ids
    assert queue.claim_many(5) == []
    other = client.queue(queue.name + "-paused")
    other.enqueue(b"")
    other.pause()
    assert other.claim_many(5) == []
    assert raw("ZCARD", echomq.keys.queue_key(other.name, "pending")) == 1


def test_a_poisoned_job_among_others(queue):
    ids = [queue.enqueue(b"%d" % number) for number in range(3)]
    poison, *others = queue.claim_many(3)
    with pytest.raises(echomq.StaleError):
        queue.complete(poison.id, 99)
    assert poison.retry("poison", delay=0.005, max_attempts=3) == "scheduled"
    for job in others:
        assert job.complete() == "done"
        assert queue.job(job.id) is None
    assert queue.state(poison.id) == "scheduled"
    assert queue.job(poison.id).fields["last_error"] == b"poison"
    assert until(queue.promote) == 1
    assert [(job.id, job.token) for job in queue.claim_many(5)] == [(ids[0], 2)]


def test_ghosts_are_left_out(client, queue, raw):
    ids = [queue.enqueue(b"") for _ in range(5)]
    for ghost in (ids[0], ids[2]):
        raw("DEL", echomq.keys.job_key(queue.name, ghost))
    assert [job.id for job in queue.claim_many(3)] == [ids[1]]
    assert client.ghosts == 2
    assert queue.state(ids[0]) == queue.state(ids[2]) == "absent"
    assert [job.id for job in queue.claim_many(3)] == ids[3:]


@pytest.mark.parametrize("size", [0, -1, 1001, 2**63])
def test_sizes_that_are_none(queue, raw, size):
    before = raw.commands()
    with pytest.raises(echomq.InvalidArgumentError, match="size"):
        queue.claim_many(size)
    assert raw.commands() == before


@pytest.mark.parametrize("size", [None, 1.0, "1", True])
def test_sizes_of_a_wrong_type(queue, raw, size):
    before = raw.commands()
    with pytest.raises(TypeError, match="size must be an int"):
        queue.claim_many(size)
    assert raw.commands() == before


def test_bytes_come_whole(queue):
    payloads = [b"", b"a\0b", bytes(range(256)), bytes(1 << 20)]
    queue.enqueue_many(payloads)
    assert [job.payload for job in queue.claim_many(1000)] == payloads


# ---- complete_many ----


def test_a_verdict_for_each(queue):
    for _ in range(3):
        queue.enqueue(b"")
    done, stale, gone = queue.claim_many(3)
    gone.complete()
    verdicts = queue.complete_many([done, (stale.id, 99), (gone.id.encode(), gone.token)])
    assert [verdict.id for verdict in verdicts] == [done.id, stale.id, gone.id]
    assert [verdict.outcome for verdict in verdicts] == ["done", None, "gone"]
    assert [type(verdict.error) for verdict in verdicts] == [
        type(None), echomq.StaleError, type(None)
    ]  # fmt: skip
    assert verdicts[1].error.server_text == "EMQSTALE complete token mismatch"
    assert queue.counts("active", "completed") == {"active": 1, "completed": 2}
    assert queue.complete_many(iter([stale])) == [(stale.id, "done", None)]
    assert queue.complete_many([]) == []


def test_more_than_a_flush(queue, raw):
    queue.enqueue_many(b"%d" % number for number in range(2500))
    jobs = [job for _ in range(3) for job in queue.claim_many(1000)]
    raw("SCRIPT", "FLUSH")
    verdicts = queue.complete_many(jobs)
    assert [(verdict.id, verdict.outcome) for verdict in verdicts] == [
        (job.id, "done") for job in jobs
    ]
    assert len(jobs) == queue.metric("completed") == 2500
    assert queue.check() == []


def test_one_job_twice(queue):
    queue.enqueue(b"")
    job = queue.claim()
    assert [verdict.outcome for verdict in queue.complete_many([job, job])] == ["done", "gone"]


@pytest.mark.parametrize("many", ["complete_many", "extend_many"])
def test_all_are_checked_first(client, queue, raw, many):
    queue.enqueue_many([b"", b""])
    job, second = queue.claim_many(2)
    stranger = client.queue(queue.name + "-other")
    before = raw.commands()
    for bad, error in (
        (("nonsense", 1), echomq.InvalidArgumentError),
        ((second.id, 0), echomq.InvalidArgumentError),
        ((second.id, 2**63), echomq.InvalidArgumentError),
        ((second.id, "1"), TypeError),
        ((None, 1), TypeError),
        ((second.id,), TypeError),
        (second.id, TypeError),
        (None, TypeError),
    ):
        with pytest.raises(error, match="^item 1: "):
            getattr(queue, many)([job, bad])
    with pytest.raises(echomq.InvalidArgumentError, match="item 0: .* of the queue"):
        getattr(stranger, many)([job])
    with pytest.raises(TypeError):
        getattr(queue, many)(5)
    assert raw.commands() == before


@pytest.mark.parametrize("many", ["complete_many", "extend_many"])
def test_a_connection_that_fails_for_good(start_server, many):
    server = start_server()
    client = echomq.connect(server.url, connect_timeout=0.5, call_timeout=5)
    queue = client.queue("q")
    queue.enqueue_many([b""] * 3)
    jobs = queue.claim_many(3)
    server.stop()
    with pytest.raises(echomq.Error) as caught:
        getattr(queue, many)(jobs)
    verdicts = caught.value.verdicts
    assert [verdict.id for verdict in verdicts] == [job.id for job in jobs]
    assert all(verdict.outcome is None for verdict in verdicts)
    assert all(isinstance(verdict.error, echomq.Error) for verdict in verdicts)


def test_completions_whose_replies_never_come(silent):
    client = echomq.connect(silent.url, call_timeout=0.3)
    ids = [mint(), mint()]
    with pytest.raises(echomq.Error) as caught:
        client.queue("q").complete_many([(id, 1) for id in ids])
    assert [verdict.id for verdict in caught.value.verdicts] == ids
    assert {type(verdict.error) for verdict in caught.value.verdicts} == {
        echomq.UnknownOutcomeError
    }


# ---- extend_many ----


def test_those_that_cannot_be_extended(queue, raw):
    queue.enqueue_many([b"", b""])
    live, stale = queue.claim_many(2, lease=60)
    gone = mint()
    before = raw.now()
    verdicts = queue.extend_many([live, (stale.id, 999), (gone, 1)], lease=90)
    assert [(verdict.id, verdict.outcome) for verdict in verdicts] == [
        (live.id, "done"), (stale.id, None), (gone, None)
    ]  # fmt: skip
    assert [type(verdict.error) for verdict in verdicts[1:]] == [echomq.StaleError] * 2
    assert before + 90000 <= queue.locate(live.id).score_ms <= raw.now() + 90000
    assert queue.locate(stale.id).score_ms < before + 90000
    assert queue.extend_many([]) == []


def test_more_than_one_command_takes(queue):
    queue.enqueue_many([b""] * 200)
    jobs = queue.claim_many(200, lease=60)
    wrong = {0, 63, 64, 199}
    verdicts = queue.extend_many(
        [(job.id, job.token + (at in wrong)) for at, job in enumerate(jobs)], lease=3600
    )
    assert {at for at, verdict in enumerate(verdicts) if verdict.error} == wrong
    assert [verdict.id for verdict in verdicts] == [job.id for job in jobs]


# ---- enqueue_many's progress ----


def test_progress_is_told_after_each_flush(queue):
    told = []
    queue.enqueue_many([b""] * 2500, progress=lambda *now: told.append(now))
    assert told == [(1000, 2500), (2000, 2500), (2500, 2500)]
    told.clear()
    queue.enqueue_many((b"" for _ in range(1001)), lambda *now: told.append(now))
    assert told == [(1000, None), (1001, None)]
    queue.enqueue_many([], progress=lambda *now: pytest.fail("there was nothing"))


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_progress_that_raises(queue, error):
    def progress(done, total):
        if done == 2000:
            raise error("enough")

    with pytest.raises(error, match="enough") as caught:
        queue.enqueue_many([b""] * 5000, progress=progress)
    assert [verdict.outcome for verdict in caught.value.verdicts] == ["enqueued"] * 2000
    assert queue.depth() == 2000


def test_an_iterator_that_raises(queue):
    def payloads():
        yield from [b""] * 1500
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more") as caught:
        queue.enqueue_many(payloads())
    assert len(caught.value.verdicts) == queue.depth() == 1000


def test_the_client_goes_on_from_within_progress(queue):
    queue.enqueue_many([b""] * 1500, progress=lambda done, total: queue.claim().complete())
    assert queue.counts("pending", "completed") == {"pending": 1498, "completed": 2}
