# SPDX-License-Identifier: MIT
"""The values that calls take and give."""

from __future__ import annotations

from typing import Dict, NamedTuple, Optional, Union

from ._error import Error

Bytes = Union[bytes, bytearray, memoryview, str]
"""Bytes in: a str goes as its UTF-8, a memoryview must be contiguous."""


class Verdict(NamedTuple):
    """What became of one payload of ``enqueue_many``."""

    id: Optional[str]
    """The id that was minted for it; None where none was."""

    outcome: Optional[str]
    """``"enqueued"``; None where there is an error."""

    error: Optional[Error]
    """The server's refusal, or what broke the connection; None where there is an outcome."""


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
        return int(attempts) if attempts.isdigit() else None

    @property
    def payload(self) -> Optional[bytes]:
        """The job's bytes; None where the row has none."""
        return self.fields.get("payload")

    def __repr__(self) -> str:
        return f"<echomq.Row state={self.state!r} attempts={self.attempts!r}>"
