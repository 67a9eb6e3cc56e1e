"""The requests that a job takes of its trace, and how far it is with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from profiles.trace import Trace, TraceRequest
from profiles.trace_format import open_trace
from radixtop.compare.job import Told

TELL_EVERY = 256
"""How many requests go by between two words about them."""


def trace_of(job: Mapping[str, object]) -> Trace:
    """Open the trace that a job names by `path` and `format`; the first `limit` requests of it are wanted."""
    format, limit = job["format"], _limit(job)
    return open_trace(Path(str(job["path"])), None if format is None else str(format), limit)


def requests_of(job: Mapping[str, object], told: Told) -> Iterator[TraceRequest]:
    """Yield the requests of a job, the first `limit` of the trace, and tell how many went by."""
    for number, request in enumerate(islice(trace_of(job), _limit(job))):
        if number % TELL_EVERY == 0:
            told(number)
        yield request


def _limit(job: Mapping[str, object]) -> int | None:
    limit = job.get("limit")
    return None if limit is None else int(str(limit))
