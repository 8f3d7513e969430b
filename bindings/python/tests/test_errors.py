# SPDX-License-Identifier: MIT
import pickle
import threading

import pytest
from waiting import WAIT

import echomq
from echomq import _echomq

ROWS = [
    (
        _echomq.emq_error_class_code(index),
        _echomq.emq_error_class_constant(index),
        _echomq.emq_error_class_name(index),
        _echomq.emq_error_class_retriable(index),
        _echomq.emq_error_class_text(index),
    )
    for index in range(_echomq.emq_error_class_count())
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1])
def test_each_row_of_the_table_has_its_class(row):
    status, constant, name, retriable, text = row
    error = getattr(echomq, name + "Error")
    assert issubclass(error, echomq.Error)
    assert error.status == status
    assert error.code == constant.lower()
    assert error.retriable is retriable
    assert error.__doc__.lower() == text.lower() + "."
    made = echomq._error.from_core(status, "message", "said", "a", "b")
    assert type(made) is error
    assert (made.message, made.server_text) == ("message", "said")
    fence = status == _echomq.EMQ_ERR_FENCE
    assert (made.found, made.expected) == (("a", "b") if fence else (None, None))


def test_there_is_no_class_without_a_row():
    names = {name + "Error" for _, _, name, _, _ in ROWS}
    assert set(echomq.errors.__all__) == names | {"Error"}
    assert set(echomq.errors.__all__) <= set(echomq.__all__)


def test_the_extension_fills_every_field(silent):
    """What C hands over, by an error whose text is the server's."""

    def answer():
        silent.asked.wait(WAIT)
        silent.answer(b"-WEIRD \xff text\r\n")

    client = echomq.connect(silent.url)
    thread = threading.Thread(target=answer)
    thread.start()
    with pytest.raises(echomq.Error) as caught:
        client.queue("q").counts()
    thread.join()
    assert type(caught.value) is echomq.ServerError
    assert caught.value.server_text == "WEIRD \\xff text"
    assert caught.value.verdicts == ()


def test_errors_that_are_pythons_own_too():
    assert issubclass(echomq.InvalidArgumentError, ValueError)
    assert issubclass(echomq.NoMemoryError, MemoryError)
    assert issubclass(echomq.ConnectionError, ConnectionError)
    assert issubclass(echomq.TimeoutError, TimeoutError)


@pytest.mark.parametrize("name", echomq.errors.__all__)
def test_errors_can_be_pickled(name):
    error = getattr(echomq, name)("what happened")
    error.server_text = "said"
    error.verdicts = (echomq.Verdict("id", "enqueued", None),)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (again.message, again.server_text) == ("what happened", "said")
    assert again.verdicts == error.verdicts


def test_a_subclass_of_a_users_own_does_not_get_in_the_way(queue):
    class MyStale(echomq.StaleError):
        pass

    queue.enqueue(b"")
    job = queue.claim()
    with pytest.raises(echomq.StaleError) as caught:
        queue.complete(job.id, 9)
    assert type(caught.value) is echomq.StaleError
    assert MyStale.code == "stale"


def test_a_server_that_refuses(start_server):
    server = start_server()
    raw = server.raw()
    queue = echomq.connect(server.url).queue("q")
    queue.enqueue(b"x")
    job = queue.claim()

    raw("CONFIG", "SET", "maxmemory", "1")
    with pytest.raises(echomq.ServerMemoryError) as caught:
        queue.enqueue(bytes(100000))
    assert caught.value.retriable
    assert caught.value.server_text.startswith("OOM")
    raw("CONFIG", "SET", "maxmemory", "0")

    raw("SET", echomq.keys.queue_key("q", "dead"), "text")
    with pytest.raises(echomq.WrongTypeError):
        queue.counts()
    assert queue.counts("active") == {"active": 1}

    raw("ACL", "SETUSER", "narrow", "on", "nopass", "+@all", "~emq:*", "~{emq}:*", "-evalsha")
    with echomq.connect(server.url, username="narrow", password="x") as narrow:
        with pytest.raises(echomq.PermissionError) as caught:
            narrow.queue("q").counts()
        assert not caught.value.retriable
        assert narrow.queue("q").job(job.id).state == "active"
    assert job.complete() == "done"


def test_a_server_that_has_become_a_replica(start_server):
    server = start_server()
    queue = echomq.connect(server.url).queue("q")
    server.raw()("REPLICAOF", "127.0.0.1", "1")
    with pytest.raises(echomq.ReadOnlyError) as caught:
        queue.enqueue(b"x")
    assert caught.value.retriable
