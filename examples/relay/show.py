# SPDX-License-Identifier: MIT
"""show.py URL MOMENT ID: shows a job's row and how many jobs each set of the queue holds.
show.py URL --left: prints how many jobs the four sets still hold."""

import sys

import echomq


def row_of(queue, id):
    job = queue.job(id) if id else None
    if not job:
        return "no row"
    return f"state {job.state}, attempts {job.attempts}, payload {len(job.payload)} bytes"


def main(url, moment, id=""):
    with echomq.connect(url) as client:
        queue = client.queue("orders")
        counts = queue.counts()
        if moment == "--left":
            print(sum(counts[name] for name in ("pending", "active", "schedule", "dead")))
            return
        sets = "  ".join(f"{name} {count}" for name, count in counts.items())
        print(f"\n{moment}\n  {id or 'no job yet'}: {row_of(queue, id)}\n  {sets}\n")


main(*sys.argv[1:])
