"""How long short operations take, summed: a record of each would cost more than most of them."""

from __future__ import annotations

from cache_core import events
from cache_core.event_codec import head

_TIMING = head(events.Timing)


class Times:
    """Sums in ns since `records` was last called. A cache has one while somebody wants to know."""

    __slots__ = (
        "insert_split_ns", "insert_splits", "lock_ns", "locks", "match_split_ns", "match_splits", "unlock_ns",
        "unlocks",
    )  # fmt: skip

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.match_splits = self.match_split_ns = 0
        self.insert_splits = self.insert_split_ns = 0
        self.locks = self.lock_ns = 0
        self.unlocks = self.unlock_ns = 0

    def split(self, during: int, took_ns: int) -> None:
        """Count a split in a match, or in an insert."""
        if during == events.MATCH:
            self.match_splits += 1
            self.match_split_ns += took_ns
        else:
            self.insert_splits += 1
            self.insert_split_ns += took_ns

    def records(self, at: int) -> list[events.RawRecord]:
        """Return a record of each sum that is not zero, and start over."""
        sums = (
            (events.MATCH, events.SPLIT, self.match_splits, self.match_split_ns),
            (events.INSERT, events.SPLIT, self.insert_splits, self.insert_split_ns),
            (events.LOCK, events.WHOLE, self.locks, self.lock_ns),
            (events.UNLOCK, events.WHOLE, self.unlocks, self.unlock_ns),
        )
        self._clear()
        return [(_TIMING, at, *each) for each in sums if each[2]]
