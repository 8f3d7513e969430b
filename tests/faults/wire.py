# SPDX-License-Identifier: MIT
"""The wire without the library: the scripts as the build composes them, and a queue's keys as they
are in the store. `raw` is a connection of tests/support/python/resp.py."""

import functools
import hashlib
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "core" / "scripts"


@functools.cache
def source(name):
    """A script's text: what its line `-- include a, b` names stands before it."""
    text = (SCRIPTS / f"{name}.lua").read_text("ascii")
    line = re.search(r"^-- include (.+)$", text, re.MULTILINE)
    parts = line[1].split(", ") if line else []
    return (
        "".join((SCRIPTS / "include" / f"{part}.lua").read_text("ascii") for part in parts) + text
    )


def scripts():
    return sorted(path.stem for path in SCRIPTS.glob("*.lua"))


def run(raw, name, keys, args):
    """Runs one of the scripts."""
    return raw("EVAL", source(name), len(keys), *keys, *args)


def run_by_digest(raw, name, keys, args):
    digest = hashlib.sha1(source(name).encode()).hexdigest()
    return raw("EVALSHA", digest, len(keys), *keys, *args)


# ---- a queue's keys ----

JOB = "JOB0NgWd%06d"


def job_id(number):
    """A job id; a larger number's sorts behind."""
    return JOB % number


class Keys:
    """The keys of one queue: ``keys.pending``, ``keys("metrics:failed")``, ``keys.row(id)``."""

    def __init__(self, queue):
        self.base = "emq:{%s}:" % queue
        self.pending, self.active = self("pending"), self("active")
        self.schedule, self.dead = self("schedule"), self("dead")
        self.meta = self("meta")

    def __call__(self, kind):
        return self.base + kind

    def row(self, id, below=""):
        return self.base + "job:" + id + below

    def lane(self, group):
        return self("g:%s:pending" % group)


READS = {
    "string": lambda key: ("GET", key),
    "hash": lambda key: ("HGETALL", key),
    "list": lambda key: ("LRANGE", key, 0, -1),
    "set": lambda key: ("SMEMBERS", key),
    "stream": lambda key: ("XRANGE", key, "-", "+"),
    "zset": lambda key: ("ZRANGE", key, 0, -1, "WITHSCORES"),
}


def dump(raw, keys):
    """Everything that a queue has in the store: {key: (type, content)}."""
    # A queue's name may hold what a pattern means something by.
    pattern = re.sub(r"([\\*?\[\]])", r"\\\1", keys.base) + "*"
    names = sorted(raw("KEYS", pattern))
    kinds = raw.pipeline([("TYPE", name) for name in names])
    contents = raw.pipeline([READS[kind](name) for name, kind in zip(names, kinds)])
    found = {}
    for name, kind, content in zip(names, kinds, contents):
        if kind in ("hash", "zset"):
            content = dict(zip(content[::2], content[1::2]))
        found[name.decode()] = (kind, sorted(content) if kind == "set" else content)
    return found


# ---- the invariant ----

STATES = {"pending": b"pending", "active": b"active", "schedule": b"scheduled", "dead": b"dead"}


def offences(raw, keys):
    """What a sound queue does not have: an id in no set or in two, a row that says otherwise than
    its set, a member without a row, attempts that are no number. One line each."""
    store = dump(raw, keys)
    places = {}
    for name, (kind, content) in store.items():
        short = name[len(keys.base) :]
        if kind == "zset" and (short in STATES or re.fullmatch(r"g:.*:pending", short)):
            for member in content:
                places.setdefault(member.decode(), []).append(short)
    rows = {
        name[len(keys.row("")) :]: content
        for name, (kind, content) in store.items()
        if name.startswith(keys.row("")) and kind == "hash" and name.count(":") == 3
    }
    found = []
    for id in sorted(places.keys() | rows.keys()):
        row, held = rows.get(id), places.get(id, [])
        if row is None:
            found.append(f"{id}: in {held}, no row")
        elif len(held) != 1 and row.get(b"state") != b"awaiting_children":
            found.append(f"{id}: in {held}, row says {row}")
        elif held and row.get(b"state") != STATES.get(held[0], b"pending"):
            found.append(f"{id}: in {held}, row says {row}")
        elif not row.get(b"attempts", b"").isdigit():
            found.append(f"{id}: attempts are {row.get(b'attempts')}")
    return found
