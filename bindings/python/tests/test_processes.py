# SPDX-License-Identifier: MIT
"""Forks, signals, and the interpreter's end: each in a process of its own."""

import signal
import time

import children
import pytest
import support
from waiting import WAIT

CONNECT = """
import os, signal, sys, threading, time
import echomq
client = echomq.connect(sys.argv[1], call_timeout=30)
queue = client.queue("processes")
"""

CLAIM = """
try:
    print("claimed", queue.claim())
except BaseException as error:
    print(type(error).__name__, error)
print("after", flush=True)
"""


@pytest.fixture
def begin(start_script):
    """Starts a script and waits until its call is under way."""

    def begin(source, silent):
        process = start_script(CONNECT + source, silent.url)
        assert silent.asked.wait(WAIT)
        return process

    return begin


def end(process):
    return children.end_script(process).splitlines()


# ---- forks ----

FORK = """
def work(name):
    for turn in range(100):
        payload = b"%d %d" % (name, turn)
        job_id = queue.enqueue(payload)
        assert queue.job(job_id).payload == payload
        assert echomq.ids.parse(job_id) not in seen
        seen.add(job_id)

seen = set()
work(0)
children = []
for name in range(1, 5):
    pid = os.fork()
    if pid == 0:
        try:
            work(name)
            assert queue.claim().complete() == "done"
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
    children.append(pid)
work(5)
for pid in children:
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
print(sorted(queue.counts("pending", "completed").items()))
"""


def test_parent_and_children_use_what_they_had(start_server):
    server = start_server()
    out = children.run_script(CONNECT + FORK, server.url)
    assert out == "[('completed', 4), ('pending', 596)]\n"


FORK_WHILE_BUSY = """
import warnings
warnings.simplefilter("ignore", DeprecationWarning)  # this is what it warns of

def enqueue():
    while not stop:
        queue.enqueue(b"x" * 200000)
        queue.enqueue_many([b"y"] * 50)

stop = False
threads = [threading.Thread(target=enqueue) for _ in range(2)]
for thread in threads:
    thread.start()
for turn in range(40):
    pid = os.fork()
    if pid == 0:
        try:
            assert queue.job(queue.enqueue(b"child")).payload == b"child"
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
stop = True
for thread in threads:
    thread.join()
print("done")
"""


def test_a_fork_while_other_threads_are_in_calls(start_server):
    assert children.run_script(CONNECT + FORK_WHILE_BUSY, start_server().url) == "done\n"


FORK_AND_LEAVE = """
queue.enqueue(b"x")
pid = os.fork()
if pid == 0:
    client.close()
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
print(queue.counts("pending"))
"""


def test_a_child_that_closes_leaves_the_parents_connection(start_server):
    server = start_server()
    raw = server.raw()
    raw("CONFIG", "RESETSTAT")
    assert children.run_script(CONNECT + FORK_AND_LEAVE, server.url) == "{'pending': 1}\n"
    stats = raw("INFO", "stats").decode()
    assert "total_connections_received:1\r" in stats, "the parent did not have to connect again"


POOL = """
import multiprocessing, sys
import echomq

def enqueue(number):
    with echomq.connect(sys.argv[1]) as client:
        return client.queue("pool").enqueue(b"%d" % number)

if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(4) as pool:
        print(len(set(pool.map(enqueue, range(40)))))
"""


def test_a_pool(start_server):
    assert children.run_script(POOL, start_server().url) == "40\n"


# ---- signals ----


def test_an_interrupt_ends_a_call_at_once(silent, begin):
    process = begin(CLAIM, silent)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert end(process) == ["KeyboardInterrupt ", "after"]
    assert time.monotonic() - sent < 1.0


def test_an_interrupt_ends_connecting(folder, start_script):
    silent = support.Silent(folder, fence=False)
    source = """
import sys, echomq
try:
    echomq.connect(sys.argv[1], connect_timeout=60)
except KeyboardInterrupt:
    print("interrupted")
"""
    process = start_script(source, silent.url)
    assert silent.asked.wait(WAIT)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert end(process) == ["interrupted"]
    assert time.monotonic() - sent < 1.0
    silent.close()


