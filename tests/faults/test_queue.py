# SPDX-License-Identifier: MIT
"""Leases, fences, races: what happens to jobs when several hands are on them."""

import collections
import random
import threading

import pytest
import resp
import scenes
import wire
from waiting import WAIT, until

import echomq

ID = wire.job_id(1)


def lapse(raw, keys, *ids):
    """Ends the leases of jobs at once."""
    for id in ids:
        assert raw("ZADD", keys.active, "XX", "CH", scenes.PAST, id) == 1


# ---- leases and fences ----


def test_a_handler_that_outlives_its_lease(queue, url, raw, keys, sound):
    queue.enqueue(b"payload")
    with echomq.connect(url) as other:
        first = queue.claim(lease=0.05)
        assert until(queue.reap) == 1
        second = other.queue(queue.name).claim()
        assert (second.id, second.token) == (first.id, 2)
        for late in (
            first.complete,
            first.extend,
            lambda: first.retry("late"),
            lambda: first.delay(1.0),
        ):
            with pytest.raises(echomq.StaleError):
                late()
        assert queue.job(first.id).payload == b"payload"
        assert second.complete() == "done"


def test_the_owners_name_is_no_fence(queue, raw, keys, sound):
    queue.enqueue(b"")
    first = queue.claim()
    lapse(raw, keys, first.id)
    queue.reap()
    again = queue.claim()
    before = wire.dump(raw, keys)
    for stale in (
        first.complete,
        first.extend,
        lambda: first.retry("old"),
        lambda: first.delay(1.0),
    ):
        with pytest.raises(echomq.StaleError):
            stale()
    assert [v.error.__class__ for v in queue.extend_many([first])] == [echomq.StaleError]
    assert [v.error.__class__ for v in queue.complete_many([first])] == [echomq.StaleError]
    assert wire.dump(raw, keys) == before
    assert again.complete() == "done"


def test_a_late_hand_makes_no_row(queue, raw, keys, sound):
    queue.enqueue(b"")
    first = queue.claim()
    lapse(raw, keys, first.id)
    queue.reap()
    queue.claim().complete()
    before = wire.dump(raw, keys)
    assert [first.complete(), first.extend(), first.retry("late"), first.delay(1.0)] == ["gone"] * 4
    assert queue.update_data(first.id, b"") == queue.update_progress(first.id, "1") == "gone"
    assert queue.add_log(first.id, b"late") is None
    assert wire.dump(raw, keys) == before


def test_eight_reapers(queue, url, raw, keys, sound):
    verdicts = queue.enqueue_many([b""] * 1000)
    assert len(queue.claim_many(1000)) == 1000
    raw("ZADD", keys.active, "XX", *[part for v in verdicts for part in (scenes.PAST, v.id)])
    counts, start = [], threading.Barrier(8)

    def reap():
        with echomq.connect(url) as client:
            own = client.queue(queue.name)
            start.wait()
            while back := own.reap():
                counts.append(back)

    run_all([reap] * 8)
    assert sum(counts) == 1000
    again = queue.claim_many(1000)
    assert [job.id for job in again] == [verdict.id for verdict in verdicts]
    assert {job.token for job in again} == {2}


