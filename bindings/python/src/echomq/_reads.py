# SPDX-License-Identifier: MIT
"""How one looks at a queue and at its jobs. Nothing here writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Optional, cast

from . import _echomq
from ._base import Id, Named, text, texts
from ._values import Bytes, Place, Row

if TYPE_CHECKING:
    from typing import Literal

    from ._values import State


class Reads(Named):
    """The reading calls of a Queue."""

    __slots__ = ()

    # ---- the queue ----

    def counts(self, *names: str) -> Dict[str, int]:
        """The numbers of the queue by name: pending, active, schedule, dead (jobs there now),
        completed, failed (totals). All six, or those asked for.

        Raises InvalidArgumentError for a name that is none of them.
        """
        wanted = 0
        for name in names:
            wanted |= 1 << _echomq.emq_count_parse(name)
        numbers = _echomq.emq_count_queue(
            self.client._handle, self._name, wanted or _echomq.EMQ_COUNTS_ALL
        )
        found = {
            cast(str, _echomq.emq_count_name(count)): number
            for count, number in enumerate(numbers)
            if number >= 0
        }
        return {name: found[name] for name in names} if names else found

    def depth(self) -> int:
        """How many jobs are pending."""
        return cast(int, _echomq.emq_depth(self.client._handle, self._name))

    def metric(self, name: Literal["completed", "failed"]) -> int:
        """How many jobs have completed, or failed for the last time, since the queue began."""
        total = _echomq.emq_count_parse(name)
        return cast(int, _echomq.emq_metric(self.client._handle, self._name, total))

    def browse(
        self, state: Literal["pending", "active", "scheduled", "dead"], limit: int = 100
    ) -> List[str]:
        """The ids of the jobs in a state, newest first, at most ``limit`` (1 to 10,000) of them.

        Raises InvalidArgumentError for a state that is none of the four.
        """
        number = _echomq.emq_state_parse(state)
        ids = _echomq.emq_browse(self.client._handle, self._name, number, limit)
        return [text(id) for id in texts(ids)]

    def dedup(self, dedup_id: Bytes) -> Optional[str]:
        """The id of the job that a deduplication id stands for, or None."""
        if dedup_id is None:
            raise TypeError("dedup_id must be bytes or str, not NoneType")
        ids = texts(_echomq.emq_dedup_read(self.client._handle, self._name, dedup_id))
        return text(ids[0]) if ids else None

    def check(self) -> List[str]:
        """Looks at every job for what should never be: an id in no set or in several, a row that
        disagrees with its set, a member without a row, a row without a set, attempts that are no
        number, an id that is none.

        Returns a line for each, starting with the id: none for a sound queue. Each job is judged in
        one moment, so it may run while the queue is worked.
        """
        lines = _echomq.emq_check_queue(self.client._handle, self._name)
        return [text(line) for line in texts(lines)]

    # ---- one job ----

    def state(self, id: Id) -> State:
        """Where a job is: ``"pending"``, ``"active"``, ``"scheduled"``, ``"dead"``,
        ``"awaiting_children"``, ``"unknown"`` (a row that no set holds) or ``"absent"``."""
        state = _echomq.emq_state_lookup(self.client._handle, self._name, id)
        return cast("State", _echomq.emq_state_name(state))

    def locate(self, id: Id) -> Place:
        """Where a job is, until when, and in how many sets, all in one moment."""
        state, score_ms, sets = _echomq.emq_locate(self.client._handle, self._name, id)
        return Place(cast("State", _echomq.emq_state_name(state)), score_ms, sets)

    def job(self, id: Id) -> Optional[Row]:
        """A job's row as it is in the store, or None when there is none (any more)."""
        row = _echomq.emq_row_read(self.client._handle, self._name, id)
        if row is None:
            return None
        return Row(
            {
                text(_echomq.emq_row_name(row, index)): _echomq.emq_row_value(row, index)
                for index in range(_echomq.emq_row_size(row))
            }
        )
