# SPDX-License-Identifier: MIT
import os
import subprocess
import sys
import threading

import pytest
from waiting import WAIT

import echomq
from echomq import ids, keys


def test_an_id_taken_apart():
    parts = ids.decode("USR0KHTOWnGLuC")
    assert parts == ("USR", 274557032793636864, 1769526697641, 0, 0, 234878118)
    assert ids.encode("USR", parts.snowflake) == "USR0KHTOWnGLuC"
    assert ids.snowflake(parts.unix_ms, parts.node, parts.sequence) == parts.snowflake
    assert ids.hash32(parts.snowflake) == parts.hash32
    assert ids.parse(b"USR0KHTOWnGLuC") == "USR0KHTOWnGLuC"


def test_sixty_three_bits():
    assert ids.encode("JOB", 2**63 - 1) == "JOBAzL8n0Y58m7"
    assert ids.decode("JOBAzL8n0Y58m7").snowflake == 2**63 - 1
    assert ids.decode(ids.encode("JOB", 2**53 + 1)).snowflake == 2**53 + 1
    assert ids.hash32(2**64 - 1) < 2**32
    for number in (2**63, 2**64, -1):
        with pytest.raises(echomq.InvalidArgumentError):
            ids.encode("JOB", number)
    for number in ("1", 1.0, None, True):
        with pytest.raises(TypeError):
            ids.encode("JOB", number)
    assert ids.EPOCH_MS == ids.decode("JOB00000000000").unix_ms == 1704067200000


@pytest.mark.parametrize(
    "id", ["", "USRzzzzzzzzzzz", "USR0KHTOWnGLu", "USR0KHTOWnG\0uC", b"\xff" * 14]
)
def test_what_is_no_id(id):
    for function in (ids.parse, ids.decode):
        with pytest.raises(echomq.InvalidArgumentError):
            function(id)


def test_a_minter():
    minter = ids.Minter(node=1023)
    assert minter.node == 1023
    minted = [minter.mint() for _ in range(10000)]
    assert minted == sorted(set(minted))
    assert ids.decode(minted[0]).node == 1023
    at = ids.decode(ids.Minter(node=5).mint_at(1800000000000, "USR"))
    assert (at.name_space, at.unix_ms, at.node, at.sequence) == ("USR", 1800000000000, 5, 0)
    assert 0 <= ids.Minter().node <= 1023
    for node in (-1, 1024):
        with pytest.raises(echomq.InvalidArgumentError):
            ids.Minter(node=node)
    with pytest.raises(echomq.InvalidArgumentError):
        minter.mint("job")


def test_a_minter_between_threads():
    minter = ids.Minter()
    minted = [[] for _ in range(8)]
    threads = [
        threading.Thread(target=lambda own=own: own.extend(minter.mint() for _ in range(2000)))
        for own in minted
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
    assert len(set().union(*minted)) == 16000


def test_the_environment_names_the_node():
    source = "import echomq; print(echomq.ids.Minter().node)"
    run = subprocess.run(
        [sys.executable, "-c", source],
        env={**os.environ, "ECHOMQ_NODE": "77"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "77\n"


def test_keys():
    assert keys.queue_key("orders", "pending") == b"emq:{orders}:pending"
    assert keys.queue_key("é", "") == b"emq:{\xc3\xa9}:"
    assert keys.job_key("q", "JOB0KHTOWnGLuC") == b"emq:{q}:job:JOB0KHTOWnGLuC"
    assert keys.reserve_key("locks") == b"{emq}:locks"
    assert keys.version_key() == b"{emq}:version"
    assert keys.hashtag("emq:{orders}:pending") == b"orders"
    assert keys.slot(b"123456789") == 12739
    assert keys.slot("{emq}:version") == 9051
    assert keys.slot("") == 0
    with pytest.raises(echomq.InvalidArgumentError):
        keys.queue_key("a{b", "pending")
    with pytest.raises(echomq.InvalidArgumentError):
        keys.job_key("q", "none")
    with pytest.raises(echomq.InvalidArgumentError):
        keys.reserve_key("x" * 5000)
