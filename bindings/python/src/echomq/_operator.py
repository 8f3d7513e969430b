# SPDX-License-Identifier: MIT
"""What an operator does to a queue and to its jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, List, Optional, cast

from . import _echomq
from ._base import Id, Named, settled, texts
from ._values import Bytes
from .errors import InvalidArgumentError

if TYPE_CHECKING:
    from ._base import Settled


class Operator(Named):
    """The operator's calls of a Queue. Those on a job give ``"gone"`` (or None) when there is no
    such job (any more)."""

    __slots__ = ()

    # ---- one job ----

    def update_data(self, id: Id, payload: Bytes) -> Settled:
        """Replaces a job's payload. Who has claimed the job keeps the one it was given."""
        return settled(_echomq.emq_update_data(self.client._handle, self._name, id, payload))

    def update_progress(self, id: Id, progress: Bytes) -> Settled:
        """Keeps a job's progress, any text up to 1 MiB, in its row, and publishes it on the queue's
        events channel."""
        return settled(_echomq.emq_update_progress(self.client._handle, self._name, id, progress))

    def add_log(self, id: Id, line: Bytes, keep: Optional[int] = None) -> Optional[int]:
        """Adds a line, up to 1 MiB, to a job's log, and returns how many lines it has then.

        With ``keep`` only that many of the newest lines stay.
        """
        if keep == 0 and not isinstance(keep, bool):
            raise InvalidArgumentError("keep is 0; None keeps all lines")
        keep = 0 if keep is None else keep
        count = _echomq.emq_add_log(self.client._handle, self._name, id, line, keep)
        return None if count < 0 else cast(int, count)

    def logs(self, id: Id) -> Optional[List[bytes]]:
        """A job's log, oldest line first."""
        lines = _echomq.emq_read_logs(self.client._handle, self._name, id)
        return None if lines is None else texts(lines)

    def remove(self, id: Id, dedup: Optional[Bytes] = None) -> Settled:
        """Takes a job out of the queue, wherever it is, with its log.

        ``dedup`` is a deduplication id that goes with it, if it still stands for this job. Raises
        LockedError, and changes nothing, while a worker's lock is on the job.
        """
        return settled(_echomq.emq_remove_job(self.client._handle, self._name, id, dedup))

    def reprocess(self, id: Id) -> Settled:
        """Puts a dead job back into the queue. Its attempts stay, so ``retry`` may find them used
        up again.

        Raises StateError, and changes nothing, when the job is not dead.
        """
        return settled(_echomq.emq_reprocess_job(self.client._handle, self._name, id))

    # ---- the whole queue ----

    def pause(self) -> None:
        """Until ``resume``, every claim finds the queue empty. May be said twice."""
        _echomq.emq_queue_pause(self.client._handle, self._name)

    def resume(self) -> None:
        """Ends a pause. May be said twice."""
        _echomq.emq_queue_resume(self.client._handle, self._name)

    def drain(self, scheduled: bool = False) -> int:
        """Deletes the jobs that are pending, and with ``scheduled`` those too that are scheduled.
        Returns how many. Active and dead jobs stay."""
        return cast(int, _echomq.emq_queue_drain(self.client._handle, self._name, scheduled))

    def obliterate(
        self,
        force: bool = False,
        budget: int = 1000,
        progress: Optional[Callable[[int], object]] = None,
    ) -> None:
        """Deletes a paused queue and everything in it.

        It goes in steps of at most ``budget`` jobs (1 to 10,000), between which the server serves
        others. ``progress`` is called after each step with the number of steps so far; what it
        raises ends the call, and the queue is then paused and partly deleted, to be obliterated
        again.

        Raises StateError, and deletes nothing, when the queue is not paused, or has active jobs and
        ``force`` is not given.
        """
        more, steps = True, 0
        while more:
            more = _echomq.emq_queue_obliterate(self.client._handle, self._name, force, budget)
            steps += 1
            if progress is not None:
                progress(steps)
