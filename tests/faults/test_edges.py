# SPDX-License-Identifier: MIT
"""The edges that have a story of their own: what our scripts do where the contract's
scripts would half-do something, and where they do what the contract says."""

import pytest
import resp
import scenes
import wire

import echomq

ID = wire.job_id(1)


def refused(raw, keys, call):
    """The text of a refusal that left every key as it was."""
    before = wire.dump(raw, keys)
    with pytest.raises(resp.Refused) as refusal:
        call.run(raw)
    assert wire.dump(raw, keys) == before
    return str(refusal.value)


def run(raw, script, keys, *args):
    return wire.run(raw, script, keys, args)


def reap(raw, keys):
    return run(raw, "reap", [keys.active, keys.pending], keys.base)


def promote(raw, keys):
    return run(raw, "promote", [keys.schedule, keys.pending], keys.base, 100)


# ---- wrong types and partial writes ----


@pytest.mark.parametrize("scene, set", [("enqueue", "pending"), ("schedule_in", "schedule")])
def test_a_refused_admission_may_be_repeated(raw, keys, sound, scene, set):
    call = scenes.SCENES[scene](raw, keys)
    raw("SET", keys(set), "alien")
    assert refused(raw, keys, call).startswith("WRONGTYPE")
    raw("DEL", keys(set))
    assert call.run(raw) == 1  # no duplicate: nothing was left behind


@pytest.mark.parametrize("scene", ["enqueue", "schedule_in", "schedule_at"])
@pytest.mark.parametrize("alien", ["SET", "SADD", "RPUSH"])
def test_a_row_key_of_any_type_is_a_duplicate(raw, keys, scene, alien):
    call = scenes.SCENES[scene](raw, keys)
    raw(alien, keys.row(ID), "alien")
    before = wire.dump(raw, keys)
    assert call.run(raw) == 0
    assert wire.dump(raw, keys) == before


@pytest.mark.parametrize("scene", ["claim", "bclaim"])
def test_a_refused_claim_may_be_repeated(raw, keys, sound, scene):
    call = scenes.SCENES[scene](raw, keys)
    raw("SET", keys.active, "alien")
    assert refused(raw, keys, call).startswith("WRONGTYPE")
    raw("DEL", keys.active)
    assert ID.encode() in str(call.run(raw)).encode()


@pytest.mark.parametrize("scene", ["claim", "bclaim"])
@pytest.mark.parametrize("attempts", ["x", "1.5", "", "9223372036854775807", "9007199254740991"])
def test_attempts_that_cannot_be_counted(raw, keys, scene, attempts):
    call = scenes.SCENES[scene](raw, keys)
    raw("HSET", keys.row(ID), "attempts", attempts)
    assert refused(raw, keys, call).startswith("ERR")


def test_a_batch_ends_before_the_row_that_it_cannot_claim(raw, keys):
    call = scenes.SCENES["bclaim"](raw, keys)
    raw("HSET", keys.row(wire.job_id(2)), "attempts", "x")
    assert [job[0] for job in call.run(raw)] == [ID.encode()]
    assert raw("ZRANGE", keys.active, 0, -1) == [ID.encode()]
    assert refused(raw, keys, call).startswith("ERR")  # now it is the head


@pytest.mark.parametrize(
    "scene, key, alien",
    [
        ("complete_foreign_child", "flow:outbox", "SET"),
        ("complete_child", "job:%s:dependencies" % scenes.PARENT, "RPUSH"),
        ("complete_child", "job:%s:processed" % scenes.PARENT, "SET"),
        ("complete_child", "job:%s" % scenes.PARENT, "SET"),
        ("retry_child_fp", "job:%s:failed" % scenes.PARENT, "SET"),
        ("retry_child_id", "job:%s:unsuccessful" % scenes.PARENT, "SET"),
        ("retry_child_id", "job:%s:dependencies" % scenes.PARENT, "RPUSH"),
        ("retry_foreign_child", "flow:outbox", "SET"),
    ],
)
def test_a_refused_child_settles_later(raw, keys, scene, key, alien):
    call = scenes.SCENES[scene](raw, keys)
    held = raw("DUMP", keys(key))
    raw("DEL", keys(key))
    raw(alien, keys(key), "alien")
    assert refused(raw, keys, call).startswith("WRONGTYPE")
    raw("DEL", keys(key))
    if held:
        raw("RESTORE", keys(key), 0, held)
    assert call.run(raw) in (1, b"dead")
    assert wire.offences(raw, keys) == []


