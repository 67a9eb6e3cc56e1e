"""A sink that keeps the records of a cache, decoded."""

from __future__ import annotations

from typing import TypeVar

from cache_core import events
from cache_core.event_codec import decode
from cache_core.events import RawRecord, Record

R = TypeVar("R")


class Sink:
    """Keeps what was flushed."""

    def __init__(self) -> None:
        self.records: list[RawRecord] = []
        self.flushed: list[Record] = []

    def flush(self) -> None:
        """Decode what waits."""
        for word, *fields in self.records:
            record = decode(word & events.KIND_MASK, tuple(fields))
            assert record is not None
            self.flushed.append(record)
        self.records = []

    def of(self, kind: type[R]) -> list[R]:
        """Return the flushed records of one class."""
        return [record for record in self.flushed if isinstance(record, kind)]
