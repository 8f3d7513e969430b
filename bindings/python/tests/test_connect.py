# SPDX-License-Identifier: MIT
import gc
import threading
import time
import weakref

import pytest
import support
from waiting import WAIT

import echomq


def test_what_a_client_says_of_itself(url):
    client = echomq.connect(url, client_name="worker-1", node=7, executor="scripted")
    assert client.identity == "echomq:4.0.0"
    assert client.executor == "scripted"
    assert client.ghosts == 0
    assert not client.closed
    assert repr(client) == "<echomq.Client echomq:4.0.0>"
    job_id = client.queue("said").enqueue(b"")
    assert echomq.ids.decode(job_id).node == 7


def test_the_client_name_arrives(url, raw):
    with echomq.connect(url, client_name="worker-1"):
        assert b"name=worker-1 " in raw("CLIENT", "LIST")


def test_a_context_manager_closes(url):
    with echomq.connect(url) as client:
        assert client.queue("q").counts("dead") == {"dead": 0}
    assert client.closed
    with pytest.raises(KeyError), echomq.connect(url) as client:
        raise KeyError
    assert client.closed


def test_close_twice_and_use_after(client, queue):
    client.close()
    client.close()
    assert client.closed
    assert repr(client) == "<echomq.Client closed>"
    assert client.identity == "echomq:4.0.0"
    job_id = echomq.ids.Minter().mint()
    uses = [
        lambda: client.queue("q"),
        lambda: queue.enqueue(b""),
        lambda: queue.enqueue(b"", id=job_id),
        lambda: queue.enqueue_many([b""]),
        lambda: queue.claim(),
        lambda: queue.counts(),
        lambda: queue.enqueue(b"", delay=1),
        lambda: queue.enqueue(b"", id=job_id, at=1),
        lambda: queue.claim_many(1),
        lambda: queue.complete(job_id, 1),
        lambda: queue.retry(job_id, 1, "no"),
        lambda: queue.delay(job_id, 1, 1),
        lambda: queue.extend(job_id, 1),
        lambda: queue.complete_many([(job_id, 1)]),
        lambda: queue.extend_many([(job_id, 1)]),
        lambda: queue.promote(),
        lambda: queue.reap(),
        lambda: queue.sweep(),
        lambda: queue.update_data(job_id, b""),
        lambda: queue.update_progress(job_id, ""),
        lambda: queue.add_log(job_id, ""),
        lambda: queue.logs(job_id),
        lambda: queue.remove(job_id),
        lambda: queue.reprocess(job_id),
        lambda: queue.pause(),
        lambda: queue.resume(),
        lambda: queue.drain(),
        lambda: queue.obliterate(),
        lambda: queue.state(job_id),
        lambda: queue.job(job_id),
        lambda: queue.browse("pending"),
        lambda: queue.browse("active"),
        lambda: queue.depth(),
        lambda: queue.dedup("x"),
        lambda: queue.metric("failed"),
        lambda: queue.locate(job_id),
        lambda: queue.check(),
    ]
    for use in uses:
        with pytest.raises(echomq.ClosedError):
            use()


def test_close_ends_a_call_of_another_thread(silent):
    client = echomq.connect(silent.url)
    raised = []

    def claim():
        try:
            client.queue("q").claim()
        except echomq.Error as error:
            raised.append(error)

    thread = threading.Thread(target=claim)
    thread.start()
    assert silent.asked.wait(WAIT)
    closed_at = time.monotonic()
    client.close()
    assert time.monotonic() - closed_at < 0.1
    thread.join(WAIT)
    assert time.monotonic() - closed_at < 1.0
    assert isinstance(raised[0], echomq.ClosedError)


def test_the_collector_closes_the_connection(url, raw):
    client = echomq.connect(url, client_name="collected")
    alive = weakref.ref(client)
    queue = client.queue("q")
    del client
    gc.collect()
    assert alive() is not None, "a queue keeps its client"
    assert b"name=collected " in raw("CLIENT", "LIST")
    del queue
    gc.collect()
    assert alive() is None
    until = time.monotonic() + WAIT
    while b"name=collected " in raw("CLIENT", "LIST"):
        assert time.monotonic() < until