@pytest.mark.parametrize(
    "scene, set", [("promote", "schedule"), ("reap", "active"), ("sweep", "active")]
)
def test_a_batch_ends_before_the_row_that_it_cannot_move(raw, keys, scene, set):
    call = scenes.SCENES[scene](raw, keys)
    bad = wire.job_id(2)
    raw("DEL", keys.row(bad))
    raw("SET", keys.row(bad), "alien")
    assert call.run(raw) in (1, [[ID.encode()], []])
    assert raw("ZSCORE", keys.pending, ID) == b"0"
    assert raw("ZSCORE", keys(set), bad) is not None
    assert refused(raw, keys, call).startswith("WRONGTYPE")  # now it is the first


def test_remove_with_an_alien_dedup_key(raw, keys):
    call = scenes.SCENES["remove_job"](raw, keys)
    raw("DEL", keys("de:d"))
    raw("SADD", keys("de:d"), ID)
    assert refused(raw, keys, call).startswith("WRONGTYPE")


def test_reprocess_of_an_alien_row(raw, keys):
    call = scenes.SCENES["reprocess"](raw, keys)
    raw("DEL", keys.row(ID))
    raw("SET", keys.row(ID), "alien")
    assert refused(raw, keys, call).startswith("WRONGTYPE")


@pytest.mark.parametrize(
    "scene, key",
    [
        ("add_log", "job:%s:logs" % ID),
        ("update_data", "job:" + ID),
        ("update_progress", "job:" + ID),
    ],
)
def test_writing_beside_an_alien(raw, keys, scene, key):
    call = scenes.SCENES[scene](raw, keys)
    raw("DEL", keys(key))
    raw("SET", keys(key), "alien")
    assert refused(raw, keys, call).startswith("WRONGTYPE")


@pytest.mark.parametrize(
    "scene, marker",
    [
        ("retry_child_fp", "sq:"),
        ("retry_child_fp", "xq:fp"),
        ("retry_child_fp", "fp"),
        ("retry_foreign_child", "sq:id"),
        ("retry_foreign_child", ""),
    ],
)
def test_a_flow_marker_that_is_none(raw, keys, scene, marker):
    call = scenes.SCENES[scene](raw, keys)
    call.args[6] = marker
    assert refused(raw, keys, call) == "ERR wrong number of arguments"


# ---- malformed numbers and words: those that are accepted (the rest is in test_whole.py) ----


def test_any_other_word_than_in_means_absolute(raw, keys, sound):
    call = scenes.SCENES["schedule_at"](raw, keys)
    call.args[2] = "on"
    assert call.run(raw) == 1
    assert float(raw("ZSCORE", keys.schedule, ID)) == scenes.FUTURE


@pytest.mark.parametrize(
    "scene, place, nothing", [("promote", 1, 0), ("bclaim", 2, []), ("sweep", 2, [[], []])]
)
def test_nothing_is_what_nothing_does(raw, keys, sound, scene, place, nothing):
    call = scenes.SCENES[scene](raw, keys)
    call.args[place] = 0
    before = wire.dump(raw, keys)
    assert call.run(raw) == nothing
    assert wire.dump(raw, keys) == before


@pytest.mark.parametrize("budget", ["0", "-1"])
def test_a_budget_of_nothing(raw, keys, sound, budget):
    call = scenes.SCENES["obliterate"](raw, keys)
    call.args[1] = budget
    assert refused(raw, keys, call).startswith("ERR")


@pytest.mark.parametrize("keep", ["0", "-1", "1.5", "text"])
def test_a_log_that_keeps_nothing(raw, keys, sound, keep):
    call = scenes.SCENES["add_log"](raw, keys)
    call.args[1] = keep
    assert refused(raw, keys, call).startswith("ERR")


@pytest.mark.parametrize(
    "scene", ["complete_grouped", "retry_grouped", "delay_grouped", "reap_grouped", "sweep_grouped"]
)
def test_a_lanes_limit_that_is_no_number(raw, keys, sound, scene):
    call = scenes.SCENES[scene](raw, keys)
    raw("HSET", keys("glimit"), scenes.GROUP, "many")
    assert refused(raw, keys, call).startswith("ERR")


def test_a_total_that_is_no_number_keeps_its_place(raw, keys):
    raw("HSET", keys("metrics:completed"), "count", "many")
    raw("HSET", keys("metrics:failed"), "count", 7)
    assert run(raw, "counts", [keys.base, keys.dead], "completed", "failed") == [0, b"many", 7]


