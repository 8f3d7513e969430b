# SPDX-License-Identifier: MIT
import pytest

import echomq


def test_verdicts_in_order(queue):
    payloads = [b"%d" % number for number in range(100)]
    verdicts = queue.enqueue_many(payloads)
    assert [verdict.outcome for verdict in verdicts] == ["enqueued"] * 100
    assert all(verdict.error is None for verdict in verdicts)
    ids = [verdict.id for verdict in verdicts]
    assert ids == sorted(set(ids))
    jobs = [queue.claim() for _ in payloads]
    assert [(job.id, job.payload) for job in jobs] == list(zip(ids, payloads))
    assert queue.claim() is None


def test_any_iterable(queue):
    assert queue.enqueue_many([]) == []
    assert queue.enqueue_many(iter(())) == []
    assert len(queue.enqueue_many(("a", b"b"))) == 2
    assert len(queue.enqueue_many({b"c": 1})) == 1
    assert len(queue.enqueue_many(b"%d" % number for number in range(2500))) == 2500
    assert queue.counts("pending") == {"pending": 2503}


def test_flushes_are_bounded(queue, raw):
    """Few round trips for many payloads, and an iterator is not read far ahead of what is sent."""
    pending = echomq.keys.queue_key(queue.name, "pending")
    sent = []

    def payloads():
        for _ in range(12):
            sent.append(raw("ZCARD", pending))
            yield bytes(1 << 20)

    assert len(queue.enqueue_many(payloads())) == 12
    assert sent == [0, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8]


@pytest.mark.parametrize("payloads", ["abc", b"abc", bytearray(b"abc"), memoryview(b"abc")])
def test_one_payload_is_no_iterable_of_payloads(queue, payloads):
    with pytest.raises(TypeError, match="payloads must be an iterable of payloads"):
        queue.enqueue_many(payloads)


@pytest.mark.parametrize("kind", [list, tuple])
def test_of_a_list_all_is_checked_first(queue, raw, kind):
    payloads = [b"x"] * 2100 + [None]
    before = raw.commands()
    with pytest.raises(TypeError, match="item 2100: "):
        queue.enqueue_many(kind(payloads))
    assert raw.commands() == before


@pytest.mark.parametrize(
    "bad, error",
    [(None, TypeError), ("\udcff", echomq.InvalidArgumentError)],
    ids=["type", "value"],
)
def test_of_an_iterator_what_was_sent_is_told(queue, bad, error):
    with pytest.raises(error, match="item 2100: ") as caught:
        queue.enqueue_many(iter([b"x"] * 2100 + [bad]))
    verdicts = caught.value.verdicts
    assert [verdict.outcome for verdict in verdicts] == ["enqueued"] * 2000
    assert queue.counts("pending") == {"pending": 2000}
    assert queue.state(verdicts[-1].id) == "pending"


def test_a_list_that_changes_meanwhile(queue):
    class Changing(bytearray):
        def __len__(self):
            payloads.clear()
            return super().__len__()

    payloads = [Changing(b"a"), b"b", b"c"]
    assert len(queue.enqueue_many(payloads)) == 3


def test_the_servers_refusals_are_verdicts(queue, raw):
    raw("SET", echomq.keys.queue_key(queue.name, "pending"), "a string")
    verdicts = queue.enqueue_many([b"a", b"b"])
    for verdict in verdicts:
        assert verdict.outcome is None
        assert isinstance(verdict.error, echomq.WrongTypeError)
        assert "WRONGTYPE" in verdict.error.server_text


def test_a_flushed_script_cache(client, queue, raw):
    raw("SCRIPT", "FLUSH")
    first = queue.enqueue(b"0")
    raw("SCRIPT", "FLUSH")
    verdicts = queue.enqueue_many(b"%d" % number for number in range(1, 101))
    assert [verdict.outcome for verdict in verdicts] == ["enqueued"] * 100
    for call in (queue.claim, queue.counts, lambda: queue.state(first)):
        raw("SCRIPT", "FLUSH")
        call()
    raw("SCRIPT", "FLUSH")
    assert [queue.claim().payload for _ in range(100)] == [b"%d" % n for n in range(1, 101)]


def test_a_cache_flushed_within_a_batch(queue, raw):
    def payloads():
        for number in range(3000):
            if number % 500 == 250:
                raw("SCRIPT", "FLUSH")
            yield b"%d" % number

    verdicts = queue.enqueue_many(payloads())
    assert [verdict.outcome for verdict in verdicts] == ["enqueued"] * 3000
    assert queue.counts("pending") == {"pending": 3000}
    assert [queue.claim().payload for _ in range(20)] == [b"%d" % n for n in range(20)]


def test_a_connection_that_fails_for_good(start_server):
    server = start_server()
    client = echomq.connect(server.url, connect_timeout=0.5, call_timeout=5)
    queue = client.queue("q")

    def payloads():
        for number in range(2500):
            if number == 1500:
                server.stop()
            yield b"x"

    with pytest.raises(echomq.Error) as caught:
        queue.enqueue_many(payloads())
    verdicts = caught.value.verdicts
    assert [verdict.outcome for verdict in verdicts[:1000]] == ["enqueued"] * 1000
    assert len(verdicts) == 2000, "what was never tried has no verdict"
    assert all(isinstance(verdict.error, echomq.Error) for verdict in verdicts[1000:])


def test_a_reply_that_never_comes(silent):
    client = echomq.connect(silent.url, call_timeout=0.3)
    with pytest.raises(echomq.Error) as caught:
        client.queue("q").enqueue_many([b"a", b"b"])
    assert [type(verdict.error) for verdict in caught.value.verdicts] == [
        echomq.UnknownOutcomeError
    ] * 2
