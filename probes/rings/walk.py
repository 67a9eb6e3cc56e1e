"""A snapshot of the cache's state in slices: a little of the walk at a time, between the cache's operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from cache_core.events import RawRecord

SnapshotSource = Callable[[], Iterator[RawRecord]]
"""Starts a walk over a cache's state. The walk goes on between the operations of the cache, a step at a time."""

_STEP_RECORDS = 16


class SnapshotWalk:
    """A walk under way. `finished` after its last slice; `fault` says why it broke off, if it did."""

    def __init__(self, source: SnapshotSource, clock: Callable[[], int]) -> None:
        self._source = source
        self._clock = clock
        self._records: Iterator[RawRecord] | None = None
        self.finished = False
        self.fault = ""

    def slice(self, budget_ns: int) -> list[RawRecord]:
        """Return the next records, true now, as many as the walk yields in about `budget_ns`. Never raises."""
        taken: list[RawRecord] = []
        until = self._clock() + budget_ns
        try:
            records = self._records = self._records or iter(self._source())
            while not self.finished:
                step = list(islice(records, _STEP_RECORDS))
                taken += step
                self.finished = len(step) < _STEP_RECORDS
                if self._clock() >= until:
                    break
        except Exception as error:  # noqa: BLE001  a fault of an observer must not reach the cache
            self.finished = True
            self.fault = f"the cache could not be walked: {type(error).__name__}: {error}"
        return taken
