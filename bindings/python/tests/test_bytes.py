# SPDX-License-Identifier: MIT
import array
import threading

import pytest

import echomq

ALL = bytes(range(256))


@pytest.mark.parametrize(
    "given, stored",
    [
        (b"", b""),
        ("", b""),
        (bytearray(), b""),
        (memoryview(b""), b""),
        (b"a\0b", b"a\0b"),
        ("a\0b", b"a\0b"),
        (ALL, ALL),
        (bytearray(ALL), ALL),
        (memoryview(ALL), ALL),
        (memoryview(ALL)[100:200], ALL[100:200]),
        (memoryview(array.array("H", [1, 2])), array.array("H", [1, 2]).tobytes()),
        (b"\xff", b"\xff"),
        ("é\U0001f600", b"\xc3\xa9\xf0\x9f\x98\x80"),
        (b"%s%n%b *3\r\n$5\r\n", b"%s%n%b *3\r\n$5\r\n"),
        (b'{"big":130775545883395173}', b'{"big":130775545883395173}'),
        (ALL * 4096, ALL * 4096),
    ],
    ids=lambda value: f"{type(value).__name__}-{len(value)}",
)
def test_round_trip(queue, raw, given, stored):
    job_id = queue.enqueue(given)
    assert raw("HGET", echomq.keys.job_key(queue.name, job_id), "payload") == stored
    assert queue.job(job_id).payload == stored
    job = queue.claim()
    assert type(job.payload) is bytes
    assert job.payload == stored
    job.complete()
    assert [verdict.outcome for verdict in queue.enqueue_many([given])] == ["enqueued"]
    assert queue.claim().payload == stored


class Indexable:
    def __index__(self):
        return 1


@pytest.mark.parametrize(
    "payload", [None, 5, 1.5, True, [b"x"], {}, object(), array.array("B", b"x")]
)
def test_what_is_neither_bytes_nor_text(queue, raw, payload):
    before = raw.commands()
    named = f"payload must be bytes, bytearray, memoryview or str, not {type(payload).__name__}"
    with pytest.raises(TypeError, match=named):
        queue.enqueue(payload)
    with pytest.raises(TypeError, match="item 1: " + named):
        queue.enqueue_many([b"fine", payload])
    assert raw.commands() == before


def test_text_that_utf8_cannot_carry(queue, raw):
    before = raw.commands()
    with pytest.raises(ValueError, match="payload has a lone surrogate at character 2") as caught:
        queue.enqueue("ab\udcff")
    assert isinstance(caught.value, echomq.InvalidArgumentError)
    with pytest.raises(echomq.InvalidArgumentError, match="item 0: payload has a lone surrogate"):
        queue.enqueue_many(["\ud800"])
    assert raw.commands() == before


def test_a_memoryview_with_gaps(queue, raw):
    before = raw.commands()
    with pytest.raises(echomq.InvalidArgumentError, match="payload is a memoryview that is not"):
        queue.enqueue(memoryview(b"abcd")[::2])
    assert raw.commands() == before


def test_a_released_memoryview(queue):
    view = memoryview(b"abcd")
    view.release()
    with pytest.raises(ValueError):
        queue.enqueue(view)


@pytest.mark.parametrize("token", [0, -1, 2**63, -(2**63) - 1, 10**400])
def test_tokens_out_of_range(queue, raw, token):
    queue.enqueue(b"x")
    job = queue.claim()
    before = raw.commands()
    with pytest.raises(echomq.InvalidArgumentError, match="token"):
        queue.complete(job.id, token)
    assert raw.commands() == before


@pytest.mark.parametrize("token", [None, "1", 1.0, True])
def test_tokens_of_a_wrong_type(queue, token):
    with pytest.raises(TypeError, match="token must be an int"):
        queue.complete(echomq.ids.Minter().mint(), token)


def test_a_token_that_stands_for_an_int(queue):
    queue.enqueue(b"x")
    job = queue.claim()
    assert queue.complete(job.id, Indexable()) == "done"


@pytest.mark.parametrize(
    "lease", [0, -1, float("nan"), float("inf"), -0.001, 31536000.001, 10**400]
)
def test_leases_out_of_range(queue, raw, lease):
    before = raw.commands()
    with pytest.raises(echomq.InvalidArgumentError, match="lease is .* s, 0.001 to 31536000"):
        queue.claim(lease=lease)
    assert raw.commands() == before


@pytest.mark.parametrize("lease", [None, "30", True])
def test_leases_of_a_wrong_type(queue, lease):
    with pytest.raises(TypeError, match="lease must be seconds as a float or an int"):
        queue.claim(lease=lease)


@pytest.mark.parametrize(
    "job_id", ["", "JOB", "JOB0KHTOWnGLuCx", "job0KHTOWnGLuC", "JOBzzzzzzzzzzz", "JOB0KHTOWn\0LuC"]
)
def test_ids_that_are_none(queue, raw, job_id):
    before = raw.commands()
    uses = [
        lambda: queue.enqueue(b"", id=job_id),
        lambda: queue.complete(job_id, 1),
        lambda: queue.state(job_id),
        lambda: queue.job(job_id),
    ]
    for use in uses:
        with pytest.raises(echomq.InvalidArgumentError):
            use()
    assert raw.commands() == before


def test_a_payload_that_is_too_large(queue, raw):
    before = raw.commands()
    huge = memoryview(bytes((512 << 20) + 1))  # zeroed pages that nobody touches
    with pytest.raises(echomq.InvalidArgumentError, match="536870913 bytes"):
        queue.enqueue(huge)
    with pytest.raises(echomq.InvalidArgumentError, match="item 1: .*536870913 bytes"):
        queue.enqueue_many([b"fine", huge])
    assert raw.commands() == before


def test_a_bytearray_cannot_be_resized_during_the_call(silent):
    client = echomq.connect(silent.url)
    payload = bytearray(b"abcdef")
    enqueued = []
    thread = threading.Thread(target=lambda: enqueued.append(client.queue("q").enqueue(payload)))
    thread.start()
    assert silent.asked.wait(10)
    with pytest.raises(BufferError):
        payload.extend(b"more")
    silent.answer(b":1\r\n")
    thread.join(10)
    assert len(enqueued) == 1
    payload.extend(b"more")
