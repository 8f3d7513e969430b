# SPDX-License-Identifier: MIT
"""Ids from many processes at once."""

import pathlib
import random

import children
import pytest

PROCESSES = 32

# Each child writes its ids to a file of its own. The children start their work together: when the
# pipe's other end is closed.
CHILDREN = """
import os, sys
import echomq

def mint(node, count):
    minter = echomq.ids.Minter(node)
    return [minter.mint() for _ in range(count)]

def enqueue(node, count, url, name):
    with echomq.connect(url, node=node) as client:
        queue = client.queue(name)
        flush = max(20, count // 100)
        verdicts = [
            each for _ in range(count // flush) for each in queue.enqueue_many([b"x"] * flush)
        ]
    assert {verdict.outcome for verdict in verdicts} == {"enqueued"}, verdicts
    return [verdict.id for verdict in verdicts]

work, folder, count = globals()[sys.argv[1]], sys.argv[2], int(sys.argv[3])
nodes, arguments = map(int, sys.argv[4].split()), sys.argv[5:]
start, started = os.pipe()
children = []
for number, node in enumerate(nodes):
    children.append(os.fork())
    if children[-1] == 0:
        os.close(started)
        os.read(start, 1)
        with open(os.path.join(folder, str(number)), "w") as file:
            file.write("\\n".join(work(node, count, *arguments)))
        os._exit(0)
os.close(started)
for child in children:
    assert os.waitpid(child, 0)[1] == 0
"""


def ids_of(start_script, folder, work, count, nodes, *arguments):
    """What each process made, in its order."""
    nodes = " ".join(map(str, nodes))
    children.end_script(start_script(CHILDREN, work, folder, count, nodes, *arguments))
    return [(pathlib.Path(folder) / str(i)).read_text().split("\n") for i in range(PROCESSES)]


def test_distinct_nodes_never_mint_the_same(start_script, folder):
    made = ids_of(start_script, folder, "mint", 20_000, range(PROCESSES))
    for own in made:
        assert own == sorted(set(own)) and len(own) == 20_000
    assert len(set().union(*made)) == PROCESSES * 20_000


@pytest.mark.parametrize("count, nodes", [(20_000, 1024), (2_000, 4)])
def test_random_nodes_never_enqueue_the_same(
    start_script, folder, url, queue, raw, keys, count, nodes
):
    """Processes that draw the same node mint the same ids in the same milliseconds: a minted id
    that is taken is minted again. Among four nodes that is sure to happen."""
    random.seed(72)
    drawn = [random.randrange(nodes) for _ in range(PROCESSES)]
    raw("CONFIG", "RESETSTAT")
    made = ids_of(start_script, folder, "enqueue", count, drawn, url, queue.name)
    assert sum(map(len, made)) == len(set().union(*made)) == PROCESSES * count
    assert raw("ZCARD", keys.pending) == PROCESSES * count
    if nodes < PROCESSES:
        stats = raw("INFO", "commandstats").decode()
        calls = int(stats.partition("cmdstat_evalsha:calls=")[2].partition(",")[0])
        assert calls > PROCESSES * count
    raw("FLUSHDB")
