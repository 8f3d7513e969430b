# SPDX-License-Identifier: MIT
"""enqueue.py URL ORDERS: enqueues every payload of an .ndjson file (examples/data/README.md) and
prints the ids, one a line, in the order of the file."""

import base64
import itertools
import json
import sys

import echomq

BATCH = 100


def payload(line):
    ((form, value),) = json.loads(line).items()
    if form == "payload":
        return value.encode()
    if form == "payload_base64":
        return base64.b64decode(value, validate=True)
    if form == "payload_repeat":
        return value["text"].encode() * value["count"]
    raise ValueError("no such form of payload: " + form)


def main(url, orders):
    with open(orders, encoding="utf-8") as lines:
        payloads = [payload(line) for line in lines]
    with echomq.connect(url) as client:
        queue = client.queue("orders")
        ids = []
        for start in range(0, len(payloads), BATCH):
            for verdict in queue.enqueue_many(payloads[start : start + BATCH]):
                if verdict.outcome != "enqueued":
                    sys.exit("order %d: %s" % (len(ids), verdict.error or verdict.outcome))
                ids.append(verdict.id)
                print(verdict.id, flush=True)


main(*sys.argv[1:])
