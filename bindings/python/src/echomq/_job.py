# SPDX-License-Identifier: MIT
"""A job that was claimed from a queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from ._times import Moment
from ._values import Bytes

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Type

    from ._base import Retried, Settled
    from ._queue import Queue


class Job:
    """A claimed job, yours until its lease ends.

    As a context manager it settles itself: complete on leaving, retry (with a second's delay, up to
    20 attempts) on an Exception, which goes on. What was settled inside stays as it is, and so does
    the job on a KeyboardInterrupt or its like: it comes back when its lease has ended.

    Every call that settles or extends raises StaleError, and leaves the job as it is, when the job
    has been claimed again since, and StateError when it has been put off or given up.
    """

    __slots__ = ("queue", "id", "payload", "token", "_settled")

    queue: Queue
    """The queue that it was claimed from."""

    id: str
    """Its id, 14 characters."""

    payload: bytes
    """The bytes that were enqueued."""

    token: int
    """The claim's fencing token: how often the job has been claimed, this time included."""

    def __init__(self, queue: Queue, id: bytes, payload: bytes, token: int) -> None:
        """Use ``queue.claim`` or ``queue.claim_many``."""
        self.queue = queue
        self.id = id.decode("ascii")
        self.payload = payload
        self.token = token
        self._settled = False

    def complete(self, result: Optional[Bytes] = None) -> Settled:
        """Completes the job: ``"done"``, or ``"gone"`` when it was completed or removed before.

        ``result`` is kept for the job's parent, if it has one.
        """
        outcome = self.queue.complete(self.id, self.token, result)
        self._settled = True
        return outcome

    def retry(self, reason: Bytes, delay: float = 1.0, max_attempts: int = 20) -> Retried:
        """Says that the job failed: ``"scheduled"`` when it comes back after ``delay`` seconds,
        ``"dead"`` when that was the last of ``max_attempts``, ``"gone"`` when it was completed or
        removed before.

        ``reason`` is kept in the row as ``last_error``: its first 4096 bytes.
        """
        outcome = self.queue.retry(self.id, self.token, reason, delay, max_attempts)
        self._settled = True
        return outcome

    def delay(self, seconds: Optional[float] = None, *, at: Optional[Moment] = None) -> Settled:
        """Puts the job off without a failure, by ``seconds`` from now or until ``at``: unix seconds
        or an aware datetime. ``"done"``, or ``"gone"``."""
        outcome = self.queue.delay(self.id, self.token, seconds, at=at)
        self._settled = True
        return outcome

    def extend(self, lease: float = 30.0) -> Settled:
        """Lets the lease end ``lease`` seconds from now: ``"done"``, or ``"gone"``.

        A StaleError says that the lease had ended and the job was taken back.
        """
        return self.queue.extend(self.id, self.token, lease)

    def __enter__(self) -> Job:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._settled:
            return
        if error is None:
            self.complete()
        elif isinstance(error, Exception):
            self.retry(f"{type(error).__name__}: {error}")

    def __repr__(self) -> str:
        return f"<echomq.Job {self.id} of {self.queue.name!r} token={self.token}>"
