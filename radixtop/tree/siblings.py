"""The children of one node in order, and where their rows begin.

A node takes as many rows as it has itself and below it (`sizes`, by slot), so the place of a child is the sum of the
sizes before it. Few children are sorted. Many are dealt into buckets by their keys, and the sum of each bucket is
kept: rows are found by looking into the buckets that hold them, and a child that comes, goes or grows touches one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from radixtop.tree.order import Whole

MANY = 4_096
"""From so many children on they are not sorted as a whole."""

_BUCKETS = 1 << 16
_SORTED = 8_192
"""The most members of a bucket that are sorted to find some of them."""

Placed = list[tuple[int, int]]
"""(slot, its first row), in order; rows count from the first one below the parent."""


class FewSiblings:
    """Children that are sorted as a whole; when one comes or goes the list is made anew."""

    __slots__ = ("_slots",)

    def __init__(self, slots: Whole, keys: Whole, numbers: Whole) -> None:
        self._slots = slots[np.lexsort((numbers, keys))]

    def placed(self, sizes: Whole, first: int, stop: int) -> Placed:
        """Return the children that have rows among [first, stop)."""
        ends = np.cumsum(sizes[self._slots])
        start, end = int(np.searchsorted(ends, first, "right")), int(np.searchsorted(ends, stop, "left")) + 1
        return _listed(self._slots[start:end], sizes, int(ends[start - 1]) if start else 0, stop)

    def row_of(self, sizes: Whole, slot: int) -> int:
        """Return the first row of a child."""
        place = int(np.flatnonzero(self._slots == slot)[0])
        return int(sizes[self._slots[:place]].sum())


class ManySiblings:
    """Children in buckets by key. `places` is an array over all slots in which this list keeps its own.

    `numbers` are the ids by slot, which order equals; where all are equal they are the keys.
    """

    __slots__ = ("_base", "_buckets", "_count", "_equal", "_keys", "_slots", "_starts", "_sums")

    def __init__(self, slots: Whole, keys: Whole, sizes: Whole, numbers: Whole, places: Whole) -> None:
        self._count = len(slots)
        self._equal: int | None = int(keys[0]) if keys.min() == keys.max() else None
        keys = keys if self._equal is None else numbers[slots].astype(np.int64)
        self._slots, self._keys = slots, keys
        self._base = int(keys.min())
        self._buckets = _bucket(keys - self._base)
        self._sums = np.bincount(self._buckets, weights=sizes[slots], minlength=_BUCKETS).astype(np.int64)
        self._starts: Whole | None = None
        places[slots] = np.arange(self._count)

    def resized(self, place: int, rows: int) -> None:
        """The child in `place` takes so many rows more."""
        self._sums[self._buckets[place]] += rows
        self._starts = None

    def takes(self, key: int) -> bool:
        """Say whether a child of that key can be added; where all were equal, one that is not cannot."""
        return self._equal is None or key == self._equal

    def added(self, slot: int, key: int, number: int, places: Whole) -> None:
        """A child came; its rows are told by `resized`."""
        key = key if self._equal is None else number
        if self._count == len(self._slots):
            self._grow()
        place = places[slot] = self._count
        self._slots[place], self._keys[place] = slot, key
        self._buckets[place] = _bucket(np.array([max(0, key - self._base)]))[0]
        self._count += 1

    def removed(self, slot: int, places: Whole) -> None:
        """A child, whose rows are gone already, left; the last one in the list takes its place."""
        place, last = int(places[slot]), self._count - 1
        moved = int(self._slots[last])
        self._slots[place], self._keys[place] = moved, self._keys[last]
        self._buckets[place] = self._buckets[last]
        places[moved] = place
        self._count = last

    def placed(self, sizes: Whole, numbers: Whole, first: int, stop: int) -> Placed:
        """Return the children that have rows among [first, stop)."""
        starts = self._bucket_starts()
        low, high = _span(starts, first, stop)
        buckets = self._buckets[: self._count]
        members = np.flatnonzero((buckets >= low) & (buckets <= high))
        members = members[sizes[self._slots[members]] > 0]
        found = _Search(self._slots, self._keys, sizes, numbers, first, stop)
        return found.among(members, int(starts[low]))

    def row_of(self, sizes: Whole, numbers: Whole, place: int) -> int:
        """Return the first row of the child in `place`."""
        bucket, key, slots = self._buckets[place], self._keys[place], self._slots
        members = np.flatnonzero(self._buckets[: self._count] == bucket)
        keys = self._keys[members]
        before = members[(keys < key) | ((keys == key) & (numbers[slots[members]] < numbers[slots[place]]))]
        return int(self._bucket_starts()[bucket] + sizes[slots[before]].sum())

    def _bucket_starts(self) -> Whole:
        if self._starts is None:
            self._starts = np.cumsum(self._sums) - self._sums
        return self._starts

    def _grow(self) -> None:
        more = max(16, self._count // 8)
        self._slots = np.concatenate([self._slots, np.zeros(more, np.int64)])
        self._keys = np.concatenate([self._keys, np.zeros(more, np.int64)])
        self._buckets = np.concatenate([self._buckets, np.zeros(more, np.uint16)])


class _Search:
    """Looks for the children that have rows among [first, stop), in ever finer buckets."""

    def __init__(self, slots: Whole, keys: Whole, sizes: Whole, numbers: Whole, first: int, stop: int) -> None:
        self._slots, self._keys, self._sizes, self._numbers = slots, keys, sizes, numbers
        self._first, self._stop = first, stop

    def among(self, members: Whole, base: int) -> Placed:
        """Return those of `members`, places of children whose rows begin at `base`, that have rows in the window."""
        slots, keys = self._slots[members], self._keys[members]
        if len(members) <= _SORTED:
            return self._sorted(slots, keys, base)
        least = keys.min()
        if least == keys.max():
            keys = self._numbers[slots]
            least = keys.min()
        buckets = _bucket(keys - least)
        sums = np.bincount(buckets, weights=self._sizes[slots]).astype(np.int64)
        starts = base + np.cumsum(sums) - sums
        low, high = _span(starts, self._first, self._stop)
        placed = self.among(members[buckets == low], int(starts[low]))
        if high > low + 1:
            placed += self.among(members[(buckets > low) & (buckets < high)], int(starts[low + 1]))
        if high > low:
            placed += self.among(members[buckets == high], int(starts[high]))
        return placed

    def _sorted(self, slots: Whole, keys: Whole, base: int) -> Placed:
        slots = slots[np.lexsort((self._numbers[slots], keys))]
        ends = base + np.cumsum(self._sizes[slots])
        start, end = int(np.searchsorted(ends, self._first, "right")), int(np.searchsorted(ends, self._stop)) + 1
        return _listed(slots[start:end], self._sizes, int(ends[start - 1]) if start else base, self._stop)


def _bucket(keys: Whole) -> NDArray[np.uint16]:
    """Return a bucket per key, none of them negative: 128 for each power of two, so that none gets most of them."""
    bits = keys.astype(np.float32).view(np.uint32)
    return (bits >> 16).astype(np.uint16)


def _span(starts: Whole, first: int, stop: int) -> tuple[int, int]:
    """Return the buckets that hold the first and the last row of [first, stop)."""
    low, high = np.searchsorted(starts, [first, stop - 1], "right") - 1
    return max(0, int(low)), max(0, int(high))


def _listed(slots: Whole, sizes: Whole, base: int, stop: int) -> Placed:
    """Return the slots that take rows, with where these begin."""
    placed: Placed = []
    for slot, rows in zip(slots.tolist(), sizes[slots].tolist(), strict=True):
        if rows and base < stop:
            placed.append((slot, base))
        base += rows
    return placed
