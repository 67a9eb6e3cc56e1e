"""Several sinks for the records of one cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from cache_core.events import EventSink, RawRecord
from probes.recorder import Recorded


@runtime_checkable
class Follower(Protocol):
    """A sink that wants to know whose records it gets, such as a flight recorder."""

    records: list[RawRecord]

    def flush(self) -> None:
        """See EventSink."""

    def follow(self, cache: Recorded) -> None:
        """Name the cache."""


class Tee:
    """A sink that gives its records to several others."""

    def __init__(self, sinks: Sequence[EventSink]) -> None:
        self.records: list[RawRecord] = []
        self._sinks = tuple(sinks)

    def flush(self) -> None:
        """Pass on what waits."""
        records = self.records
        for sink in self._sinks:
            sink.records.extend(records)
        records.clear()
        for sink in self._sinks:
            sink.flush()
