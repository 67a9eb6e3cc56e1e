"""Records of a cache in this very process, without a ring between."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple

from cache_core.event_codec import decode, head
from cache_core.events import KIND_MASK, RawRecord, Record
from probes.adapter import Adapter, Batch
from probes.rings.walk import SnapshotSource, SnapshotWalk
from probes.snapshot import LinkState, SourceState

SLICE_NS = 1_000_000
"""The time that a flush may take for a slice of the cache's state."""

POLL_RECORDS = 1 << 14
"""A poll stops after the flush that brings it past so many records."""


class _Run(NamedTuple):
    """The records of one flush, or a slice of the cache's state true at `first_seq`."""

    number: int
    first_seq: int
    is_slice: bool
    ends_walk: int  # the number of the walk whose last slice this is, or 0
    records: list[RawRecord]

    @property
    def end_seq(self) -> int:
        return self.first_seq if self.is_slice else self.first_seq + len(self.records)


class EmbeddedAdapter(Adapter):
    """Both the sink of a cache and the adapter of its one reader, which may poll from another thread.

    Holds at most `most_runs` flushes; a reader slower than that loses the oldest records, is told how many, and
    gets the state of the cache again. Records of the classes `unread` are left out.
    """

    def __init__(
        self,
        config: Mapping[str, object] | None = None,
        most_runs: int = 2048,
        clock: Callable[[], int] = time.perf_counter_ns,
        unread: Collection[type[Record]] = (),
    ) -> None:
        self._unread = frozenset(head(cls) & KIND_MASK for cls in unread)
        self.records: list[RawRecord] = []
        self._config = MappingProxyType(dict(config or {}))
        self._clock = clock
        self._runs: deque[_Run] = deque(maxlen=most_runs)
        self._number = 0
        self._next_seq = 0
        self._heartbeat: int | None = None
        self._flushing = False
        self._source: SnapshotSource | None = None
        self._pools: Callable[[], object] | None = None
        self._walk: SnapshotWalk | None = None
        self._held: _Run | None = None
        self._read_number = 0
        self._read_seq = 0
        self._dropped = 0
        self._state_wanted = False
        self._walk_number = 0
        self._needed_walk = 0
        self._seen_walk = 0
        self._reason: str | None = None

    def bind(self, snapshot: SnapshotSource | None = None, pools: Callable[[], object] | None = None) -> None:
        """Name the cache's walk over its state, taken with the next flush, and the call that appends Pool records."""
        self._source = snapshot
        self._pools = pools
        self._state_wanted = snapshot is not None
        self._needed_walk = self._walk_number + 1 if snapshot is not None else 0

    def flush(self) -> None:
        """Hand what waits in `records` to the reader, and a slice of the cache's state while one is due."""
        if self._flushing:
            return
        self._flushing = True
        try:
            if self._pools is not None:
                self._pools()
            if self.records:
                self._put(self.records.copy())
                self.records.clear()
            if self._state_wanted and self._source is not None:
                self._state_wanted = False
                self._walk = SnapshotWalk(self._source, self._clock)
                self._walk_number += 1
            if self._walk is not None:
                walk = self._walk
                self._put(walk.slice(SLICE_NS), is_slice=True, ends_walk=self._walk_number if walk.finished else 0)
                self._walk = None if walk.finished else walk
            self._heartbeat = self._clock()
        finally:
            self._flushing = False

    def end(self, reason: str = "") -> None:
        """Say that the cache ended; its last records can still be polled."""
        self.flush()
        self._reason = reason

    def poll(self) -> Batch:
        """Return what was flushed since the last poll."""
        found: list[tuple[int, Record]] = []
        resync = False
        while len(found) < POLL_RECORDS and (run := self._take()) is not None:
            if run.number != self._read_number:
                if found:
                    self._held = run  # what was found belongs to the tree before the gap
                    break
                resync = self._state_wanted = True
                self._needed_walk = self._walk_number + 1
                self._dropped += run.first_seq - self._read_seq
            self._read_number, self._read_seq = run.number + 1, run.end_seq
            self._seen_walk = max(self._seen_walk, run.ends_walk)
            found += _decode(run, self._unread)
        return Batch(found, resync)

    def state(self) -> SourceState:
        """Return how the cache and its reader are doing."""
        age = None if self._heartbeat is None else self._clock() - self._heartbeat
        state: LinkState = "live" if age is not None and self._seen_walk >= self._needed_walk else "starting"
        if self._reason is not None:
            state = "ended"
        return SourceState("embedded", state, self._reason or "", self._dropped, 0, age, self._config)

    def _put(self, records: list[RawRecord], *, is_slice: bool = False, ends_walk: int = 0) -> None:
        run = _Run(self._number, self._next_seq, is_slice, ends_walk, records)
        self._number += 1
        self._next_seq = run.end_seq
        self._runs.append(run)

    def _take(self) -> _Run | None:
        run, self._held = self._held, None
        if run is not None:
            return run
        try:
            return self._runs.popleft()
        except IndexError:
            return None


def _decode(run: _Run, unread: frozenset[int]) -> list[tuple[int, Record]]:
    step = 0 if run.is_slice else 1
    found = []
    for position, raw in enumerate(run.records):
        kind = raw[0] & KIND_MASK
        record = decode(kind, raw[1:]) if kind not in unread else None
        if record is not None:
            found.append((run.first_seq + position * step, record))
    return found
