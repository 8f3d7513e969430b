# SPDX-License-Identifier: MIT
"""One ordinary call of every form of every script, on a queue that has something for it to do."""

import dataclasses

import wire

GROUP = "GRP0NgWd000001"
OTHER = "GRP0NgWd000002"
PARENT = wire.job_id(9)
PAST, FUTURE = 1000, 4102444800000  # unix ms; 2100


@dataclasses.dataclass
class Call:
    """A script with keys and arguments; `numbers` are the places of those that count something."""

    script: str
    keys: list
    args: list
    numbers: tuple = ()

    def run(self, raw):
        return wire.run(raw, self.script, self.keys, self.args)


SCENES = {}


def scene(build):
    SCENES[build.__name__] = build
    return build


# ---- what lies in a queue ----


def put(raw, keys, set, number, score=0, attempts=0, **fields):
    """A job in one of the sets, with a row that agrees."""
    id = wire.job_id(number)
    row = {"state": wire.STATES[set].decode(), "attempts": attempts, "payload": "p%d" % number}
    row.update(fields)
    raw("HSET", keys.row(id), *[part for pair in row.items() for part in pair])
    raw("ZADD", keys(set), score, id)
    return id


def put_active(raw, keys, number, score=FUTURE, **fields):
    return put(raw, keys, "active", number, score, attempts=1, **fields)


def put_grouped(raw, keys, number, score=FUTURE, others=1, limit=1):
    """An active job of a lane at its limit, with others that wait for its place."""
    id = put_active(raw, keys, number, score, group=GROUP)
    raw("HSET", keys("gactive"), GROUP, 1)
    raw("HSET", keys("glimit"), GROUP, limit)
    for other in range(number + 1, number + 1 + others):
        waits = wire.job_id(other)
        raw(
            "HSET",
            keys.row(waits),
            "state",
            "pending",
            "attempts",
            0,
            "payload",
            "",
            "group",
            GROUP,
        )
        raw("ZADD", keys.lane(GROUP), 0, waits)
    return id


def put_parent(raw, keys, children):
    raw("HSET", keys.row(PARENT), "state", "awaiting_children", "attempts", 0, "payload", "parent")
    raw("SET", keys.row(PARENT, ":dependencies"), children)


# ---- admission and claims ----


@scene
def enqueue(raw, keys):
    id = wire.job_id(1)
    return Call("enqueue", [keys.row(id), keys.pending], [id, "x"])


@scene
def schedule_in(raw, keys):
    id = wire.job_id(1)
    return Call("schedule", [keys.row(id), keys.schedule], [id, "x", "in", 60000], (3,))


@scene
def schedule_at(raw, keys):
    id = wire.job_id(1)
    return Call("schedule", [keys.row(id), keys.schedule], [id, "x", "at", FUTURE], (3,))


@scene
def claim(raw, keys):
    put(raw, keys, "pending", 1)
    put(raw, keys, "pending", 2)
    return Call("claim", [keys.pending, keys.active, keys.meta], [keys("job:"), 30000], (1,))


@scene
def bclaim(raw, keys):
    for number in range(1, 5):
        put(raw, keys, "pending", number)
    return Call("bclaim", [keys.pending, keys.active, keys.meta], [keys("job:"), 30000, 3], (1, 2))


# ---- settlement ----


@scene
def complete(raw, keys):
    id = put_active(raw, keys, 1)
    return Call("complete", [keys.active, keys.row(id)], [id, 1, keys.base])


@scene
def complete_grouped(raw, keys):
    id = put_grouped(raw, keys, 1)
    return Call("complete", [keys.active, keys.row(id)], [id, 1, keys.base])


@scene
def complete_reaped(raw, keys):
    id = put(raw, keys, "pending", 1, attempts=1)
    return Call("complete", [keys.active, keys.row(id)], [id, 1, keys.base])


