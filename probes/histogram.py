"""A log-linear histogram of non-negative integers, and the quantiles read off it.

32 sub-buckets per power of two: a quantile is off by at most 1/64 of its value, whatever the range. Counting one
value is a shift, two adds and a list store.
The layout is that of HdrHistogram (G. Tene, http://hdrhistogram.org).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil

SUB_BUCKETS = 32
_SUB_BITS = SUB_BUCKETS.bit_length() - 1


@dataclass(frozen=True, slots=True)
class Quantiles:
    """A distribution in four numbers; all but `count` are None while nothing was counted. Times are nanoseconds.

    `total` is the exact sum of the values, and `octaves[n]` how many of them have n binary digits: those below
    2**n are the sum of octaves[:n + 1]. Both are what exports of whole histograms read, and no part of a comparison.
    """

    count: int = 0
    mean: float | None = None
    p50: float | None = None
    p99: float | None = None
    total: int = field(default=0, compare=False)
    octaves: tuple[int, ...] = field(default=(), compare=False)

    def at_most(self, digits: int) -> int:
        """Return how many values have at most so many binary digits, which is exact: 2**digits is a bucket's edge."""
        return sum(self.octaves[: digits + 1])


class Histogram:
    """Counts values; negative ones count as 0. `count` and `total` are exact."""

    __slots__ = ("_buckets", "count", "total")

    def __init__(self) -> None:
        self._buckets: list[int] = []
        self.count = 0
        self.total = 0

    def add(self, value: int, times: int = 1) -> None:
        """Count one value, so many times."""
        if value < 0:
            value = 0
        shift = value.bit_length() - 1 - _SUB_BITS
        index = ((shift + 1) << _SUB_BITS) + ((value >> shift) & (SUB_BUCKETS - 1)) if shift > 0 else value
        buckets = self._buckets
        try:
            buckets[index] += times
        except IndexError:
            buckets.extend([0] * (index - len(buckets)))
            buckets.append(times)
        self.count += times
        self.total += value * times

    def quantile(self, share: float) -> float | None:
        """Return the value that `share` (0..1) of the counted values do not exceed; None when nothing was counted."""
        if not self.count:
            return None
        rank = max(1, ceil(share * self.count))
        seen = 0
        for index, count in enumerate(self._buckets):
            seen += count
            if seen >= rank:
                return _middle(index)
        raise AssertionError(f"{seen=} of {self.count=} values in the buckets")

    def buckets(self) -> Iterator[tuple[float, int]]:
        """Yield the middle of every bucket that holds something and how many values that is, ascending."""
        return ((_middle(index), count) for index, count in enumerate(self._buckets) if count)

    def share_below(self, value: float | None) -> float | None:
        """Return the share (0..1) of the counted values that are below `value`; None when either is not known."""
        if value is None or not self.count:
            return None
        return sum(count for middle, count in self.buckets() if middle < value) / self.count

    def quantiles(self) -> Quantiles:
        """Return the distribution so far."""
        if not self.count:
            return Quantiles()
        mean = self.total / self.count
        return Quantiles(self.count, mean, self.quantile(0.50), self.quantile(0.99), self.total, self.octaves())

    def octaves(self) -> tuple[int, ...]:
        """Return how many values have 0, 1, 2, ... binary digits, to the most that a counted value has."""
        buckets = self._buckets
        counts, start, end = [], 0, 1
        while start < len(buckets):
            counts.append(sum(buckets[start:end]))
            start, end = end, min(2 * end, end + SUB_BUCKETS)
        return tuple(counts)


def _middle(index: int) -> float:
    """Return the middle of the values that share a bucket: [low, low + 2**shift)."""
    shift = (index >> _SUB_BITS) - 1
    if shift <= 0:
        return float(index)
    low = (SUB_BUCKETS + (index & (SUB_BUCKETS - 1))) << shift
    return low + ((1 << shift) - 1) / 2
