# SPDX-License-Identifier: MIT
"""How one looks at a queue: counts, browse, locate, check and the rest."""

import pytest

import echomq


def mint():
    return echomq.ids.Minter().mint()


def test_counts_of_every_set(queue, raw):
    queue.enqueue(b"A")
    queue.claim()
    queue.enqueue_many([b""] * 3)
    queue.enqueue(b"", delay=60)
    counts = queue.counts("pending", "active", "schedule", "dead")
    assert counts == {"pending": 3, "active": 1, "schedule": 1, "dead": 0}
    before = raw.commands()
    for name in ("wait", "scheduled", "", "pending "):
        with pytest.raises(echomq.InvalidArgumentError):
            queue.counts(name)
    assert raw.commands() == before


def test_states_and_rows(queue):
    queue.enqueue(b"s")
    claimed = queue.claim()
    later = queue.enqueue(b"", delay=60)
    never = mint()
    assert queue.state(claimed.id) == "active"
    assert queue.state(later) == "scheduled"
    assert queue.state(never) == "absent"
    assert queue.job(claimed.id).fields == {
        "state": b"active", "attempts": b"1", "payload": b"s"
    }  # fmt: skip
    assert queue.job(never) is None


def test_totals(queue, raw):
    assert (queue.metric("completed"), queue.metric("failed")) == (0, 0)
    for _ in range(3):
        queue.enqueue(b"")
    queue.claim().complete()
    queue.claim().complete()
    queue.claim().retry("no", max_attempts=1)
    assert (queue.metric("completed"), queue.metric("failed")) == (2, 1)
    raw("HSET", echomq.keys.queue_key(queue.name, "metrics:failed"), "count", 2**63 - 1)
    assert queue.metric("failed") == 2**63 - 1
    before = raw.commands()
    for name in ("pending", "dead", "", "Failed"):
        with pytest.raises(echomq.InvalidArgumentError):
            queue.metric(name)
    with pytest.raises(TypeError):
        queue.metric(None)
    assert raw.commands() == before


def test_depth(queue):
    assert queue.depth() == 0
    queue.enqueue_many([b""] * 7)
    queue.claim()
    assert queue.depth() == 6


def test_browsing_newest_first(queue):
    ids = queue_of_each(queue)
    for state, expected in ids.items():
        assert queue.browse(state) == expected[::-1]
        assert queue.browse(state, limit=2) == expected[:-3:-1]
        assert queue.browse(state, 1) == expected[-1:]


def queue_of_each(queue):
    """Three jobs in each state, of which the older have the later times."""
    ids = {"dead": [queue.enqueue(b"") for _ in range(3)]}
    for job in queue.claim_many(3):
        job.retry("no", max_attempts=1)
    ids["active"] = [queue.enqueue(b"") for _ in range(3)]
    for lease in (90, 60, 30):
        queue.claim(lease)
    ids["scheduled"] = [queue.enqueue(b"", delay=delay) for delay in (90, 60, 30)]
    ids["pending"] = [queue.enqueue(b"") for _ in range(3)]
    return ids


def test_states_that_cannot_be_browsed(queue, raw):
    before = raw.commands()
    for state in ("waiting", "schedule", "absent", "unknown", "awaiting_children", ""):
        with pytest.raises(echomq.InvalidArgumentError) as caught:
            queue.browse(state)
        for word in ("pending", "active", "scheduled", "dead"):
            assert word in caught.value.message
    with pytest.raises(TypeError):
        queue.browse(None)
    assert raw.commands() == before


def test_dedup(queue, raw):
    job_id = queue.enqueue(b"")
    raw("SET", echomq.keys.queue_key(queue.name, b"de:\xff {x}"), job_id)
    assert queue.dedup(b"\xff {x}") == job_id
    assert queue.dedup("other") is None
    before = raw.commands()
    with pytest.raises(echomq.InvalidArgumentError):
        queue.dedup("")
    assert raw.commands() == before


def test_places(queue, raw):
    before = raw.now()
    for state, ids in queue_of_each(queue).items():
        for job_id in ids:
            place = queue.locate(job_id)
            assert (place.state, place.sets) == (state, 1)
            if state in ("active", "scheduled"):
                assert before + 30000 <= place.score_ms <= raw.now() + 90000
            else:
                assert place.score_ms == 0
    assert queue.locate(mint()) == ("absent", 0, 0)
    job_id = queue.enqueue(b"")
    raw("ZADD", echomq.keys.queue_key(queue.name, "dead"), 0, job_id)
    assert queue.locate(job_id).sets == 2
    for name in ("dead", "pending"):
        raw("ZREM", echomq.keys.queue_key(queue.name, name), job_id)
    assert queue.locate(job_id) == ("unknown", 0, 0)


@pytest.mark.parametrize("name", ["plain", "a*[b]?", "\\", "é ü"])
def test_a_sound_queue(client, name):
    queue = client.queue(f"{name}-{mint()}")
    queue_of_each(queue)
    queue.add_log(queue.enqueue(b""), "line")
    assert queue.check() == []


def test_an_empty_queue_is_sound(queue):
    assert queue.check() == []


@pytest.mark.parametrize("name", ["plain", "a*[b]?", "\\"])
def test_everything_that_can_be_wrong(client, raw, name):
    queue = client.queue(f"{name}-{mint()}")

    def key(kind):
        return echomq.keys.queue_key(queue.name, kind)

    def row(job_id):
        return echomq.keys.job_key(queue.name, job_id)

    two_sets, disagrees, ghost, no_set, no_number, nothing_wrong = (
        queue.enqueue(b"") for _ in range(6)
    )
    raw("ZADD", key("dead"), 0, two_sets)
    raw("HSET", row(disagrees), "state", "active")
    raw("DEL", row(ghost))
    raw("ZREM", key("pending"), no_set)
    raw("HSET", row(no_number), "attempts", "x")
    raw("ZADD", key("schedule"), 0, "no id \xff")
    lines = queue.check()
    wrong = [two_sets, disagrees, ghost, no_set, no_number]
    assert sorted(line.partition(":")[0].strip('"') for line in lines if "JOB" in line) == sorted(
        wrong
    )
    assert len(lines) == len(wrong) + 1
    assert not any(nothing_wrong in line for line in lines)


def test_more_than_a_page(queue, raw):
    queue.enqueue_many([b""] * 2500)
    assert queue.check() == []
    lost = queue.browse("pending", 10000)[::2]
    raw("DEL", *(echomq.keys.job_key(queue.name, job_id) for job_id in lost))
    assert len(queue.check()) == len(lost) == 1250
