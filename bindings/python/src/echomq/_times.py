# SPDX-License-Identifier: MIT
"""Times as the face takes them, and as the core does: whole milliseconds."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Optional, Tuple, Union, cast

from . import _echomq
from .errors import InvalidArgumentError

Moment = Union[float, datetime]
"""A point in time: unix seconds, or a datetime that knows its zone."""

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def lease_ms(seconds: float) -> int:
    """A lease, from a millisecond to 365 days."""
    return milliseconds(seconds, 1, _echomq.emq_lease_max_ms(), "lease")


def delay_ms(seconds: float) -> int:
    """A delay, from none to 365 days."""
    return milliseconds(seconds, 0, _echomq.emq_delay_max_ms(), "delay")


def due(delay: Optional[float], at: Optional[Moment]) -> Tuple[int, int]:
    """A job's time as the core's (when, ms), of which exactly one way must be given."""
    if delay is not None and at is not None:
        raise InvalidArgumentError("a delay and a time are given: one of them is allowed")
    if delay is not None:
        return _echomq.EMQ_IN, delay_ms(delay)
    if at is not None:
        return _echomq.EMQ_AT, _unix_ms(at)
    raise InvalidArgumentError("neither a delay nor a time is given")


def _unix_ms(at: Any) -> int:
    latest = _echomq.emq_time_max_ms()
    if not isinstance(at, datetime):
        return milliseconds(at, 0, latest, "at")
    if at.utcoffset() is None:
        raise InvalidArgumentError(f"at is {at!r}, which has no time zone")
    ms = -(-(at - _EPOCH) // timedelta(milliseconds=1))  # rounded up, as seconds are
    if not 0 <= ms <= latest:
        raise InvalidArgumentError(f"at is {at!r}; it may be from 1970 to 9999 (UTC)")
    return ms


def milliseconds(seconds: Any, least: int, most: int, what: str) -> int:
    """Seconds as whole milliseconds within bounds; ``what`` names them in a refusal."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError(
            f"{what} must be seconds as a float or an int, not {type(seconds).__name__}"
        )
    return cast(int, _echomq.emq_milliseconds(seconds, least, most, what))
