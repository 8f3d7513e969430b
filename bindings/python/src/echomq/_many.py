# SPDX-License-Identifier: MIT
"""The parts of the calls on many jobs: how items go in, and their verdicts come out."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, List, Optional, Tuple, Union

from . import _echomq
from ._base import Id, Named
from ._error import Error
from ._job import Job
from ._values import Bytes, Verdict
from .errors import InvalidArgumentError

if TYPE_CHECKING:
    Progress = Callable[[int, Optional[int]], object]

# How much of enqueue_many goes in one flush: it bounds what is held in memory at a time.
CHUNK_COUNT = 1000
CHUNK_BYTES = 4 << 20

Claimed = Union[Job, Tuple[Id, int]]
"""A claimed job, or its id and its claim's token."""


def enqueue(queue: Named, payloads: Iterable[Bytes], progress: Optional[Progress]) -> List[Verdict]:
    if isinstance(payloads, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"payloads must be an iterable of payloads, not {type(payloads).__name__}")
    total = None
    if isinstance(payloads, (list, tuple)):
        payloads = tuple(payloads)
        total = len(payloads)
        for index, payload in enumerate(payloads):
            _check_payload(index, payload)
    verdicts: List[Verdict] = []
    batch = _echomq.emq_batch_new()
    with _told(verdicts):
        for chunk in _chunks(payloads):
            for payload in chunk:
                _echomq.emq_batch_add(batch, payload)
            try:
                _echomq.emq_enqueue_many(queue.client._handle, queue._name, batch)
            finally:
                verdicts += _batch_verdicts(batch)
            _echomq.emq_batch_clear(batch)
            if progress is not None:
                progress(len(verdicts), total)
    return verdicts


def settle(
    queue: Named, jobs: Iterable[Claimed], send: Callable[[Any, Any, Any], None]
) -> List[Verdict]:
    """Sends all jobs by a call of the core that takes leases: every one is checked before."""
    leases = _echomq.emq_leases_new()
    ids = []
    for index, job in enumerate(jobs):
        id, token = _id_and_token(queue, index, job)
        try:
            _echomq.emq_leases_add(leases, id, token, None)
        except (TypeError, Error) as error:
            place = f"item {index}: "
            raise type(error)(place + str(error).removeprefix(place)) from None
        ids.append(id if isinstance(id, str) else bytes(id).decode("ascii"))
    verdicts: List[Verdict] = []
    with _told(verdicts):
        try:
            send(queue.client._handle, queue._name, leases)
        finally:
            verdicts += [
                _verdict(
                    id,
                    _echomq.emq_leases_outcome(leases, index),
                    _echomq.emq_leases_error(leases, index),
                )
                for index, id in enumerate(ids)
            ]
    return verdicts


@contextmanager
def _told(verdicts: List[Verdict]) -> Iterator[None]:
    """Whatever ends the call early, its exception says what was done by then."""
    try:
        yield
    except BaseException as error:
        with suppress(Exception):
            setattr(error, "verdicts", tuple(verdicts))
        raise


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


def _id_and_token(queue: Named, index: int, job: Any) -> Tuple[Any, Any]:
    if isinstance(job, Job):
        if job.queue.name != queue.name:
            raise InvalidArgumentError(f"item {index}: the job is of the queue {job.queue.name!r}")
        return job.id, job.token
    if isinstance(job, tuple) and len(job) == 2:
        return job
    raise TypeError(f"item {index}: a Job or a tuple (id, token) is needed, not {job!r}")


def _batch_verdicts(batch: Any) -> List[Verdict]:
    verdicts = []
    for index in range(_echomq.emq_batch_size(batch)):
        id = _echomq.emq_batch_id(batch, index)
        verdicts.append(
            _verdict(
                None if id is None else id.decode("ascii"),
                _echomq.emq_batch_outcome(batch, index),
                _echomq.emq_batch_error(batch, index),
            )
        )
    return verdicts


def _verdict(id: Optional[str], outcome: int, error: Optional[Error]) -> Verdict:
    named = None if outcome == _echomq.EMQ_OUTCOME_NONE else _echomq.emq_outcome_name(outcome)
    return Verdict(id, named, error)
