# SPDX-License-Identifier: MIT
"""The package as it was installed."""

import importlib.metadata
import pathlib
import shutil
import subprocess
import sys

import pytest

import echomq
from echomq import _echomq

LICENSE = pathlib.Path(__file__).parents[3] / "LICENSE"
PACKAGE = pathlib.Path(echomq.__file__).parent


def test_one_version():
    assert importlib.metadata.version("echomq") == echomq.__version__ == _echomq.emq_version()


def test_every_public_name_is_there():
    for module in (echomq, echomq.errors, echomq.ids):
        for name in module.__all__:
            assert getattr(module, name).__doc__ or name in ("Bytes", "Id", "EPOCH_MS")


def test_public_functions_say_what_they_do():
    for thing in (echomq.Client, echomq.Queue, echomq.Job, echomq.Row, echomq.ids, echomq.keys):
        for name, member in vars(thing).items():
            if not name.startswith("_") and callable(member) and not isinstance(member, type):
                assert member.__doc__ or "typing" in str(member), name


def test_what_is_in_it():
    files = {path.name for path in PACKAGE.iterdir()}
    assert {"py.typed", "_echomq.pyi", "errors.py"} <= files
    assert not [name for name in files if name.endswith((".c", ".h", ".i", ".lua", ".a"))]


@pytest.mark.skipif(not LICENSE.exists(), reason="not in a checkout")
def test_one_license():
    assert LICENSE.read_bytes() == (pathlib.Path(__file__).parents[1] / "LICENSE").read_bytes()


@pytest.mark.skipif(not shutil.which("nm"), reason="nm is not installed")
def test_the_extension_exports_its_entry_point_alone():
    run = subprocess.run(
        ["nm", "-D", "--defined-only", _echomq.__file__], capture_output=True, text=True, check=True
    )
    assert [line.split()[-1] for line in run.stdout.splitlines()] == ["PyInit__echomq"]


CONSUMER = """
from datetime import datetime, timezone
from typing import List, Optional

import echomq
from echomq import Client, StaleError, connect

def work(client: Client) -> Optional[str]:
    queue = client.queue("orders")
    id: str = queue.enqueue(b"x")
    other: Optional[str] = queue.enqueue("x", id=id)
    verdicts: List[echomq.Verdict] = queue.enqueue_many([b"a", "b", bytearray(b"c")])
    if verdicts[0].error is not None:
        raise verdicts[0].error
    job = queue.claim(lease=30)
    if job is None:
        return other
    payload: bytes = job.payload
    token: int = job.token
    try:
        if job.complete(result=payload) == "gone":
            return None
    except StaleError as error:
        code: str = error.code
        text: Optional[str] = error.server_text
        return text or code
    except (echomq.ConnectionError, echomq.TimeoutError, echomq.InvalidArgumentError):
        pass
    with job:
        job.extend(lease=5)
        if job.retry("why", delay=0.5, max_attempts=3) == "dead":
            job.delay(60)
    later: str = queue.enqueue(b"x", at=datetime(2030, 1, 1, tzinfo=timezone.utc))
    jobs: List[echomq.Job] = queue.claim_many(10)
    jobs += []
    both = queue.complete_many([*jobs, (later, 1)]) + queue.extend_many(jobs, lease=1)
    outcome: Optional[str] = both[0].outcome
    recovered, dead = queue.sweep(max_stalled=2)
    ids: List[str] = recovered + dead + queue.browse("scheduled") + queue.check()
    place: echomq.Place = queue.locate(ids[0])
    count: int = queue.promote() + queue.reap() + queue.drain() + place.score_ms + place.sets
    lines: Optional[List[bytes]] = queue.logs(ids[0])
    kept: Optional[int] = queue.add_log(ids[0], "line", keep=count)
    if lines and kept and queue.remove(ids[0], dedup=outcome) == "gone":
        queue.obliterate(progress=print)
    number: int = queue.counts("dead")["dead"] + token + queue.metric("failed")
    row = queue.job(id)
    return row.state if row else queue.state(id) + str(number) + echomq.ids.Minter().mint()

with connect("redis://localhost", executor="auto", call_timeout=1.5) as client:
    work(client)
"""

WRONG = """
import echomq
client = echomq.connect(executor="lua")
client.queue(5)
client.queue("q").enqueue(None)
client.queue("q").enqueue(b"", id=b"").upper()
if client.queue("q").state("") == "done":
    pass
client.queue("q").claim().payload
echomq.NoSuchError
client.queue("q").enqueue(b"", at="2030")
client.queue("q").retry("id", 1, None)
client.queue("q").browse("waiting")
client.queue("q").metric("dead")
client.queue("q").complete_many(["id"])
client.queue("q").logs("id")[0]
client.queue("q").add_log("id", "line") + 1
if client.queue("q").extend("id", 1) == "dead":
    pass
"""


def mypy(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-color-output", *arguments],
        capture_output=True,
        text=True,
    )


@pytest.fixture
def needs_mypy():
    pytest.importorskip("mypy", reason="mypy is not installed")


def test_types_of_the_package(needs_mypy, tmp_path):
    run = mypy("--cache-dir", tmp_path, "-p", "echomq")
    assert run.returncode == 0, run.stdout


def test_types_for_its_users(needs_mypy, tmp_path):
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(CONSUMER)
    wrong.write_text(WRONG)
    run = mypy("--cache-dir", tmp_path, right)
    assert run.returncode == 0, run.stdout
    run = mypy("--cache-dir", tmp_path, wrong)
    lines = {int(line.split(":")[1]) for line in run.stdout.splitlines() if ": error:" in line}
    assert lines == {3, 4, 5, 6, 7, *range(9, 19)}, run.stdout
