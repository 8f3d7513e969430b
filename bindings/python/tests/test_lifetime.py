# SPDX-License-Identifier: MIT
import copy
import gc
import os
import pickle
import sys

import children
import pytest

import echomq
from echomq import _echomq


def resident():
    """This process's memory in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grows(work, warm, rounds):
    for _ in range(warm):
        work()
    gc.collect()
    before = resident()
    for _ in range(rounds):
        work()
    gc.collect()
    return resident() - before


def test_memory_is_flat_over_jobs(queue):
    payload, text = os.urandom(10000), "é" * 5000

    def work():
        queue.enqueue(payload)
        queue.enqueue(text + str(os.getpid()))
        for _ in range(2):
            job = queue.claim()
            queue.job(job.id)
            queue.state(job.id)
            job.complete(result=bytearray(payload))

    # Kept, each round's 40 KB would be 80 MB.
    assert grows(work, 300, 2000) < 4 << 20


def test_memory_is_flat_over_batches(queue):
    payloads = [os.urandom(1000) for _ in range(100)]

    def work():
        queue.enqueue_many(payloads)
        queue.enqueue_many(iter(payloads))
        while queue.claim() is not None:
            pass

    assert grows(work, 5, 50) < 4 << 20


def test_memory_is_flat_over_lists(queue):
    payloads = [os.urandom(1000) for _ in range(100)]

    def work():
        queue.enqueue_many(payloads)
        jobs = queue.claim_many(100)
        queue.extend_many(jobs)
        queue.complete_many([*jobs[:50], *((job.id, 99) for job in jobs[50:])])
        queue.browse("active")
        queue.add_log(jobs[-1].id, payloads[0])
        queue.logs(jobs[-1].id)
        queue.locate(jobs[-1].id)
        queue.complete_many(jobs)
        queue.enqueue_many(payloads)
        for job in queue.claim_many(100, lease=0.001):
            queue.dedup(job.id)
        queue.sweep(max_stalled=2)
        queue.sweep(max_stalled=1)
        queue.check()
        queue.pause()
        queue.obliterate(force=True)

    assert grows(work, 5, 50) < 4 << 20


def test_memory_is_flat_over_errors(queue):
    queue.enqueue(b"x")
    job = queue.claim()
    big = bytearray(10000)

    def work():
        for call in (
            lambda: queue.complete(job.id, 99, big),
            lambda: queue.enqueue(big, id="none"),
            lambda: queue.enqueue(None),
            lambda: queue.enqueue("\ud800" * 10000),
            lambda: queue.counts("none"),
            lambda: queue.retry(job.id, 99, big),
            lambda: queue.retry(job.id, 1, "\ud800" * 10000, max_attempts=0),
            lambda: queue.complete_many([job, None]),
            lambda: queue.complete_many([(job.id, 99)]),
            lambda: queue.remove("none", dedup=big),
            lambda: queue.browse("none"),
            lambda: queue.obliterate(),
        ):
            try:
                call()
            except (echomq.Error, TypeError):
                pass

    assert grows(work, 300, 2000) < 4 << 20


def test_memory_is_flat_over_clients(url):
    def work():
        client = echomq.connect(url)
        client.queue("q").counts("dead")
        echomq.ids.Minter().mint()
        if work.turn % 2:
            client.close()
        work.turn += 1

    work.turn = 0
    assert grows(work, 50, 300) < 2 << 20
    assert len(os.listdir("/proc/self/fd")) < 100


def test_any_order_of_going_away(url):
    client = echomq.connect(url)
    queue = client.queue("going")
    queue.enqueue(b"x")
    job = queue.claim()
    del client, queue
    gc.collect()
    assert job.complete() == "done"


def test_handles_are_refused_for_what_they_are_not(client):
    handle = _echomq.emq_minter_new(-1)
    for other in (None, handle, object(), 5):
        with pytest.raises(TypeError, match="client must be a handle of emq_client"):
            _echomq.emq_client_closed(other)


def test_clients_are_neither_copied_nor_pickled(client, queue):
    for thing in (client, queue, echomq.ids.Minter()):
        for attempt in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError):
                attempt(thing)


def test_a_call_that_fails_leaves_no_reference(queue):
    payload = bytes(1000)
    before = sys.getrefcount(payload), sys.getrefcount(None)
    for _ in range(1000):
        with pytest.raises(echomq.InvalidArgumentError):
            queue.complete("none", 1, payload)
        queue.complete(echomq.ids.Minter().mint(), 1, payload)
    assert sys.getrefcount(payload) == before[0]
    assert abs(sys.getrefcount(None) - before[1]) < 500


INTERPRETERS = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import echomq
queue = echomq.connect(sys.argv[1]).queue("interpreters")
queue.enqueue(b"x")
inner = '''
import sys
try:
    import echomq
except ImportError as error:
    assert sys.version_info >= (3, 12) and "does not support" in str(error)
else:
    queue = echomq.connect(%r).queue("interpreters")
    queue.enqueue(b"x")
    try:
        queue.enqueue(b"", id="none")
    except echomq.InvalidArgumentError as error:
        assert isinstance(error, ValueError)
''' % sys.argv[1]
for _ in range(3):
    each = interpreters.create()
    failed = interpreters.run_string(each, inner)
    assert failed is None, failed
    interpreters.destroy(each)
try:
    queue.enqueue(b"", id="none")
except echomq.InvalidArgumentError:
    print(queue.state(queue.enqueue(b"x")))
"""


def test_interpreters_within_one_process(url):
    """They work, or are refused in so many words, where each has a lock of its own."""
    assert children.run_script(INTERPRETERS, url) == "pending\n"