@scene
def complete_reaped_grouped(raw, keys):
    id = put(raw, keys, "pending", 1, attempts=1, group=GROUP)
    raw("ZREM", keys.pending, id)
    raw("ZADD", keys.lane(GROUP), 0, id)
    raw("RPUSH", keys("ring"), GROUP)
    return Call("complete", [keys.active, keys.row(id)], [id, 1, keys.base])


@scene
def complete_child(raw, keys, children=1):
    id = put_active(raw, keys, 1, parent=PARENT)
    put_parent(raw, keys, children)
    parent = [keys.row(PARENT, ":dependencies"), keys.row(PARENT, ":processed"), keys.row(PARENT)]
    return Call("complete", [keys.active, keys.row(id), *parent], [id, 1, keys.base, PARENT, "r"])


@scene
def complete_child_of_two(raw, keys):
    return complete_child(raw, keys, children=2)


@scene
def complete_foreign_child(raw, keys):
    id = put_active(raw, keys, 1, parent=PARENT, parent_queue="other")
    return Call(
        "complete",
        [keys.active, keys.row(id), keys("flow:outbox")],
        [id, 1, keys.base, PARENT, "r", "xq", "other"],
    )


def retry_call(keys, id, max, more_keys=(), more_args=()):
    return Call(
        "retry",
        [keys.active, keys.schedule, keys.dead, keys.row(id), *more_keys],
        [id, 1, 60000, max, "why", keys.base, *more_args],
        (2, 3),
    )


@scene
def retry(raw, keys):
    return retry_call(keys, put_active(raw, keys, 1), 5)


@scene
def retry_to_dead(raw, keys):
    return retry_call(keys, put_active(raw, keys, 1), 1)


@scene
def retry_grouped(raw, keys):
    return retry_call(keys, put_grouped(raw, keys, 1), 5)


def retry_child(raw, keys, policy, children):
    id = put_active(raw, keys, 1, parent=PARENT, parent_policy=policy)
    put_parent(raw, keys, children)
    parent = [
        keys.row(PARENT, below) for below in (":failed", ":unsuccessful", ":dependencies", "")
    ]
    return retry_call(keys, id, 1, parent, ["sq:" + policy, PARENT])


@scene
def retry_child_fp(raw, keys):
    return retry_child(raw, keys, "fp", 2)


@scene
def retry_child_id(raw, keys):
    return retry_child(raw, keys, "id", 1)


@scene
def retry_foreign_child(raw, keys):
    id = put_active(raw, keys, 1, parent=PARENT, parent_queue="other")
    return retry_call(keys, id, 1, [keys("flow:outbox")], ["xq:fp", "other", PARENT])


def delay_call(keys, id, word, ms):
    return Call("delay", [keys.row(id), keys.active, keys.schedule], [id, 1, word, ms], (3,))


@scene
def delay_in(raw, keys):
    return delay_call(keys, put_active(raw, keys, 1), "in", 60000)


@scene
def delay_at(raw, keys):
    return delay_call(keys, put_active(raw, keys, 1), "at", FUTURE)


@scene
def delay_grouped(raw, keys):
    return delay_call(keys, put_grouped(raw, keys, 1), "in", 60000)


@scene
def extend_lock(raw, keys):
    id = put_active(raw, keys, 1)
    return Call("extend_lock", [keys.active, keys.row(id)], [id, 1, 60000], (2,))


@scene
def extend_locks(raw, keys):
    first, second = put_active(raw, keys, 1), put_active(raw, keys, 2)
    return Call("extend_locks", [keys.active], [keys.base, 60000, first, 1, second, 1], (1,))


# ---- recovery ----


@scene
def promote(raw, keys):
    for number in range(1, 5):
        put(raw, keys, "schedule", number, PAST)
    return Call("promote", [keys.schedule, keys.pending], [keys.base, 3], (1,))


@scene
def promote_grouped(raw, keys):
    put(raw, keys, "schedule", 1, PAST, group=GROUP)
    put(raw, keys, "schedule", 2, PAST)
    return Call("promote", [keys.schedule, keys.pending], [keys.base, 3], (1,))