@pytest.mark.parametrize("token", ["01", " 1", "1 ", "1.0", "", "2"])
def test_tokens_are_compared_as_text(raw, keys, sound, token):
    for scene in ("complete", "retry", "delay_in", "extend_lock"):
        call = scenes.SCENES[scene](raw, keys)
        call.args[1] = token
        assert refused(raw, keys, call).startswith("EMQSTALE"), scene
    call = scenes.SCENES["extend_locks"](raw, keys)
    call.args[3] = call.args[5] = token
    before = wire.dump(raw, keys)
    assert call.run(raw) == [ID.encode(), wire.job_id(2).encode()]
    assert wire.dump(raw, keys) == before


def test_a_row_without_attempts_is_gone(raw, keys):
    calls = {
        name: scenes.SCENES[name](raw, keys)
        for name in ("complete", "retry", "delay_in", "extend_lock", "extend_locks")
    }
    raw("HDEL", keys.row(ID), "attempts")
    before = wire.dump(raw, keys)
    assert calls["complete"].run(raw) == 0
    assert calls["extend_lock"].run(raw) == -1
    del calls["extend_locks"].args[4:]
    assert calls["extend_locks"].run(raw) == [ID.encode()]
    assert wire.dump(raw, keys) == before
    assert refused(raw, keys, calls["retry"]) == "EMQSTALE job gone"
    assert refused(raw, keys, calls["delay_in"]) == "EMQSTALE job gone"


# ---- identity mismatches (more in test_whole.py) ----


@pytest.mark.parametrize("scene", ["enqueue", "schedule_in", "delay_in"])
def test_the_kind_gate_reads_three_bytes(raw, keys, scene):
    for id in ("USR0NgWd000001", "job0NgWd000001", "", "JO"):
        call = scenes.SCENES[scene](raw, keys)
        call.args[0] = id
        assert refused(raw, keys, call) == "EMQKIND job id must be JOB-namespaced"
    call = scenes.SCENES["enqueue"](raw, keys)
    call.keys[0], call.args[0] = keys.row("JOBBER-x"), "JOBBER-x"
    assert call.run(raw) == 1  # the contract's: all 14 bytes are the host's gate


def test_the_hosts_gate_reads_all_of_them(queue, raw, keys):
    for id in ("JOBBER-anything", "JOB", "JOB0NgWd00001!", "JOBzzzzzzzzzzz", "JOB\0NgWd000001"):
        with pytest.raises(echomq.InvalidArgumentError):
            queue.enqueue(b"", id=id)
    assert wire.dump(raw, keys) == {}


# ---- phantom rows ----


@pytest.mark.parametrize("scene", ["claim", "bclaim"])
def test_a_claim_makes_a_row_of_a_ghost(raw, keys, scene):
    call = scenes.SCENES[scene](raw, keys)
    raw("DEL", keys.row(ID))
    claimed = call.run(raw)
    assert (claimed if scene == "claim" else claimed[0]) == [ID.encode(), None, 1]
    assert raw("HGETALL", keys.row(ID)) == [b"attempts", b"1", b"state", b"active"]


def test_the_client_unmakes_it(client, queue, raw, keys, sound):
    scenes.SCENES["claim"](raw, keys)
    raw("DEL", keys.row(ID))
    assert queue.claim().id == wire.job_id(2)
    assert client.ghosts == 1
    assert not raw("EXISTS", keys.row(ID))


@pytest.mark.parametrize("scene", ["promote", "reap", "sweep"])
def test_a_ghost_is_taken_out_and_not_counted(raw, keys, sound, scene):
    call = scenes.SCENES[scene](raw, keys)
    rows = [keys.row(wire.job_id(number)) for number in range(1, 5)]
    raw("DEL", *rows)
    assert call.run(raw) in (0, [[], []])
    if scene == "promote":
        assert call.run(raw) == 0  # the fourth
    assert wire.dump(raw, keys) == {}


def test_a_parent_that_is_gone_is_the_contracts_phantom(raw, keys):
    call = scenes.SCENES["complete_child"](raw, keys)
    raw("DEL", keys.row(scenes.PARENT), keys.row(scenes.PARENT, ":dependencies"))
    assert call.run(raw) == 1
    assert raw("GET", keys.row(scenes.PARENT, ":dependencies")) == b"-1"
    assert raw("HGETALL", keys.row(scenes.PARENT)) == [b"state", b"pending"]


def test_and_the_client_clears_it_away(client, queue, raw, keys):
    scenes.SCENES["complete_child"](raw, keys)
    raw("DEL", keys.row(scenes.PARENT), keys.row(scenes.PARENT, ":dependencies"))
    assert queue.complete(ID, 1) == "done"
    assert queue.claim() is None
    assert client.ghosts == 1
    assert wire.offences(raw, keys) == []


