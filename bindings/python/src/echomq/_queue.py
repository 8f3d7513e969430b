# SPDX-License-Identifier: MIT
"""A queue and the jobs that are claimed from it."""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterable,
    Iterator,
    List,
    Optional,
    Union,
    cast,
    overload,
)

from . import _echomq
from ._error import Error
from ._values import Bytes, Row, Verdict

if TYPE_CHECKING:
    from typing import Literal

    from ._client import Client

    Settled = Literal["done", "gone"]
    State = Literal[
        "pending", "active", "scheduled", "dead", "awaiting_children", "unknown", "absent"
    ]

# How much of enqueue_many goes in one flush: it bounds what is held in memory at a time.
CHUNK_COUNT = 1000
CHUNK_BYTES = 4 << 20


class Queue:
    """One queue, by name. It holds no connection of its own: calls go through its client, whose
    errors each of them can raise."""

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
        if isinstance(self._name, str):
            return self._name
        return self._name.decode("utf-8", "backslashreplace")

    def __repr__(self) -> str:
        return f"<echomq.Queue {self.name!r}>"

    # ---- admission ----

    @overload
    def enqueue(self, payload: Bytes, id: None = None) -> str: ...

    @overload
    def enqueue(self, payload: Bytes, id: Union[str, bytes]) -> Optional[str]: ...

    def enqueue(self, payload: Bytes, id: Optional[Union[str, bytes]] = None) -> Optional[str]:
        """Puts a job into the queue and returns its id.

        ``payload`` is kept byte for byte; it may be empty, up to 512 MiB. ``id`` is one of the
        caller's, a branded id of the namespace JOB (``echomq.ids``); then the result is None when
        a job of that id exists already: nothing was changed.

        Raises KindError for an id of another namespace. After a lost reply the call is sent again,
        so None may then mean this very call.
        """
        handle = self.client._handle
        if id is None:
            return cast(str, _echomq.emq_enqueue(handle, self._name, payload))
        outcome = _echomq.emq_enqueue_as(handle, self._name, id, payload)
        if outcome == _echomq.EMQ_OUTCOME_DUPLICATE:
            return None
        return id if isinstance(id, str) else bytes(id).decode("ascii")

    def enqueue_many(self, payloads: Iterable[Bytes]) -> List[Verdict]:
        """Puts many jobs into the queue, in order, and returns a verdict for each.

        They go in flushes of at most 1,000 payloads and about 4 MiB, so any iterable will do. Of a
        list or tuple every payload is checked before anything is sent; of another iterable, those
        of each flush: an error for a bad one names its place, counted from 0.

        A refusal by the server is a verdict (its ``error``), not an exception. When the connection
        fails or a payload is bad, the exception's ``verdicts`` has those of all payloads that were
        sent; later ones were not sent.
        """
        if isinstance(payloads, (str, bytes, bytearray, memoryview)):
            raise TypeError(
                f"payloads must be an iterable of payloads, not {type(payloads).__name__}"
            )
        if isinstance(payloads, (list, tuple)):
            payloads = tuple(payloads)
            for index, payload in enumerate(payloads):
                _check_payload(index, payload)
        verdicts: List[Verdict] = []
        batch = _echomq.emq_batch_new()
        try:
            for chunk in _chunks(payloads):
                for payload in chunk:
                    _echomq.emq_batch_add(batch, payload)
                try:
                    _echomq.emq_enqueue_many(self.client._handle, self._name, batch)
                finally:
                    verdicts += _verdicts(batch)
                _echomq.emq_batch_clear(batch)
        except (Error, TypeError) as error:
            setattr(error, "verdicts", tuple(verdicts))
            raise
        return verdicts

    # ---- claim and settle ----

    def claim(self, lease: float = 30.0) -> Optional[Job]:
        """Claims the oldest job that waits, or returns None when none does (or the queue is
        paused).

        ``lease`` is in seconds, from a millisecond to 365 days, by the server's clock. When it has
        passed, the job may be given to somebody else, and completing it is then a StaleError.
        """
        lease_ms = _echomq.emq_milliseconds(lease, 1, _echomq.emq_lease_max_ms(), "lease")
        handle = _echomq.emq_claim(self.client._handle, self._name, lease_ms)
        return None if handle is None else Job(self, handle)

    def complete(
        self, id: Union[str, bytes], token: int, result: Optional[Bytes] = None
    ) -> Settled:
        """Completes a job by its id and its claim's token: ``"done"``, or ``"gone"`` when there is
        no such job (any more). ``result`` is kept for the job's parent, if it has one.

        Raises StaleError, and leaves the job as it is, when the token is not its latest claim's.
        """
        outcome = _echomq.emq_complete(self.client._handle, self._name, id, token, result)
        return cast("Settled", _echomq.emq_outcome_name(outcome))

    # ---- reads ----

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

    def state(self, id: Union[str, bytes]) -> State:
        """Where a job is: ``"pending"``, ``"active"``, ``"scheduled"``, ``"dead"``,
        ``"awaiting_children"``, ``"unknown"`` (a row that no set holds) or ``"absent"``."""
        state = _echomq.emq_state_lookup(self.client._handle, self._name, id)
        return cast("State", _echomq.emq_state_name(state))

    def job(self, id: Union[str, bytes]) -> Optional[Row]:
        """A job's row as it is in the store, or None when there is none (any more)."""
        row = _echomq.emq_row_read(self.client._handle, self._name, id)
        if row is None:
            return None
        return Row(
            {
                _echomq.emq_row_name(row, index).decode(
                    "utf-8", "backslashreplace"
                ): _echomq.emq_row_value(row, index)
                for index in range(_echomq.emq_row_size(row))
            }
        )


