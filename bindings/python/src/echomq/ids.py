# SPDX-License-Identifier: MIT
"""Branded ids: 14 characters, of which three are a namespace and eleven a 63-bit snowflake in
base62. Inside one namespace their byte order is the order in which they were minted.

Every function refuses what is no id with an InvalidArgumentError that says why."""

from __future__ import annotations

from typing import NamedTuple, Optional, Union, cast

from . import _echomq
from .errors import InvalidArgumentError

__all__ = ["EPOCH_MS", "Id", "Minter", "Parts", "decode", "encode", "hash32", "parse", "snowflake"]

Id = Union[str, bytes]

EPOCH_MS: int = _echomq.emq_id_epoch_ms()
"""The first millisecond of the snowflake's clock, in unix ms: 2024-01-01 UTC."""


class Parts(NamedTuple):
    """What an id is made of."""

    name_space: str
    snowflake: int
    unix_ms: int
    node: int
    sequence: int
    hash32: int


def parse(id: Id) -> str:
    """Checks an id of any namespace and returns it."""
    return cast(str, _echomq.emq_id_parse(id))


def decode(id: Id) -> Parts:
    """Takes an id apart."""
    text = parse(id)
    return Parts(
        text[: _echomq.EMQ_NAMESPACE_LEN],
        _echomq.emq_id_snowflake(text),
        _echomq.emq_id_unix_ms(text),
        _echomq.emq_id_node(text),
        _echomq.emq_id_sequence(text),
        _echomq.emq_id_hash32(text),
    )


def encode(name_space: str, snowflake: int) -> str:
    """The id of a namespace (three letters A-Z) and a snowflake (up to 2**63 - 1)."""
    return cast(str, _echomq.emq_id_encode(name_space, snowflake))


def snowflake(unix_ms: int, node: int, sequence: int) -> int:
    """Puts a snowflake together: a time in unix ms, a node up to 1023, a sequence up to 4095."""
    return cast(int, _echomq.emq_snowflake(unix_ms, node, sequence))


def hash32(snowflake: int) -> int:
    """The 32-bit hash of a snowflake."""
    return cast(int, _echomq.emq_hash32(snowflake))


def core_node(node: Optional[int]) -> int:
    """The core's form of a minter's node: -1 for none."""
    if node is None:
        return -1
    if isinstance(node, bool) or not isinstance(node, int):
        raise TypeError(f"node must be an int, not {type(node).__name__}")
    if not 0 <= node <= _echomq.EMQ_NODE_MAX:
        raise InvalidArgumentError(f"node is {node}, 0 to {_echomq.EMQ_NODE_MAX} are allowed")
    return node


class Minter:
    """Makes ids, never the same twice. Any thread may use it, and a forked child too."""

    __slots__ = ("_handle",)

    def __init__(self, node: Optional[int] = None) -> None:
        """``node`` is 0 to 1023; None: from the environment's ECHOMQ_NODE, else random."""
        self._handle = _echomq.emq_minter_new(core_node(node))

    def mint(self, name_space: str = "JOB") -> str:
        """The next id of a namespace."""
        return cast(str, _echomq.emq_minter_next(self._handle, name_space))

    def mint_at(self, unix_ms: int, name_space: str = "JOB") -> str:
        """The same, at a time of the caller's."""
        return cast(str, _echomq.emq_minter_next_at(self._handle, name_space, unix_ms))

    @property
    def node(self) -> int:
        """The node in use in this process."""
        return cast(int, _echomq.emq_minter_node(self._handle))