def run_all(functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(3 * WAIT)
        assert not thread.is_alive()


# ---- a store that contradicts itself ----

BROKEN = {
    "in no set": lambda raw, keys: raw("HSET", keys.row(ID), "state", "active", "attempts", 1),
    "another state": lambda raw, keys: (
        scenes.put_active(raw, keys, 1),
        raw("HSET", keys.row(ID), "state", "pending"),
    ),
    "two sets": lambda raw, keys: (
        scenes.put(raw, keys, "dead", 1),
        raw("ZADD", keys.pending, 0, ID),
    ),
    "no row": lambda raw, keys: raw("ZADD", keys.schedule, 5, ID),
    "attempts": lambda raw, keys: (
        scenes.put(raw, keys, "pending", 1),
        raw("HSET", keys.row(ID), "attempts", "x"),
    ),
    "no attempts": lambda raw, keys: (
        scenes.put(raw, keys, "dead", 1),
        raw("HDEL", keys.row(ID), "attempts"),
    ),
    "alien row": lambda raw, keys: (
        raw("ZADD", keys.pending, 0, ID),
        raw("SET", keys.row(ID), "alien"),
    ),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_the_check_names_what_should_not_be(queue, raw, keys, broken):
    for number in range(2, 30):
        scenes.put(raw, keys, ("pending", "active", "schedule", "dead")[number % 4], number, 10**13)
    assert queue.check() == [] == wire.offences(raw, keys)
    BROKEN[broken](raw, keys)
    before = wire.dump(raw, keys)
    lines = queue.check()
    assert len(lines) == 1 and lines[0].startswith(ID + ": ")
    assert [line.split(":")[0] for line in wire.offences(raw, keys)] == [ID]
    assert wire.dump(raw, keys) == before
    if broken not in ("no row", "alien row"):
        raw("HSET", keys.row(ID), "state", "dead", "attempts", 1)
    # What it names can be taken out.
    raw("DEL", keys.row(ID)) if broken == "alien row" else None
    if queue.remove(ID) == "gone":
        for set in wire.STATES:
            raw("ZREM", keys(set), ID)
    assert queue.check() == []


# ---- nothing there ----

NOTHING = {
    "claim": [],
    "bclaim": [],
    "complete": 0,
    "extend_lock": -1,
    "promote": 0,
    "reap": 0,
    "sweep": [[], []],
    "update_data": -1,
    "update_progress": -1,
    "add_log": -1,
    "remove_job": -1,
    "reprocess": -1,
    "queue_resume": 1,
    "drain": 0,
    "counts": [0, 0, 0, 0],
    "state_lookup": b"absent",
    "extend_locks": [ID.encode(), wire.job_id(2).encode()],
    "retry": "EMQSTALE job gone",
    "delay_in": "EMQSTALE job gone",
    "obliterate": "EMQSTATE not paused",
    "inspect": [None] * 8 + [b"none"],
}


@pytest.mark.parametrize("scene", NOTHING)
def test_replies_where_nothing_is(raw, keys, scene):
    call = scenes.SCENES[scene](raw, keys)
    existing = wire.dump(raw, keys)
    if existing:
        raw("DEL", *existing)
    expected = NOTHING[scene]
    if isinstance(expected, str):
        with pytest.raises(resp.Refused, match=f"^{expected}$"):
            call.run(raw)
    else:
        assert call.run(raw) == expected
    assert wire.dump(raw, keys) == {}


def test_the_client_where_nothing_is(queue, raw, keys):
    assert queue.claim() is None
    assert queue.claim_many(5) == []
    assert queue.complete(ID, 1) == queue.retry(ID, 1, "") == queue.delay(ID, 1, 1.0) == "gone"
    assert queue.extend(ID, 1) == queue.remove(ID) == queue.reprocess(ID) == "gone"
    assert (queue.promote(), queue.reap(), queue.drain(), queue.depth()) == (0, 0, 0, 0)
    assert tuple(queue.sweep()) == ([], [])
    assert queue.logs(ID) is queue.job(ID) is queue.add_log(ID, b"") is queue.dedup("d") is None
    assert (queue.state(ID), queue.browse("dead"), queue.check()) == ("absent", [], [])
    assert set(queue.counts().values()) == {0} == {queue.metric("failed")}
    assert wire.dump(raw, keys) == {}


# ---- order and time ----


def test_jobs_of_one_millisecond_come_as_they_were_minted(queue, raw, keys, sound):
    ids = [verdict.id for verdict in queue.enqueue_many([b""] * 100)]
    assert ids == sorted(ids)
    random.shuffle(
        shuffled := ids
        + [echomq.ids.encode("JOB", echomq.ids.decode(id).snowflake + 1) for id in ids[-1:]]
    )
    for id in shuffled:
        queue.enqueue(b"", id=id)
    assert [job.id for job in queue.claim_many(200)] == sorted(shuffled)


def test_nodes_interleave_by_time(url, queue):
    with echomq.connect(url, node=1000) as high, echomq.connect(url, node=1) as low:
        queues = [high.queue(queue.name), low.queue(queue.name)]
        ids = [queues[turn % 2].enqueue(b"") for turn in range(50)]
    assert [job.id for job in queue.claim_many(50)] == sorted(ids)
    times = [echomq.ids.decode(id).unix_ms for id in sorted(ids)]
    assert times == sorted(times)


def test_nothing_runs_early(raw, keys, sound):
    """Promoted at a moment of the server's clock that is not before the due time."""
    random.seed(69)
    for number in range(1000):
        id = wire.job_id(number)
        wire.run(
            raw, "schedule", [keys.row(id), keys.schedule], [id, "", "in", random.randrange(300)]
        )
    content = raw("ZRANGE", keys.schedule, 0, -1, "WITHSCORES")
    due = {id: int(score) for id, score in zip(content[::2], content[1::2])}
    arrived = set()
    raw("SCRIPT", "LOAD", wire.source("promote"))
    while len(arrived) < 1000:
        raw("MULTI")
        raw("EVAL", wire.source("promote"), 2, keys.schedule, keys.pending, keys.base, 1000)
        raw("TIME")
        raw("ZRANGE", keys.pending, 0, -1)
        _, (seconds, microseconds), waiting = raw("EXEC")
        now = int(seconds) * 1000 + int(microseconds) // 1000
        assert all(due[id] <= now for id in set(waiting) - arrived)
        arrived |= set(waiting)


# ---- one id, many times ----


def test_an_id_in_every_state(queue, raw, keys, sound):
    def duplicate(state):
        assert queue.state(ID) == state
        before = wire.dump(raw, keys)
        assert queue.enqueue(b"other", id=ID) is None
        assert queue.enqueue(b"other", id=ID, delay=5) is None
        assert wire.dump(raw, keys) == before

    assert queue.enqueue(b"first", id=ID) == ID
    duplicate("pending")
    job = queue.claim()
    duplicate("active")
    assert job.retry("why", delay=0) == "scheduled"
    duplicate("scheduled")
    assert queue.promote() == 1
    job = queue.claim()
    assert job.retry("why", max_attempts=2) == "dead"
    duplicate("dead")
    assert queue.reprocess(ID) == "done"
    job = queue.claim()
    assert (job.payload, job.token) == (b"first", 3)
    assert job.complete() == "done"
    assert queue.enqueue(b"second", id=ID) == ID  # an id is taken as long as its row lives
    assert queue.claim().payload == b"second"


def test_fifty_at_once(url, queue, raw, keys, sound):
    outcomes, start = [], threading.Barrier(50)

    def enqueue(number):
        with echomq.connect(url) as client:
            own = client.queue(queue.name)
            start.wait()
            outcomes.append((own.enqueue(b"%d" % number, id=ID), number))

    run_all([lambda number=number: enqueue(number) for number in range(50)])
    winners = [number for outcome, number in outcomes if outcome == ID]
    assert len(outcomes) == 50 and len(winners) == 1
    assert raw("ZRANGE", keys.pending, 0, -1) == [ID.encode()]
    assert queue.claim().payload == b"%d" % winners[0]


# ---- processes that are killed ----

WORKER = """
import random, sys
import echomq
random.seed(int(sys.argv[3]))
with echomq.connect(sys.argv[1]) as client:
    queue = client.queue(sys.argv[2])
    print("up", flush=True)
    while True:
        turn = random.randrange(10)
        if turn < 3:
            queue.enqueue_many([b"x"] * random.randrange(1, 20))
        elif turn == 3:
            queue.enqueue(b"y", delay=random.choice([0, 0.001]))
        elif turn == 4:
            queue.promote(); queue.reap(); queue.sweep(max_stalled=3)
        elif turn == 5:
            queue.complete_many(queue.claim_many(5, lease=0.001))
        elif job := queue.claim(lease=random.choice([0.001, 30])):
            try:
                random.choice([job.complete, job.extend, lambda: job.retry("why", delay=0,
                    max_attempts=3), lambda: job.delay(0.0), lambda: queue.remove(job.id)])()
            except (echomq.StaleError, echomq.StateError):
                pass
"""


def test_clients_killed_at_any_moment(queue, url, raw, keys, sound, start_script):
    random.seed(76)
    for round in range(2):
        workers = [start_script(WORKER, url, queue.name, seed) for seed in range(5)]
        for worker in workers:
            assert worker.stdout.readline() == "up\n"
        commands = raw.commands()
        for worker in random.sample(workers, 5):
            goal = raw.commands() + random.randrange(1, 3000)
            until(lambda: raw.commands() > goal)
            worker.kill()
            worker.wait()
        assert raw.commands() > commands
        sound()
    # What the killed ones held comes back, and the queue can be worked empty.
    lapse(raw, keys, *raw("ZRANGE", keys.active, 0, -1))
    while queue.reap():
        pass
    sizes = collections.Counter()
    while True:
        queue.promote()
        jobs = queue.claim_many(1000)
        if not jobs and not raw("ZCARD", keys.schedule):
            break
        sizes.update(verdict.outcome for verdict in queue.complete_many(jobs))
    assert sizes.keys() <= {"done"}
    counts = queue.counts("pending", "active", "schedule")
    assert set(counts.values()) == {0}