class Job:
    """A claimed job, yours until its lease ends."""

    __slots__ = ("queue", "id", "payload", "token")

    queue: Queue
    """The queue that it was claimed from."""

    id: str
    """Its id, 14 characters."""

    payload: bytes
    """The bytes that were enqueued."""

    token: int
    """The claim's fencing token: how often the job has been claimed, this time included."""

    def __init__(self, queue: Queue, handle: Any) -> None:
        self.queue = queue
        self.id = _echomq.emq_job_id(handle).decode("ascii")
        self.payload = _echomq.emq_job_payload(handle)
        self.token = _echomq.emq_job_token(handle)

    def complete(self, result: Optional[Bytes] = None) -> Settled:
        """Completes the job: ``"done"``, or ``"gone"`` when it was completed or removed before.

        ``result`` is kept for the job's parent, if it has one. Raises StaleError, and leaves the
        job as it is, when it has been claimed again since.
        """
        return self.queue.complete(self.id, self.token, result)

    def __repr__(self) -> str:
        return f"<echomq.Job {self.id} of {self.queue.name!r} token={self.token}>"


# ---- enqueue_many's parts ----


def _check_payload(index: int, payload: Bytes) -> int:
    """Refuses a payload that cannot be sent, by its place. Returns about how long it is."""
    try:
        _echomq.emq_payload_check(payload)
    except (TypeError, Error) as error:
        raise type(error)(f"item {index}: {error}") from None
    return payload.nbytes if isinstance(payload, memoryview) else len(payload)


def _chunks(payloads: Iterable[Bytes]) -> Iterator[List[Bytes]]:
    """Payloads in lists of a bounded count and size; a larger one goes alone."""
    chunk: List[Bytes] = []
    size = 0
    for index, payload in enumerate(payloads):
        length = _check_payload(index, payload)
        if chunk and (len(chunk) == CHUNK_COUNT or size + length > CHUNK_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(payload)
        size += length
    if chunk:
        yield chunk


def _verdicts(batch: Any) -> List[Verdict]:
    verdicts = []
    for index in range(_echomq.emq_batch_size(batch)):
        id = _echomq.emq_batch_id(batch, index)
        outcome = _echomq.emq_batch_outcome(batch, index)
        verdicts.append(
            Verdict(
                None if id is None else id.decode("ascii"),
                None if outcome == _echomq.EMQ_OUTCOME_NONE else _echomq.emq_outcome_name(outcome),
                _echomq.emq_batch_error(batch, index),
            )
        )
    return verdicts
