# SPDX-License-Identifier: MIT
"""echomq: a job queue on Valkey or Redis.

    import echomq

    with echomq.connect("redis://localhost") as client:
        queue = client.queue("orders")
        queue.enqueue(b"payload")
        job = queue.claim(lease=30.0)
        if job is not None:
            with job:  # completes it, or has it tried again when this raises
                print(job.payload)

Open next: ``connect`` and ``Client``, ``Queue``, ``Job``, ``errors``; ``ids`` and ``keys`` for
those who look at the store themselves.
"""

from . import _echomq, errors, ids, keys
from ._client import Client, connect
from ._job import Job
from ._queue import Queue
from ._values import Bytes, Place, Row, Swept, Verdict
from .errors import *

__version__: str = _echomq.emq_version()

__all__ = [
    "Bytes",
    "Client",
    "Job",
    "Place",
    "Queue",
    "Row",
    "Swept",
    "Verdict",
    "connect",
    "errors",
    "ids",
    "keys",
]
__all__ += errors.__all__
