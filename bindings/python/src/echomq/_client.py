# SPDX-License-Identifier: MIT
"""The connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union, cast

from . import _echomq
from ._queue import Queue
from .errors import ClosedError, InvalidArgumentError
from ._times import milliseconds
from .ids import core_node

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Literal, Type

    Executor = Literal["scripted", "native"]

_EXECUTORS = {
    "auto": _echomq.EMQ_EXECUTOR_AUTO,
    "scripted": _echomq.EMQ_EXECUTOR_SCRIPTED,
    "native": _echomq.EMQ_EXECUTOR_NATIVE,
}


def connect(
    url: Optional[str] = None,
    *,
    username: Optional[Union[str, bytes]] = None,
    password: Optional[Union[str, bytes]] = None,
    client_name: Optional[str] = None,
    identity: Optional[Union[str, bytes]] = None,
    executor: Literal["auto", "scripted", "native"] = "auto",
    node: Optional[int] = None,
    connect_timeout: float = 5.0,
    call_timeout: float = 30.0,
) -> Client:
    """Connects to a server and passes its fence.

    Args:
        url: ``redis://[user[:password]@]host[:port][/db]``, ``valkey://`` likewise, or
            ``unix:///path?db=n``; percent-decoded once. None: ``redis://127.0.0.1:6379/0``.
        username, password: taken literally; they go before the URL's.
        client_name: for CLIENT SETNAME; best effort.
        identity: what the fence expects, where a deployment stamps its own; None: the executor's.
        executor: ``"scripted"`` (Lua on the server), or ``"auto"``, which is that;
            ``"native"`` (a server module) is not built.
        node: of the minter of ids, 0 to 1023; None: from ECHOMQ_NODE, else random.
        connect_timeout: seconds to connect, authenticate and pass the fence; up to a day.
        call_timeout: seconds for one call, reconnecting included; up to a day.

    Raises:
        FenceError: the store speaks another wire; nothing was written to it.
        ConnectionError, TimeoutError, AuthError and the other classes of ``echomq.Error``.
    """
    if not isinstance(executor, str):
        raise TypeError(f"executor must be a str, not {type(executor).__name__}")
    if executor not in _EXECUTORS:
        raise InvalidArgumentError(f"executor is {executor!r}; it may be {', '.join(_EXECUTORS)}")
    longest = _echomq.EMQ_TIMEOUT_MAX_MS
    return Client(
        _echomq.emq_connect(
            url,
            username,
            password,
            client_name,
            identity,
            _EXECUTORS[executor],
            core_node(node),
            milliseconds(connect_timeout, 1, longest, "connect_timeout"),
            milliseconds(call_timeout, 1, longest, "call_timeout"),
        )
    )


class Client:
    """A connection that has passed the fence; ``connect`` makes it. As a context manager it closes
    itself.

    Any thread may use it: calls wait for each other, with Python's lock released. One that broke
    is opened again by the next call. After a fork the child's first call opens a connection of its
    own.
    """

    __slots__ = ("_handle", "__weakref__")

    def __init__(self, handle: Any) -> None:
        """Use ``echomq.connect``."""
        self._handle = handle

    def queue(self, name: Union[str, bytes]) -> Queue:
        """A queue by name: 1 to 512 bytes of UTF-8, without braces and control characters.

        Raises InvalidArgumentError for another name and ClosedError after ``close``.
        """
        if self.closed:
            raise ClosedError("the client is closed")
        return Queue(self, name)

    def close(self) -> None:
        """Closes the connection; every later call raises ClosedError, and so does, within 100 ms,
        one that another thread is in. Closing twice is harmless."""
        _echomq.emq_client_close(self._handle)

    @property
    def closed(self) -> bool:
        """Whether ``close`` has been called."""
        return cast(bool, _echomq.emq_client_closed(self._handle))

    @property
    def identity(self) -> str:
        """What the fence compared, such as ``"echomq:4.0.0"``."""
        return cast(str, _echomq.emq_client_identity(self._handle))

    @property
    def executor(self) -> Executor:
        """Who runs the transitions: ``"scripted"`` or ``"native"``."""
        executor = _echomq.emq_client_executor(self._handle)
        return "native" if executor == _echomq.EMQ_EXECUTOR_NATIVE else "scripted"

    @property
    def ghosts(self) -> int:
        """How many ghosts (members of a set whose row is gone) this client has removed."""
        return cast(int, _echomq.emq_client_ghosts(self._handle))

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<echomq.Client {'closed' if self.closed else self.identity}>"
