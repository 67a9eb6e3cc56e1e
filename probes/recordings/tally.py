"""What the blocks of a recording amount to, counted one by one.

Its writer counts for the index; a reader counts what no index covers.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cache_core.events import KIND_MASK
from probes.blocks import CLOSED, DELTAS, SLICE, SNAPSHOT_BEGIN, SNAPSHOT_END, BlockHead

MOST_PLACES = 4096
"""Of more snapshots than this, every second place is forgotten: to find a near one, these are enough."""

_WORD_BYTES = 8


class SnapshotPlace(NamedTuple):
    """Where a whole snapshot lies: bytes [offset, end), begun at record `seq`, its times, and its own records."""

    offset: int
    end: int
    seq: int
    began_at: int
    ended_at: int
    stated_records: int


@dataclass(slots=True)
class Tally:
    """The sums over all blocks so far. `next_seq` is the number that the next record should have.

    Records are those of the stream; what a snapshot states is counted apart. A block of the stream that repeats
    numbers is out of order: its records are not counted. `places` are those of whole snapshots.
    """

    blocks: int = 0
    records: int = 0
    stated_records: int = 0
    lost_records: int = 0
    unordered_blocks: int = 0
    first_seq: int = 0
    next_seq: int = 0
    first_at: int = 0
    last_at: int = 0
    snapshots: int = 0
    places: list[SnapshotPlace] = field(default_factory=list)
    _begun: tuple[int, int, int, int] | None = None
    _dated: bool = False

    def add(self, head: BlockHead, offset: int) -> None:
        """Count the block at `offset`."""
        kind, at = head.kind, head.flushed_at
        if kind == DELTAS:
            self.add_run(head.first_seq, at, head.record_count)
            return
        self.blocks += 1
        if kind <= CLOSED:
            self._date(at)
        if kind == SLICE:
            self.stated_records += head.record_count
        elif kind == SNAPSHOT_BEGIN:
            self._begun = (offset, head.first_seq, at, self.stated_records)
        elif kind == SNAPSHOT_END and self._begun is not None:
            self._end_snapshot(*self._begun, end=offset + head.size, ended_at=at)

    def add_run(self, first_seq: int, at: int, count: int) -> None:
        """Count a block of `count` records of the stream, flushed at `at`."""
        self.blocks += 1
        if at > self.last_at or not self._dated:
            self._date(at)
        if self.records == 0 and self.next_seq == 0:
            self.first_seq = self.next_seq = first_seq
        if first_seq < self.next_seq:
            self.unordered_blocks += 1
            return
        self.lost_records += first_seq - self.next_seq
        self.next_seq = first_seq + count
        self.records += count

    def _date(self, at: int) -> None:
        if not self._dated:
            self._dated = True
            self.first_at = self.last_at = at
        self.last_at = max(self.last_at, at)

    def _end_snapshot(self, offset: int, seq: int, began_at: int, before: int, *, end: int, ended_at: int) -> None:
        self.snapshots += 1
        self._begun = None
        self.places.append(SnapshotPlace(offset, end, seq, began_at, ended_at, self.stated_records - before))
        if len(self.places) > MOST_PLACES:
            del self.places[::2]


def count_kinds(heads: Sequence[int], kinds: MutableMapping[int, int]) -> None:
    """Add to `kinds` how many of the head words are of each kind."""
    raw = struct.pack(f"={len(heads)}q", *heads)
    low = raw[::_WORD_BYTES]
    if raw[1::_WORD_BYTES].count(0) != len(low):  # a kind of two bytes
        for kind, count in Counter(head & KIND_MASK for head in heads).items():
            kinds[kind] = kinds.get(kind, 0) + count
        return
    while low:  # faster than a look-up per record: there are few kinds
        kind = low[0]
        rest = low.translate(None, low[:1])
        kinds[kind] = kinds.get(kind, 0) + len(low) - len(rest)
        low = rest
