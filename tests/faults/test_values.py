# SPDX-License-Identifier: MIT
"""Bytes and numbers on their way through scripts and clients."""

import re

import children
import pytest
import scenes
import wire

import echomq

ID = wire.job_id(1)


# ---- no script reads a payload, or writes a number otherwise than in digits ----


@pytest.mark.parametrize(
    "payload",
    [
        b'{"id":130775545883395173,"x":1e17,"y":9007199254740993}',
        b"",
        b"\0",
        b"nil",
        b"[1,2",
        bytes(range(256)) * 3,
        "é".encode("utf-16"),
        b"\xff\xfe",
        b"9" * 40,
    ],
)
def test_payloads_come_back_byte_for_byte(queue, raw, keys, sound, payload):
    id = queue.enqueue(payload)
    later = queue.enqueue(payload, delay=0)
    assert (
        raw("HGET", keys.row(id), "payload") == raw("HGET", keys.row(later), "payload") == payload
    )
    job = queue.claim()
    assert job.payload == payload
    assert job.retry(payload, delay=0) == "scheduled"
    assert raw("HGET", keys.row(id), "last_error") == payload
    assert queue.promote() == 2
    assert [job.payload for job in queue.claim_many(2)] == [payload] * 2


ATTEMPTS = ["99999", "999999999999999", "100000000000000", "9007199254740989"]


@pytest.mark.parametrize("attempts", ATTEMPTS)
@pytest.mark.parametrize("many", [False, True])
def test_large_tokens_keep_their_digits(queue, raw, keys, sound, attempts, many):
    scenes.put(raw, keys, "pending", 1, attempts=attempts)
    job = queue.claim_many(1)[0] if many else queue.claim()
    assert job.token == int(attempts) + 1
    assert raw("HGET", keys.row(ID), "attempts") == b"%d" % (int(attempts) + 1)
    assert job.extend() == "done"
    assert job.delay(0.0) == "done"
    queue.promote()
    job = queue.claim() if attempts != ATTEMPTS[-1] else None
    if job:
        assert job.retry("why", delay=0) == "dead"  # far more attempts than are allowed
        assert queue.reprocess(ID) == "done"


@pytest.mark.parametrize("ms", [scenes.FUTURE, 10**14 - 1, 10**14, 253402300799999])
def test_times_keep_their_digits(raw, keys, sound, ms):
    wire.run(raw, "schedule", [keys.row(ID), keys.schedule], [ID, "", "at", ms])
    assert raw("ZSCORE", keys.schedule, ID) == b"%d" % ms
    other = scenes.put_active(raw, keys, 2)
    wire.run(raw, "delay", [keys.row(other), keys.active, keys.schedule], [other, 1, "at", ms])
    assert raw("ZSCORE", keys.schedule, other) == b"%d" % ms


def test_leases_are_whole_milliseconds_of_the_server(raw, keys, sound):
    for number in range(200):
        scenes.put(raw, keys, "pending", number)
    for _ in range(200):
        before = raw.now()
        id, _, _ = wire.run(raw, "claim", [keys.pending, keys.active], [keys("job:"), 12345])
        score = raw("ZSCORE", keys.active, id)
        assert re.fullmatch(rb"\d{13}", score)
        assert before + 12345 <= int(score) <= raw.now() + 12345


# ---- large payloads ----

LARGE = """
import os, sys
import echomq

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20

with echomq.connect(sys.argv[1]) as client:
    queue = client.queue(sys.argv[2])
    queue.enqueue(b"")
    queue.claim().complete()
    for size in (1 << 20, 64 << 20):
        before = resident()
        payload = os.urandom(1 << 16) * (size >> 16)
        id = queue.enqueue(payload)
        job = queue.claim()
        assert (job.id, job.payload == payload) == (id, True)
        assert job.complete() == "done"
        del payload, job
        assert resident() - before < 16, (before, resident())
print("well")
"""


def test_large_payloads_come_back_and_leave_no_memory(url, queue, raw, keys, start_script):
    assert children.end_script(start_script(LARGE, url, queue.name)) == "well\n"
    assert wire.dump(raw, keys).keys() == {keys("metrics:completed")}


def test_what_no_server_takes_is_not_sent(queue, raw, keys):
    payload = bytes((512 << 20) + 1)
    with pytest.raises(echomq.InvalidArgumentError, match="payload"):
        queue.enqueue(payload)
    with pytest.raises(echomq.InvalidArgumentError, match="payload"):
        queue.enqueue_many([payload])
    assert wire.dump(raw, keys) == {}