def test_an_interrupt_while_the_server_is_frozen(start_server, start_script):
    server = start_server()
    source = """
print("ready", flush=True)
sys.stdin.readline()
try:
    print("asking", flush=True)
    while True:
        queue.claim()
except KeyboardInterrupt:
    print("interrupted")
"""
    process = start_script(CONNECT + source, server.url)
    assert process.stdout.readline() == "ready\n"
    server.freeze()
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "asking\n"
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert end(process) == ["interrupted"]
    assert time.monotonic() - sent < 1.0


def test_a_handler_runs_during_the_call_which_goes_on(silent, begin):
    source = """
# Written past the buffer: the next signal may come while print() is still at work.
signal.signal(signal.SIGUSR1, lambda *_: os.write(1, b"handled\\n"))
print("claimed", queue.claim())
"""
    process = begin(source, silent)
    for _ in range(3):
        process.send_signal(signal.SIGUSR1)
        assert process.stdout.readline() == "handled\n"
    silent.answer(b"*3\r\n$14\r\nJOB0KHTOWnGLuC\r\n$1\r\nx\r\n:1\r\n")
    assert end(process) == ["claimed <echomq.Job JOB0KHTOWnGLuC of 'processes' token=1>"]


def test_what_a_handler_raises_comes_out_of_the_call(silent, begin):
    source = """
class Stop(Exception): pass
def stop(*_): raise Stop("by a signal")
signal.signal(signal.SIGTERM, stop)
try:
    queue.enqueue(b"x")
except Stop as error:
    print("stopped", error, error.__context__)
"""
    process = begin(source, silent)
    process.send_signal(signal.SIGTERM)
    assert end(process) == ["stopped by a signal None"]


def test_a_handler_may_use_another_client(silent, url, begin):
    source = f"""
other = echomq.connect({url!r}).queue("handler")
def handle(*_):
    print(other.counts("dead"), flush=True)
    try:
        queue.claim()
    except echomq.UnsupportedError:
        print("not this one", flush=True)
signal.signal(signal.SIGUSR1, handle)
print("claimed", queue.claim())
"""
    process = begin(source, silent)
    process.send_signal(signal.SIGUSR1)
    assert process.stdout.readline() == "{'dead': 0}\n"
    assert process.stdout.readline() == "not this one\n"
    silent.answer(b"*0\r\n")
    assert end(process) == ["claimed None"]


def test_an_interrupt_reaches_the_main_thread_beside_a_waiting_one(silent, begin):
    source = """
try:
    threading.Thread(target=lambda: print("claimed", queue.claim())).start()
    while True:
        signal.pause()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = begin(source, silent)
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n"
    silent.answer(b"*0\r\n")
    assert end(process) == ["claimed None"]


def test_no_handler_of_the_process_is_touched(url):
    source = """
import signal, sys
def caught():
    with open("/proc/self/status") as file:
        return [line for line in file if line.startswith(("SigBlk", "SigIgn", "SigCgt"))]
def mine(*_): print("mine")
signal.signal(signal.SIGINT, mine)
before = caught()
import echomq
assert caught() == before
queue = echomq.connect(sys.argv[1]).queue("signals")
queue.claim()
assert caught() == before
assert signal.getsignal(signal.SIGINT) is mine
signal.raise_signal(signal.SIGINT)
"""
    assert children.run_script(source, url) == "mine\n"


# ---- the end ----


@pytest.mark.parametrize("turn", range(10))
def test_the_end_with_a_daemon_thread_in_a_call(silent, turn, begin):
    source = """
threading.Thread(target=queue.claim, daemon=True).start()
sys.stdin.readline()
"""
    process = begin(source, silent)
    process.stdin.write("\n")
    assert end(process) == []


def test_the_end_with_everything_open(url):
    source = """
queue.enqueue(b"x")
job = queue.claim()
clients = [echomq.connect(sys.argv[1]) for _ in range(10)]
minter = echomq.ids.Minter()
cycle = [client, queue, job]
cycle.append(cycle)
"""
    assert children.run_script(CONNECT + source, url) == ""


def test_killing_the_connection_spares_the_process(start_server, start_script):
    server = start_server()
    source = """
for line in sys.stdin:
    try:
        print("enqueued", len(queue.enqueue(b"x" * 100000)), flush=True)
    except echomq.Error as error:
        print("failed", error, flush=True)
"""
    process = start_script(CONNECT + source, server.url)
    for _ in range(5):
        server.raw()("CLIENT", "KILL", "TYPE", "normal")
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "enqueued 14\n"
    assert end(process) == []
