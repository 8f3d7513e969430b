# SPDX-License-Identifier: MIT
import threading
import time

import support
from waiting import WAIT

import echomq


def run_all(target, count):
    failures = []

    def guarded(number):
        try:
            target(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(6 * WAIT)
        assert not thread.is_alive()
    assert failures == []


def test_each_thread_gets_its_own_answers(queue):
    def work(number):
        for turn in range(200):
            payload = b"%d %d" % (number, turn)
            assert queue.job(queue.enqueue(payload)).payload == payload

    run_all(work, 16)
    assert queue.counts("pending") == {"pending": 16 * 200}


def test_no_job_is_claimed_twice(client, queue):
    queue.enqueue_many(b"%d" % number for number in range(1000))
    seen = [[] for _ in range(8)]

    def work(number):
        while True:
            job = queue.claim()
            if job is None:
                return
            seen[number].append(job.payload)
            assert job.complete() == "done"

    run_all(work, 8)
    assert sorted(sum(seen, []), key=int) == [b"%d" % number for number in range(1000)]


def test_other_threads_run_while_one_waits(client, queue, silent):
    """Were the interpreter's lock held, neither this thread nor the silent server's would run."""
    waiting = echomq.connect(silent.url, call_timeout=60).queue("q")
    claimed = []
    thread = threading.Thread(target=lambda: claimed.append(waiting.claim()))
    thread.start()
    assert silent.asked.wait(WAIT)
    for _ in range(100):
        queue.enqueue(b"x")
    assert queue.counts("pending") == {"pending": 100}
    assert thread.is_alive() and claimed == []
    silent.answer(b"*0\r\n")
    thread.join(WAIT)
    assert claimed == [None]


def test_other_threads_run_while_one_connects(folder, queue):
    silent = support.Silent(folder, fence=False)
    clients = []
    thread = threading.Thread(target=lambda: clients.append(echomq.connect(silent.url)))
    thread.start()
    assert silent.asked.wait(WAIT)
    queue.enqueue(b"x")
    assert clients == []
    silent.answer(b"$12\r\nechomq:4.0.0\r\n")
    thread.join(WAIT)
    assert clients[0].identity == "echomq:4.0.0"
    silent.close()


def test_a_frozen_server_freezes_one_thread_only(start_server, queue):
    server = start_server()
    slow = echomq.connect(server.url, call_timeout=60).queue("q")
    slow.enqueue(b"x")
    server.freeze()
    claimed = []
    thread = threading.Thread(target=lambda: claimed.append(slow.claim()))
    thread.start()
    until = time.monotonic() + 0.5
    rounds = 0
    while time.monotonic() < until:
        queue.enqueue(b"x")
        rounds += 1
    assert rounds > 10 and thread.is_alive()
    server.thaw()
    thread.join(WAIT)
    assert claimed[0].payload == b"x"
