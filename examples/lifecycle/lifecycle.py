#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The life of a job that fails: scheduled, tried twice, dead, requeued, done.

    lifecycle.py [URL]

Prints each step; ends with 1 as soon as something is not as it should be."""

import sys
import time
import uuid

import echomq


def step(what, got, expected):
    print(f"{what}: {got}")
    if got != expected:
        sys.exit(f"lifecycle: {what}: {expected!r} was expected")


def promoted(queue):
    """Waits until the job's time has come, for ten seconds at most."""
    deadline = time.monotonic() + 10
    while not (count := queue.promote()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return count


with echomq.connect(*sys.argv[1:2]) as client:
    queue = client.queue(f"lifecycle-{uuid.uuid4()}")

    id = queue.enqueue(b"2 x tea", delay=0.2)
    step("enqueued for later", queue.state(id), "scheduled")
    step("claimed too early", queue.claim(), None)
    for attempt, outcome in ((1, "scheduled"), (2, "dead")):
        step("promoted when due", promoted(queue), 1)
        job = queue.claim(lease=30)
        step("claimed", (job.id, job.payload, job.token), (id, b"2 x tea", attempt))
        step("failed", job.retry("no tea left", delay=0.2, max_attempts=2), outcome)

    step("dead jobs", queue.browse("dead"), [id])
    step("last error", queue.job(id).fields["last_error"], b"no tea left")
    step("requeued", queue.reprocess(id), "done")
    job = queue.claim(lease=30)
    step("claimed", (job.id, job.token), (id, 3))
    step("completed", job.complete(), "done")
    step("completed, failed", (queue.metric("completed"), queue.metric("failed")), (1, 1))
    step("wrong in the queue", queue.check(), [])
    queue.pause()
    queue.obliterate()
