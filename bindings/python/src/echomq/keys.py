# SPDX-License-Identifier: MIT
"""The keys of a queue and their cluster slots, for those who look at the store themselves. Keys
are bytes: a queue's name may be any UTF-8."""

from __future__ import annotations

from typing import Union, cast

from . import _echomq

Text = Union[str, bytes]


def queue_key(queue: Text, type: Text) -> bytes:
    """``emq:{queue}:type``. Raises InvalidArgumentError for a name that no queue may have."""
    return cast(bytes, _echomq.emq_compose_queue_key(queue, type))


def job_key(queue: Text, id: Text) -> bytes:
    """``emq:{queue}:job:id``. Raises InvalidArgumentError for such a name or an id that is none."""
    return cast(bytes, _echomq.emq_compose_job_key(queue, id))


def reserve_key(name: Text) -> bytes:
    """``{emq}:name``, a key of the deployment and of no queue."""
    return cast(bytes, _echomq.emq_compose_reserve_key(name))


def version_key() -> bytes:
    """The fence's key, ``{emq}:version``."""
    return cast(bytes, _echomq.emq_version_key())


def hashtag(key: Text) -> bytes:
    """The part of a key that chooses its slot."""
    return cast(bytes, _echomq.emq_hashtag(key))


def slot(key: Text) -> int:
    """A key's cluster slot, 0 to 16383."""
    return cast(int, _echomq.emq_slot(key))
