# SPDX-License-Identifier: MIT
"""Every script, handed something malformed or a store in a state that should not be: it is refused
whole, with every key as it was, or does its work to the end."""

import pytest
import resp
import scenes
import wire

BAD_NUMBERS = [
    "1.5",
    "0x10",
    "1e3",
    " 7 ",
    "-5",
    "-0",
    "+5",
    "inf",
    "-inf",
    "nan",
    "",
    "text",
    "9" * 16,
    "9" * 400,
    "7\0",
]
# Fewer arguments that are a call of another form; the number is how many are left.
SHORTER_ARGS = {
    "complete_child": {3},
    "complete_child_of_two": {3},
    "complete_foreign_child": {3},
    "retry_child_fp": {6},
    "retry_child_id": {6},
    "retry_foreign_child": {6},
    "extend_locks": {2, 3, 4, 5},
    "obliterate": {1},
    "counts": {0, 1},
}
SHORTER_KEYS = {
    "claim": {2},
    "bclaim": {2},
    "drain": {0, 1, 2},
    "counts": {1, 2},
    "state_lookup": {4},
}
ALIENS = {
    "string": lambda key: ("SET", key, "x"),
    "set": lambda key: ("SADD", key, "x"),
    "stream": lambda key: ("XADD", key, "1-1", "a", "b"),
}
NOT_A_NUMBER = "ERR value is not an integer or out of range"


@pytest.fixture(params=sorted(scenes.SCENES))
def name(request):
    return request.param


class Queues:
    """Builds the scene again and again, each time in a queue of its own."""

    def __init__(self, raw, name, base):
        self.raw, self.build, self.base, self.count = raw, scenes.SCENES[name], base, 0

    def fresh(self):
        self.count += 1
        keys = wire.Keys(f"{self.base}-{self.count}")
        return keys, self.build(self.raw, keys)

    def refused_whole(self, keys, call):
        """Runs the call. A refusal must leave every key as it was. Returns its text, or None."""
        before = wire.dump(self.raw, keys)
        try:
            call.run(self.raw)
        except resp.Refused as refusal:
            assert wire.dump(self.raw, keys) == before, f"half done: {refusal}"
            return str(refusal)
        return None


@pytest.fixture
def queues(raw, name):
    raw("FLUSHDB")  # what earlier tests left makes a dump slow
    return Queues(raw, name, "whole")


def test_every_script_has_a_scene():
    assert {build.__name__ for build in scenes.SCENES.values()} == set(scenes.SCENES)
    keys = wire.Keys("none")
    used = {build(lambda *_: None, keys).script for build in scenes.SCENES.values()}
    assert used == set(wire.scripts())


def test_an_ordinary_call_leaves_a_sound_queue(raw, queues, name):
    keys, call = queues.fresh()
    assert wire.offences(raw, keys) == []
    before = wire.dump(raw, keys)
    call.run(raw)
    assert (wire.dump(raw, keys) == before) == (name in scenes.READS)
    assert wire.offences(raw, keys) == []


def test_numbers_that_are_none(queues):
    """Leases, times, limits, budgets, sizes, caps."""
    _, call = queues.fresh()
    for place in call.numbers:
        for bad in BAD_NUMBERS:
            if (call.script, bad) == ("add_log", ""):
                continue  # keeps every line
            keys, call = queues.fresh()
            call.args[place] = bad
            assert queues.refused_whole(keys, call) == NOT_A_NUMBER, (place, bad)


def test_keys_and_arguments_that_are_missing(queues, name):
    """What a script does not get is nil to it."""
    _, whole = queues.fresh()
    for count in range(len(whole.keys)):
        keys, call = queues.fresh()
        del call.keys[count:]
        assert queues.refused_whole(keys, call) or count in SHORTER_KEYS.get(name, ()), count
    for count in range(len(whole.args)):
        keys, call = queues.fresh()
        del call.args[count:]
        assert queues.refused_whole(keys, call) or count in SHORTER_ARGS.get(name, ()), count


@pytest.mark.parametrize("alien", ALIENS)
def test_keys_of_another_type(raw, queues, name, alien):
    """Each key that the call touches, and each that a queue may have."""
    keys, call = queues.fresh()
    before = wire.dump(raw, keys)
    call.run(raw)
    touched = before.keys() | wire.dump(raw, keys).keys() | set(call.keys)
    shorts = {key[len(keys.base) :] for key in touched if key != keys.base}
    shorts |= {
        "pending",
        "active",
        "schedule",
        "dead",
        "meta",
        "ring",
        "wake",
        "paused",
        "gactive",
        "glimit",
        "metrics:completed",
        "metrics:failed",
    }
    for short in sorted(shorts):
        keys, call = queues.fresh()
        raw("DEL", keys(short))
        raw(*ALIENS[alien](keys(short)))
        refusal = queues.refused_whole(keys, call)
        assert refusal is None or refusal.startswith(("WRONGTYPE", "EMQSTATE not", NOT_A_NUMBER)), (
            short,
            refusal,
        )


COUNTED = [
    "metrics:completed count",
    "metrics:failed count",
    "gactive GRP0NgWd000001",
    "glimit GRP0NgWd000001",
]


@pytest.mark.parametrize("text", ["text", "1.5", "", " 1", "9223372036854775807"])
def test_counts_in_the_store_that_are_none(raw, queues, text):
    """Attempts, stalled, totals, lanes' counts and limits, dependencies."""
    keys, call = queues.fresh()
    places = [(keys(field.split()[0]), field.split()[1]) for field in COUNTED]
    places += [
        (keys.row(wire.job_id(number)), field)
        for number in (1, 2)
        for field in ("attempts", "stalled")
    ]
    for key, field in places:
        keys, call = queues.fresh()
        short = key.partition("}:")[2]
        if raw("EXISTS", keys(short)) or "metrics" in short:
            raw("HSET", keys(short), field, text)
            assert_refused_or_sound(raw, queues, keys, call, short)
    keys, call = queues.fresh()
    if raw("EXISTS", keys.row(scenes.PARENT, ":dependencies")):
        raw("SET", keys.row(scenes.PARENT, ":dependencies"), text)
        assert queues.refused_whole(keys, call)


def assert_refused_or_sound(raw, queues, keys, call, place):
    """Where the call was done, no job is lost: what may be wrong is the number that was planted."""
    if queues.refused_whole(keys, call) is None:
        lost = [line for line in wire.offences(raw, keys) if "attempts are" not in line]
        assert lost == [], place


BOUND = sorted(
    scenes.SCENES.keys()
    - scenes.READS
    - {"update_data", "update_progress", "add_log", "queue_pause", "queue_resume"}
)
"""The scenes whose keys must belong to each other."""


@pytest.mark.parametrize("name", BOUND)
def test_keys_of_another_job_or_queue(raw, queues, name):
    """Keys and arguments that name different jobs or queues."""
    _, whole = queues.fresh()
    declared = {"complete": 2, "retry": 4}.get(whole.script, len(whole.keys))
    for place in range(declared):
        keys, call = queues.fresh()
        other = wire.Keys(queues.base + "-other")
        call.keys[place] = other(call.keys[place][len(keys.base) :])
        refusal = queues.refused_whole(keys, call)
        assert refusal == "ERR the keys are not those of one queue and job", place
        assert wire.dump(raw, other) == {}
    for place, key in enumerate(whole.keys[:declared]):
        if key.endswith("job:" + wire.job_id(1)):
            keys, call = queues.fresh()
            call.keys[place] = keys.row(wire.job_id(77))
            assert queues.refused_whole(keys, call), place