@scene
def reap(raw, keys):
    put_active(raw, keys, 1, PAST)
    put_active(raw, keys, 2, PAST)
    return Call("reap", [keys.active, keys.pending], [keys.base])


@scene
def reap_grouped(raw, keys):
    put_grouped(raw, keys, 1, PAST)
    put_active(raw, keys, 5, PAST)
    return Call("reap", [keys.active, keys.pending], [keys.base])


def sweep_call(keys, max):
    return Call(
        "sweep_stalled", [keys.active, keys.pending, keys.dead], [keys.base, max, 10], (1, 2)
    )


@scene
def sweep(raw, keys):
    put_active(raw, keys, 1, PAST)
    put_active(raw, keys, 2, PAST, stalled=2)
    return sweep_call(keys, 3)


@scene
def sweep_grouped(raw, keys):
    put_grouped(raw, keys, 1, PAST)
    put_active(raw, keys, 5, PAST)
    return sweep_call(keys, 3)


# ---- operator ----


@scene
def update_data(raw, keys):
    return Call("update_data", [keys.row(put(raw, keys, "pending", 1))], ["new"])


@scene
def update_progress(raw, keys):
    id = put_active(raw, keys, 1)
    return Call("update_progress", [keys.row(id)], ["50%", id, keys.base])


@scene
def add_log(raw, keys):
    id = put_active(raw, keys, 1)
    raw("RPUSH", keys.row(id, ":logs"), "one", "two")
    return Call("add_log", [keys.row(id), keys.row(id, ":logs")], ["three", 2], (1,))


@scene
def remove_job(raw, keys):
    id = put(raw, keys, "pending", 1)
    raw("SET", keys("de:d"), id)
    raw("RPUSH", keys.row(id, ":logs"), "one")
    sets = [keys.pending, keys.active, keys.schedule, keys.dead]
    return Call("remove_job", [keys.row(id), *sets, keys("de:d")], [id, "d"])


@scene
def reprocess(raw, keys):
    id = put(raw, keys, "dead", 1, attempts=3, last_error="why")
    return Call("reprocess", [keys.row(id), keys.dead, keys.pending], [id])


@scene
def queue_pause(raw, keys):
    return Call("queue_pause", [keys.meta], [])


@scene
def queue_resume(raw, keys):
    raw("HSET", keys.meta, "paused", 1, "max", 3)
    return Call("queue_resume", [keys.meta], [])


@scene
def drain(raw, keys):
    put(raw, keys, "pending", 1)
    put(raw, keys, "schedule", 2, FUTURE)
    return Call("drain", [keys.base, keys.pending, keys.schedule], [])


@scene
def obliterate(raw, keys):
    raw("HSET", keys.meta, "paused", 1)
    put_active(raw, keys, 1)
    put(raw, keys, "pending", 2)
    put(raw, keys, "schedule", 3, FUTURE)
    put(raw, keys, "dead", 4)
    lane_job = wire.job_id(5)
    raw(
        "HSET", keys.row(lane_job), "state", "pending", "attempts", 0, "payload", "", "group", GROUP
    )
    raw("ZADD", keys.lane(GROUP), 0, lane_job)
    raw("RPUSH", keys("ring"), GROUP)
    return Call("obliterate", [keys.meta, keys.base], ["force", 100], (1,))


# ---- reads ----


@scene
def counts(raw, keys):
    put(raw, keys, "pending", 1)
    return Call("counts", [keys.base, keys.pending, keys.active], ["completed", "failed"])


@scene
def state_lookup(raw, keys):
    id = put(raw, keys, "dead", 1)
    sets = [keys.pending, keys.active, keys.schedule, keys.dead]
    return Call("state_lookup", [*sets, keys.row(id)], [id])


@scene
def inspect(raw, keys):
    return Call("inspect", [keys.base], [put(raw, keys, "dead", 1)])


READS = {"counts", "state_lookup", "inspect"}