@pytest.mark.parametrize(
    "arguments, text",
    [
        ({"url": "http://x"}, "the URL does not start with"),
        ({"url": "unix:///x?db=-1"}, "the URL's database"),
        ({"executor": "lua"}, "executor is 'lua'; it may be auto, scripted, native"),
        ({"node": -1}, "node is -1, 0 to 1023 are allowed"),
        ({"node": 1024}, "node is 1024, 0 to 1023 are allowed"),
        ({"connect_timeout": 0}, "connect_timeout"),
        ({"connect_timeout": float("nan")}, "connect_timeout"),
        ({"call_timeout": -1.0}, "call_timeout"),
        ({"call_timeout": 1e10}, "call_timeout"),
        ({"call_timeout": 10**400}, "call_timeout"),
        ({"call_timeout": float("inf")}, "call_timeout"),
        ({"identity": ""}, "identity"),
        ({"identity": "x" * 256}, "identity"),
        ({"client_name": "a b"}, "client.name"),
        ({"password": "\udcff"}, "password has a lone surrogate at character 0"),
    ],
)
def test_refused_arguments(folder, arguments, text):
    # The path has no server: a refusal that came too late would be a ConnectionError.
    with pytest.raises(echomq.InvalidArgumentError, match=text):
        echomq.connect(**{"url": f"unix://{folder}/none", **arguments})


@pytest.mark.parametrize(
    "arguments",
    [
        {"url": 5},
        {"password": 5},
        {"node": "1"},
        {"node": 1.0},
        {"call_timeout": "1"},
        {"call_timeout": None},
        {"connect_timeout": True},
        {"executor": [1]},
        {"executor": None},
    ],
)
def test_arguments_of_a_wrong_type(folder, arguments):
    # The message names the argument, which a URL's own words do.
    with pytest.raises(TypeError, match="|".join(arguments)):
        echomq.connect(**{"url": f"unix://{folder}/none", **arguments})


def test_no_server(folder):
    with pytest.raises(ConnectionError) as caught:
        echomq.connect(f"unix://{folder}/none")
    assert isinstance(caught.value, echomq.ConnectionError)
    assert caught.value.retriable
    assert "none" in caught.value.message


def test_tls_is_refused_plainly():
    with pytest.raises(echomq.UnsupportedError, match="TLS"):
        echomq.connect("rediss://localhost")


def test_a_server_that_does_not_answer(folder):
    silent = support.Silent(folder, fence=False)
    began = time.monotonic()
    with pytest.raises(TimeoutError) as caught:
        echomq.connect(silent.url, connect_timeout=0.2)
    assert 0.19 <= time.monotonic() - began < 1.0
    assert isinstance(caught.value, echomq.TimeoutError)
    silent.close()


def test_passwords(start_server):
    server = start_server("--requirepass", "p@ss:w/rd%")
    with echomq.connect(server.url, password="p@ss:w/rd%") as client:
        assert client.queue("q").counts("dead") == {"dead": 0}
    with echomq.connect(server.url, username="default", password=b"p@ss:w/rd%"):
        pass
    with echomq.connect(server.url + "&password=p%40ss%3Aw%2Frd%25"):
        pass
    for arguments in ({}, {"password": "p@ss"}, {"username": "x", "password": "p@ss:w/rd%"}):
        with pytest.raises(echomq.AuthError) as caught:
            echomq.connect(server.url, **arguments)
        assert caught.value.server_text
        assert "p@ss" not in str(caught.value)


def test_a_foreign_store_is_left_alone(start_server):
    server = start_server()
    raw = server.raw()
    raw("SET", "{emq}:version", "echomq:9.9.9")
    with pytest.raises(echomq.FenceError) as caught:
        echomq.connect(server.url)
    assert caught.value.found == "echomq:9.9.9"
    assert caught.value.expected == "echomq:4.0.0"
    assert not caught.value.retriable
    assert "echomq:9.9.9" in caught.value.message and "echomq:4.0.0" in caught.value.message
    assert raw("DBSIZE") == 1
    assert raw("GET", "{emq}:version") == b"echomq:9.9.9"
    with echomq.connect(server.url, identity="echomq:9.9.9") as client:
        assert client.identity == "echomq:9.9.9"


def test_an_empty_store_is_claimed(start_server):
    server = start_server()
    with echomq.connect(server.url):
        assert server.raw()("GET", "{emq}:version") == b"echomq:4.0.0"


def test_a_killed_connection_is_opened_again(client, queue, raw):
    for kind in ("enqueue", "read"):
        raw("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        if kind == "enqueue":
            assert queue.state(queue.enqueue(b"x")) == "pending"
        else:
            assert queue.counts("pending") == {"pending": 1}
