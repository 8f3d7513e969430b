# SPDX-License-Identifier: MIT
"""What the parts of a queue's face share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Union, cast

from . import _echomq

if TYPE_CHECKING:
    from typing import Literal

    from ._client import Client

    Settled = Literal["done", "gone"]
    Retried = Literal["scheduled", "dead", "gone"]

Id = Union[str, bytes]
"""A job's id, 14 characters."""


class Named:
    """A queue's name and its client."""

    __slots__ = ("client", "_name")

    client: Client
    """The client that the queue came from."""

    def __init__(self, client: Client, name: Union[str, bytes]) -> None:
        """Use ``client.queue(name)``."""
        _echomq.emq_queue_check(name)
        self.client = client
        self._name = name if isinstance(name, str) else bytes(name)

    @property
    def name(self) -> str:
        """The queue's name. Bytes that are no UTF-8 are shown as ``\\xNN``."""
        return text(self._name) if isinstance(self._name, bytes) else self._name

    def __repr__(self) -> str:
        return f"<echomq.Queue {self.name!r}>"


def text(value: bytes) -> str:
    """Bytes of the store that should be text."""
    return value.decode("utf-8", "backslashreplace")


def texts(handle: Any) -> List[bytes]:
    """The core's list, as Python's."""
    return [_echomq.emq_list_text(handle, index) for index in range(_echomq.emq_list_size(handle))]


def settled(outcome: int) -> Settled:
    """The outcome's name, where it is one of two."""
    return cast("Settled", _echomq.emq_outcome_name(outcome))