# ---- user bytes are no format ----


@pytest.mark.parametrize(
    "text", ["%s%n%b", "a b", "%", "%.*s%99999d", "\\n", "*1\r\n$4"[:2], "'\""]
)
def test_nothing_is_a_format(client, raw, text):
    queue, keys = client.queue(text), wire.Keys(text)
    raw("DEL", *(list(wire.dump(raw, keys)) or ["none"]))
    id = queue.enqueue(text)
    assert raw("HGET", keys.row(id), "payload") == text.encode()
    job = queue.claim()
    assert job.payload == text.encode()
    assert queue.update_progress(id, text) == "done"
    assert queue.add_log(id, text) == 1
    assert queue.logs(id) == [text.encode()]
    assert job.retry(text, max_attempts=1) == "dead"
    assert queue.job(id).fields["last_error"] == text.encode()
    assert queue.dedup(text) is None
    with pytest.raises(echomq.InvalidArgumentError, match="id"):
        queue.enqueue(b"", id=("JOB" + text * 14)[:14])
    assert queue.remove(id, dedup=text) == "done"


def test_no_formatting_of_requests_in_the_core():
    """Of hiredis's calls that write a command, only the one that takes pointers and lengths."""
    found = {
        name
        for path in (wire.ROOT / "core").rglob("*.[ch]")
        for name in re.findall(r"\bredis\w*Command\w*", path.read_text())
    }
    assert found <= {"redisFormatCommandArgv", "redisFreeCommand"}


# ---- written here, read there ----


def script_row(raw, keys, id):
    """A row's fields; the order is the store's, and not kept for long values."""
    content = raw("HGETALL", keys.row(id))
    return sorted(zip(content[::2], content[1::2]))


@pytest.mark.parametrize("payload", [b"", b"plain", bytes(range(256)), "é✓".encode()])
def test_a_row_is_the_same_whoever_wrote_it(queue, raw, keys, sound, payload):
    first, second = wire.job_id(1), wire.job_id(2)
    queue.enqueue(payload, id=first)
    wire.run(raw, "enqueue", [keys.row(second), keys.pending], [second, payload])
    expected = [(b"state", b"pending"), (b"attempts", b"0"), (b"payload", payload)]
    assert script_row(raw, keys, first) == script_row(raw, keys, second) == sorted(expected)

    # Each claims what the other wrote.
    assert wire.run(
        raw, "claim", [keys.pending, keys.active, keys.meta], [keys("job:"), 30000]
    ) == [
        first.encode(),
        payload,
        1,
    ]
    job = queue.claim()
    assert (job.id, job.payload, job.token) == (second, payload, 1)
    expected = [(b"state", b"active"), (b"attempts", b"1"), (b"payload", payload)]
    assert script_row(raw, keys, first) == script_row(raw, keys, second) == sorted(expected)

    # Each settles what the other claimed.
    assert queue.retry(first, 1, "why", delay=0) == "scheduled"
    wire.run(
        raw,
        "retry",
        [keys.active, keys.schedule, keys.dead, keys.row(second)],
        [second, 1, 0, 20, "why", keys.base],
    )
    expected = [
        (b"state", b"scheduled"),
        (b"attempts", b"1"),
        (b"payload", payload),
        (b"last_error", b"why"),
    ]
    assert script_row(raw, keys, first) == script_row(raw, keys, second) == sorted(expected)
    assert wire.run(raw, "promote", [keys.schedule, keys.pending], [keys.base, 10]) == 2
    assert [job.complete() for job in queue.claim_many(2)] == ["done"] * 2


@pytest.mark.parametrize("reason", [b"x" * (1 << 20), b"\xff\xfe\0", "é" * 70000, ""])
def test_reasons_of_any_size_and_bytes(queue, raw, keys, sound, reason):
    queue.enqueue(b"")
    assert queue.claim().retry(reason, delay=0) == "scheduled"
    kept = raw("HGET", keys.row(raw("ZRANGE", keys.schedule, 0, 0)[0].decode()), "last_error")
    whole = reason.encode() if isinstance(reason, str) else reason
    assert whole.startswith(kept) and (len(kept) == len(whole) or len(kept) > 1000)
    if isinstance(reason, str):
        kept.decode()  # cut between characters
