# SPDX-License-Identifier: MIT
"""What a restricted user needs. The grants are those of the README, each of them needed."""

import pathlib
import re

import pytest
import resp
import scenes
import servers
import wire

import echomq

README = (pathlib.Path(__file__).parent / "README.md").read_text()
GRANTS = re.search(r"`ACL SETUSER <name> on ><password> ([^`]+)`", README)[1].split()
COMMANDS = [grant for grant in GRANTS if grant.startswith("+")]


@pytest.fixture(scope="module")
def server():
    server = servers.Server()
    yield server
    server.stop()


@pytest.fixture
def admin(server):
    raw = server.raw()
    raw("FLUSHALL")
    yield raw


def user(admin, *grants):
    admin("ACL", "SETUSER", "worker", "reset", "on", ">pw", *grants)


def connect(server, db=0):
    url = server.url.replace("db=0", f"db={db}")
    return echomq.connect(url, username="worker", password="pw", client_name="w")


def use_everything(server, admin):
    """Every call of the client once. Returns the refusals."""
    try:
        connect(server, db=1).close()
        client = connect(server)
    except echomq.PermissionError as error:
        return [str(error)]
    refusals = []
    with client:
        queue = client.queue("q")
        ids = [wire.job_id(number) for number in range(9)]
        held = []
        calls = [
            lambda: [queue.enqueue(b"", id=id) for id in ids],
            lambda: queue.enqueue(b""),
            lambda: queue.enqueue(b"", delay=0),
            lambda: queue.enqueue(b"", delay=1),
            lambda: queue.enqueue_many([b""] * 3),
            lambda: held.append(queue.claim()),
            lambda: held.extend(queue.claim_many(6)),
            lambda: held[0].extend(),
            lambda: queue.extend_many(held),
            lambda: held[0].complete(),
            lambda: held[1].retry("why"),
            lambda: held[2].retry("why", max_attempts=1),
            lambda: held[3].delay(0.0),
            lambda: queue.complete_many(held[4:5]),
            queue.promote,
            queue.reap,
            queue.sweep,
            lambda: queue.update_data(ids[8], b"1"),
            lambda: queue.update_progress(ids[8], "1"),
            lambda: queue.add_log(ids[8], b"1", keep=1),
            lambda: queue.logs(ids[8]),
            lambda: queue.reprocess(held[2].id),
            lambda: queue.remove(ids[8], dedup="d"),
            queue.counts,
            lambda: queue.state(ids[1]),
            lambda: queue.job(ids[1]),
            lambda: queue.browse("pending"),
            queue.depth,
            lambda: queue.dedup("d"),
            lambda: queue.metric("completed"),
            lambda: queue.locate(ids[1]),
            queue.check,
            queue.pause,
            queue.resume,
            lambda: queue.drain(scheduled=True),
            queue.pause,
            lambda: queue.obliterate(force=True),
        ]
        for call in calls:
            try:
                call()
            except (echomq.Error, AttributeError, IndexError, TypeError) as error:
                refusals.append(str(error))
    # Lanes and flows, which the client does not make yet, are settled by it all the same.
    raw = resp.Raw(server.url)
    raw("AUTH", "worker", "pw")
    for name, build in sorted(scenes.SCENES.items()):
        keys = wire.Keys("scene-" + name)
        call = build(admin, keys)
        admin("SCRIPT", "LOAD", wire.source(call.script))
        try:
            wire.run_by_digest(raw, call.script, call.keys, call.args)
        except resp.Refused as error:
            refusals.append(f"{name}: {error}")
    raw.close()
    return refusals


def test_the_grants_suffice(server, admin):
    user(admin, *GRANTS)
    assert use_everything(server, admin) == []
    assert admin("ACL", "LOG") == []


@pytest.mark.parametrize(
    "grant", [grant for grant in GRANTS if grant not in ("-@all", "resetchannels")]
)
def test_each_grant_is_needed(server, admin, grant):
    user(admin, *[other for other in GRANTS if other != grant])
    admin("SCRIPT", "FLUSH")
    admin("ACL", "LOG", "RESET")
    refusals = use_everything(server, admin)
    assert refusals or grant in OPTIONAL
    assert admin("ACL", "LOG")


# A client without it goes without its name.
OPTIONAL = {"+client|setname"}


def test_a_pattern_of_queues_does_not_cover_the_fence(server, admin):
    user(admin, *[grant for grant in GRANTS if "version" not in grant])
    with pytest.raises(echomq.PermissionError, match="{emq}:version"):
        connect(server)
    assert admin("DBSIZE") == 0


def test_other_queues_are_out_of_reach(server, admin):
    user(admin, *[grant.replace("emq:*", "emq:{mine}:*") for grant in GRANTS])
    with connect(server) as client:
        assert client.queue("mine").enqueue(b"")
        with pytest.raises(echomq.PermissionError):
            client.queue("other").enqueue(b"")
        assert admin("KEYS", "emq:{other}:*") == []
        assert client.queue("mine").claim().complete() == "done"


def test_a_user_without_the_channel_writes_no_progress(server, admin):
    """A script is not rolled back: what may be refused comes before what is written."""
    user(admin, *(grant for grant in GRANTS if not grant.startswith("&")), "resetchannels")
    with connect(server) as client:
        queue = client.queue("q")
        id = queue.enqueue(b"x")
        with pytest.raises(echomq.PermissionError):
            queue.update_progress(id, "50")
        assert "progress" not in queue.job(id).fields
