"""A distribution on a logarithmic axis, as samples carry it: quantiles, and bins of equal ratio."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from probes.histogram import Histogram

PER_DECADE = 8
"""Bins in a power of ten: bin n holds the values from 10 ** (n / 8) up to the next one's."""


@dataclass(frozen=True, slots=True)
class LogShape:
    """What is known of some values; all but `count` is None, and there are no bins, while there was none.

    `bins[i]` counts the values of bin `first + i`; values below 1 are in bin 0. Both ends hold something. Quantiles
    are off by at most 1/64 of their value where they come from a histogram, else by the width of a bin.
    """

    count: int = 0
    mean: float | None = None
    p10: float | None = None
    p50: float | None = None
    p90: float | None = None
    p99: float | None = None
    first: int = 0
    bins: tuple[int, ...] = ()

    def shares(self) -> dict[int, float]:
        """Return the share (0..1) of the values in each bin that holds some."""
        return {self.first + i: held / self.count for i, held in enumerate(self.bins) if held}


def edge(number: int) -> float:
    """Return the value at which a bin begins."""
    return float(10 ** (number / PER_DECADE))


def bin_of(value: float) -> int:
    """Return the bin that a value is in."""
    return floor(log10(value) * PER_DECADE) if value > 1 else 0


def shape_of(histogram: Histogram) -> LogShape:
    """Return the shape of what a histogram counted."""
    if not histogram.count:
        return LogShape()
    held: dict[int, int] = {}
    values = list(histogram.buckets())
    for middle, count in values:
        place = bin_of(middle)
        held[place] = held.get(place, 0) + count
    return _shape(histogram.total / histogram.count, histogram.count, values, held)


def shape_of_bins(held: Sequence[int], mean: float) -> LogShape:
    """Return the shape of values that are counted by bin, from bin 0 on, and whose mean is known."""
    counted = {place: count for place, count in enumerate(held) if count}
    total = sum(counted.values())
    middles = [(10 ** ((place + 0.5) / PER_DECADE), count) for place, count in counted.items()]
    return _shape(mean, total, middles, counted) if total else LogShape()


def overlap(one: LogShape, other: LogShape) -> float | None:
    """Return how much two distributions have in common: 0 when no bin holds both, 1 when they are the same."""
    if not one.count or not other.count:
        return None
    others = other.shares()
    return sum(min(share, others.get(place, 0.0)) for place, share in one.shares().items())


def _shape(mean: float, count: int, values: Iterable[tuple[float, int]], held: dict[int, int]) -> LogShape:
    first, last = min(held), max(held)
    p10, p50, p90, p99 = _quantiles(values, count, (0.1, 0.5, 0.9, 0.99))
    bins = tuple(held.get(place, 0) for place in range(first, last + 1))
    return LogShape(count, mean, p10, p50, p90, p99, first, bins)


def _quantiles(values: Iterable[tuple[float, int]], count: int, shares: Sequence[float]) -> list[float]:
    """Return for each share, ascending, the value that so many do not exceed; values ascend, too."""
    found: list[float] = []
    seen = 0
    for value, times in values:
        seen += times
        while len(found) < len(shares) and seen >= max(1, ceil(shares[len(found)] * count)):
            found.append(value)
    return found
