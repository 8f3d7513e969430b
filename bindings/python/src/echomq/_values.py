# SPDX-License-Identifier: MIT
"""The values that calls take and give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Union

from ._error import Error

if TYPE_CHECKING:
    from typing import Literal

    State = Literal[
        "pending", "active", "scheduled", "dead", "awaiting_children", "unknown", "absent"
    ]

Bytes = Union[bytes, bytearray, memoryview, str]
"""Bytes in: a str goes as its UTF-8, a memoryview must be contiguous."""


class Verdict(NamedTuple):
    """What became of one item of ``enqueue_many``, ``complete_many`` or ``extend_many``."""

    id: Optional[str]
    """The job's id; None where none was minted for a payload."""

    outcome: Optional[str]
    """``"enqueued"``, or ``"done"`` or ``"gone"``; None where there is an error."""

    error: Optional[Error]
    """The server's refusal, or what broke the connection; None where there is an outcome."""


class Swept(NamedTuple):
    """What a ``sweep`` did with the jobs whose lease had lapsed."""

    recovered: List[str]
    """The ids that are pending again."""

    dead: List[str]
    """The ids that have stalled too often."""


class Place(NamedTuple):
    """Where a job is, in one moment of the store."""

    state: State
    """As ``Queue.state`` says it; a grouped job that waits in its lane is pending too."""

    score_ms: int
    """Of an active job its lease's end, of a scheduled one its time, in unix ms; else 0."""

    sets: int
    """How many sets hold it: 1 for a job that is sound."""


class Row:
    """A job's row as it was in the store."""

    __slots__ = ("fields",)

    fields: Dict[str, bytes]
    """Every field, in the store's order. A name that is not UTF-8 is shown with ``\\xNN``."""

    def __init__(self, fields: Dict[str, bytes]) -> None:
        self.fields = fields

    @property
    def state(self) -> Optional[str]:
        """The field ``state``; None where the row has none."""
        state = self.fields.get("state")
        return None if state is None else state.decode("utf-8", "backslashreplace")

    @property
    def attempts(self) -> Optional[int]:
        """How often the job was claimed; None where the row does not say it in digits."""
        attempts = self.fields.get("attempts", b"")
        return int(attempts) if attempts.isdigit() and len(attempts) <= 19 else None

    @property
    def payload(self) -> Optional[bytes]:
        """The job's bytes; None where the row has none."""
        return self.fields.get("payload")

    def __repr__(self) -> str:
        return f"<echomq.Row state={self.state!r} attempts={self.attempts!r}>"
