# SPDX-License-Identifier: MIT
"""The base of every error. Its subclasses, one per row of the core's table, are in errors.py,
which the build makes from core/include/echomq/error.h."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Dict, Optional, Tuple, Type

from . import _echomq

if TYPE_CHECKING:
    from ._values import Verdict


class Error(Exception):
    """What can go wrong. The class says which row of the table it is; the exception's text says
    what was got and why it is refused."""

    code: ClassVar[str] = ""
    """The row's name in lower case, such as ``"stale"``."""

    status: ClassVar[int] = 0
    """The row's number, as in C."""

    retriable: ClassVar[bool] = False
    """Whether the same call may succeed later without anybody changing anything."""

    server_text: Optional[str] = None
    """The server's own error text, where a server spoke."""

    found: Optional[str] = None
    """Of a FenceError: the identity that the store has."""

    expected: Optional[str] = None
    """Of a FenceError: the identity that this client has."""

    verdicts: Tuple[Verdict, ...] = ()
    """Of a failed ``enqueue_many``, ``complete_many`` or ``extend_many``: what is known of each
    item that was sent, in order."""

    @property
    def message(self) -> str:
        """The exception's text."""
        return str(self)

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "status" in cls.__dict__:
            _BY_STATUS[cls.status] = cls


_BY_STATUS: Dict[int, Type[Error]] = {}


def from_core(status: int, message: str, server_text: str, found: str, expected: str) -> Error:
    """Makes the exception of a failed call; the extension module calls this."""
    error = _BY_STATUS.get(status, Error)(message)
    if server_text:
        error.server_text = server_text
    if status == _echomq.EMQ_ERR_FENCE:
        error.found = found
        error.expected = expected
    return error