@pytest.mark.parametrize(
    "scene",
    [
        "update_data",
        "update_progress",
        "add_log",
        "remove_job",
        "reprocess",
        "complete",
        "extend_lock",
    ],
)
def test_no_row_comes_out_of_nothing(raw, keys, sound, scene):
    call = scenes.SCENES[scene](raw, keys)
    raw("DEL", *wire.dump(raw, keys))
    assert call.run(raw) in (-1, 0)
    assert wire.dump(raw, keys) == {}


# ---- double membership and settled twice ----

SETTLEMENTS = {"complete": "complete", "retry": "retry", "delay": "delay_in"}


@pytest.mark.parametrize("scene", SETTLEMENTS.values())
@pytest.mark.parametrize("set", ["schedule", "dead"])
def test_what_is_at_rest_is_nobodys_to_settle(raw, keys, sound, scene, set):
    call = scenes.SCENES[scene](raw, keys)
    raw("DEL", *wire.dump(raw, keys))
    scenes.put(raw, keys, set, 1, attempts=1)
    assert refused(raw, keys, call) == "EMQSTATE not active"


def test_a_dead_child_is_not_counted_twice(raw, keys):
    call = scenes.retry_child(raw, keys, "id", 2)
    assert call.run(raw) == b"dead"
    assert raw("GET", keys.row(scenes.PARENT, ":dependencies")) == b"1"
    assert refused(raw, keys, call) == "EMQSTATE not active"
    assert raw("HGET", keys("metrics:failed"), "count") == b"1"


@pytest.mark.parametrize("scene", SETTLEMENTS.values())
def test_token_0_leaves_the_job_in_one_place(raw, keys, sound, scene):
    """The contract accepts it; the client never sends it."""
    call = scenes.SCENES[scene](raw, keys)
    raw("DEL", *wire.dump(raw, keys))
    scenes.put(raw, keys, "pending", 1)
    call.args[1] = 0
    assert call.run(raw) in (1, b"scheduled")
    assert raw("ZCARD", keys.pending) == 0


def test_the_client_never_sends_it(queue, raw, keys, sound):
    scenes.put(raw, keys, "pending", 1)
    with pytest.raises(echomq.InvalidArgumentError):
        queue.complete(ID, 0)


@pytest.mark.parametrize("set", ["pending", "schedule", "dead"])
def test_only_a_lease_is_extended(raw, keys, sound, set):
    calls = [scenes.SCENES[name](raw, keys) for name in ("extend_lock", "extend_locks")]
    raw("DEL", *wire.dump(raw, keys))
    scenes.put(raw, keys, set, 1, attempts=1)
    assert refused(raw, keys, calls[0]) == "EMQSTALE lease lapsed"
    before = wire.dump(raw, keys)
    del calls[1].args[4:]
    assert calls[1].run(raw) == [ID.encode()]
    assert wire.dump(raw, keys) == before


def test_a_reaped_childs_completion_is_its_holders(raw, keys):
    """The contract's: taken, without the parent's counter."""
    call = scenes.SCENES["complete_child"](raw, keys)
    raw("ZADD", keys.active, scenes.PAST, ID)
    assert reap(raw, keys) == 1
    assert call.run(raw) == 1
    assert raw("ZCARD", keys.pending) == 0
    assert raw("GET", keys.row(scenes.PARENT, ":dependencies")) == b"1"
    assert wire.offences(raw, keys) == []


def test_a_parent_that_its_child_failed_and_then_released(raw, keys):
    """The contract's: in pending and in dead. The check of a queue names it."""
    assert scenes.retry_child(raw, keys, "fp", 1).run(raw) == b"dead"
    sets = [keys.row(ID), keys.dead, keys.pending]
    assert run(raw, "reprocess", sets, ID) == 1
    raw("ZREM", keys.pending, ID)
    assert scenes.SCENES["complete_child"](raw, keys).run(raw) == 1
    assert wire.offences(raw, keys) == [
        f"{scenes.PARENT}: in ['dead', 'pending'], row says "
        "{b'state': b'pending', b'attempts': b'0', b'payload': b'parent'}"
    ]


def test_every_completion_past_zero_releases_again(raw, keys):
    """The contract's."""
    call = scenes.SCENES["complete_child"](raw, keys)
    raw("SET", keys.row(scenes.PARENT, ":dependencies"), 0)
    assert call.run(raw) == 1
    assert raw("GET", keys.row(scenes.PARENT, ":dependencies")) == b"-1"
    assert raw("ZSCORE", keys.pending, scenes.PARENT) == b"0"
