# SPDX-License-Identifier: MIT
"""A queue: admission, claims, settlement and recovery. What an operator does and looks at is in
_operator.py and _reads.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Iterable, List, Optional, cast, overload

from . import _echomq, _many
from ._base import Id, settled, text, texts
from ._job import Job
from ._operator import Operator
from ._reads import Reads
from ._times import Moment, delay_ms, due, lease_ms
from ._values import Bytes, Swept, Verdict

if TYPE_CHECKING:
    from ._base import Retried, Settled
    from ._many import Claimed


class Queue(Operator, Reads):
    """One queue, by name. It holds no connection of its own: calls go through its client, whose
    errors each of them can raise.

    Times go in as seconds. A lease, a delay and a job's time are by the server's clock.
    """

    __slots__ = ()

    # ---- admission ----

    @overload
    def enqueue(
        self,
        payload: Bytes,
        id: None = None,
        delay: Optional[float] = None,
        at: Optional[Moment] = None,
    ) -> str: ...

    @overload
    def enqueue(
        self,
        payload: Bytes,
        id: Id,
        delay: Optional[float] = None,
        at: Optional[Moment] = None,
    ) -> Optional[str]: ...

    def enqueue(
        self,
        payload: Bytes,
        id: Optional[Id] = None,
        delay: Optional[float] = None,
        at: Optional[Moment] = None,
    ) -> Optional[str]:
        """Puts a job into the queue and returns its id.

        Args:
            payload: kept byte for byte; it may be empty, up to 512 MiB.
            id: one of the caller's, a branded id of the namespace JOB (``echomq.ids``). Then the
                result is None when a job of that id exists already: nothing was changed.
            delay: seconds from now, up to 365 days, until which the job is only scheduled.
            at: the same as a time: unix seconds or an aware datetime. Not both.

        A scheduled job is pending once its time has come and somebody calls ``promote``.

        Raises KindError for an id of another namespace. After a lost reply the call is sent again,
        so None may then mean this very call.
        """
        handle = self.client._handle
        if delay is None and at is None:
            if id is None:
                return cast(str, _echomq.emq_enqueue(handle, self._name, payload))
            outcome = _echomq.emq_enqueue_as(handle, self._name, id, payload)
        else:
            when, ms = due(delay, at)
            if id is None:
                return cast(str, _echomq.emq_schedule(handle, self._name, payload, when, ms))
            outcome = _echomq.emq_schedule_as(handle, self._name, id, payload, when, ms)
        if outcome == _echomq.EMQ_OUTCOME_DUPLICATE:
            return None
        return id if isinstance(id, str) else bytes(id).decode("ascii")

    def enqueue_many(
        self,
        payloads: Iterable[Bytes],
        progress: Optional[Callable[[int, Optional[int]], object]] = None,
    ) -> List[Verdict]:
        """Puts many jobs into the queue, in order, and returns a verdict for each.

        They go in flushes of at most 1,000 payloads and about 4 MiB, so any iterable will do. Of a
        list or tuple every payload is checked before anything is sent; of another iterable, those
        of each flush: an error for a bad one names its place, counted from 0. ``progress`` is
        called after each flush with how many were sent so far, and how many there are (None for an
        iterable that does not say).

        A refusal by the server is a verdict (its ``error``), not an exception. When the connection
        fails, a payload is bad, or the iterable or ``progress`` raises, the exception's
        ``verdicts`` has those of all payloads that were sent; later ones were not sent.
        """
        return _many.enqueue(self, payloads, progress)

    # ---- claim ----

    def claim(self, lease: float = 30.0) -> Optional[Job]:
        """Claims the oldest job that waits, or returns None when none does (or the queue is
        paused).

        ``lease`` is in seconds, from a millisecond to 365 days. When it has passed, the job may be
        given to somebody else, and completing it is then a StaleError.
        """
        job = _echomq.emq_claim(self.client._handle, self._name, lease_ms(lease))
        if job is None:
            return None
        return Job(
            self, _echomq.emq_job_id(job), _echomq.emq_job_payload(job), _echomq.emq_job_token(job)
        )

    def claim_many(self, size: int, lease: float = 30.0) -> List[Job]:
        """Claims up to ``size`` (1 to 1,000) of the oldest jobs in one step, under one deadline.
        The list is short when fewer wait, and empty when none does."""
        jobs = _echomq.emq_claim_many(self.client._handle, self._name, size, lease_ms(lease))
        return [
            Job(
                self,
                _echomq.emq_jobs_id(jobs, index),
                _echomq.emq_jobs_payload(jobs, index),
                _echomq.emq_jobs_token(jobs, index),
            )
            for index in range(_echomq.emq_jobs_size(jobs))
        ]

    # ---- settle, by id and token; a Job does the same for itself ----

    def complete(self, id: Id, token: int, result: Optional[Bytes] = None) -> Settled:
        """Completes a job by its id and its claim's token: ``"done"``, or ``"gone"`` when there is
        no such job (any more). ``result`` is kept for the job's parent, if it has one.

        Raises StaleError, and leaves the job as it is, when the token is not its latest claim's,
        and StateError when the job has been put off or given up.
        """
        return settled(_echomq.emq_complete(self.client._handle, self._name, id, token, result))

    def retry(
        self, id: Id, token: int, reason: Bytes, delay: float = 1.0, max_attempts: int = 20
    ) -> Retried:
        """Says that a claimed job failed; see ``Job.retry``."""
        if isinstance(reason, str):
            # The text of an exception must not keep its job from being settled.
            reason = reason.encode("utf-8", "backslashreplace")
        outcome = _echomq.emq_retry(
            self.client._handle, self._name, id, token, delay_ms(delay), max_attempts, reason
        )
        return cast("Retried", _echomq.emq_outcome_name(outcome))

    def delay(
        self,
        id: Id,
        token: int,
        seconds: Optional[float] = None,
        *,
        at: Optional[Moment] = None,
    ) -> Settled:
        """Puts a claimed job off without a failure; see ``Job.delay``."""
        when, ms = due(seconds, at)
        return settled(_echomq.emq_delay(self.client._handle, self._name, id, token, when, ms))

    def extend(self, id: Id, token: int, lease: float = 30.0) -> Settled:
        """Lengthens a claimed job's lease; see ``Job.extend``."""
        ms = lease_ms(lease)
        return settled(_echomq.emq_extend(self.client._handle, self._name, id, token, ms))

    def complete_many(self, jobs: Iterable[Claimed]) -> List[Verdict]:
        """Completes many jobs, each a Job or a tuple (id, token), and returns a verdict for each,
        in order: ``"done"``, ``"gone"``, or an error such as StaleError.

        All are checked before anything is sent. When the connection fails, the exception's
        ``verdicts`` says what is known of each.
        """
        return _many.settle(self, jobs, _echomq.emq_complete_many)

    def extend_many(self, jobs: Iterable[Claimed], lease: float = 30.0) -> List[Verdict]:
        """Lets the leases of many jobs end ``lease`` seconds from now. As ``complete_many``, but a
        job that is gone has a StaleError too."""
        ms = lease_ms(lease)
        return _many.settle(
            self,
            jobs,
            lambda handle, name, leases: _echomq.emq_extend_many(handle, name, leases, ms),
        )

    # ---- recovery: anybody may run it, at any time ----

    def promote(self, limit: int = 1000) -> int:
        """Moves up to ``limit`` (1 to 10,000) scheduled jobs whose time has come to pending, and
        returns how many."""
        return cast(int, _echomq.emq_promote(self.client._handle, self._name, limit))

    def reap(self) -> int:
        """Puts up to 100 jobs whose lease has ended back to pending, and returns how many."""
        return cast(int, _echomq.emq_reap(self.client._handle, self._name))

    def sweep(self, max_stalled: int = 1, limit: int = 1000) -> Swept:
        """Does the same for up to ``limit`` (1 to 10,000) jobs, counting how often each has
        stalled: at ``max_stalled`` it is dead, with the last error ``stalled``."""
        recovered, dead = _echomq.emq_sweep_stalled(
            self.client._handle, self._name, max_stalled, limit
        )
        return Swept([text(id) for id in texts(recovered)], [text(id) for id in texts(dead)])
