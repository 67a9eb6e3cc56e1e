"""A histogram as Prometheus tells it, cumulative counts by upper bound, and the quantiles that can be read off it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

Side = Literal["about", "at most", "more than"]


@dataclass(frozen=True, slots=True)
class Buckets:
    """How many values were no greater than each of `bounds`; the last of `counts` is that of all values.

    `total` is the sum of the values, None where it is not told.
    """

    bounds: tuple[float, ...]
    counts: tuple[float, ...]
    total: float | None = None

    def __post_init__(self) -> None:
        assert len(self.counts) == len(self.bounds) + 1, f"{len(self.bounds)=} {len(self.counts)=}"

    @property
    def count(self) -> float:
        """How many values there are."""
        return self.counts[-1]

    def grown_from(self, before: Buckets) -> Buckets | None:
        """Return what came since `before`, which has the same bounds; None when a count fell: it started anew."""
        counts = [now - then for now, then in zip(self.counts, before.counts, strict=True)]
        if min(counts) < 0:
            return None
        return Buckets(self.bounds, _rising(counts), _sum(self.total, before.total, -1))

    def plus(self, other: Buckets) -> Buckets:
        """Return the values of both, which have the same bounds."""
        counts = tuple(one + two for one, two in zip(self.counts, other.counts, strict=True))
        return Buckets(self.bounds, counts, _sum(self.total, other.total, 1))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A quantile as far as buckets tell it: about a value, or at most the first bound, or more than the last one."""

    value: float
    side: Side = "about"


@dataclass(frozen=True, slots=True)
class Spread:
    """A distribution in a few numbers, in its histogram's unit; all but `count` are None when nothing is known."""

    count: float = 0.0
    mean: float | None = None
    p50: Estimate | None = None
    p95: Estimate | None = None
    p99: Estimate | None = None


def quantile(buckets: Buckets, share: float) -> Estimate | None:
    """Return the value that `share` (0..1) of the values do not exceed, even between two bounds; None without values.

    What lies in the first bucket is known to be at most its bound, what lies in the last one only to be more than
    the greatest.
    """
    bounds, counts = buckets.bounds, buckets.counts
    if not bounds or counts[-1] <= 0:
        return None
    rank = share * counts[-1]
    place = next((place for place, count in enumerate(counts) if count >= rank and count > 0), len(bounds))
    if place == len(bounds):
        return Estimate(bounds[-1], "more than")
    if place == 0:
        return Estimate(bounds[0], "at most")
    low, high = bounds[place - 1], bounds[place]
    inside = counts[place] - counts[place - 1]
    return Estimate(low + (high - low) * (rank - counts[place - 1]) / inside)


def spread_of(buckets: Buckets) -> Spread:
    """Return the distribution of a histogram."""
    if buckets.count <= 0:
        return Spread()
    mean = None if buckets.total is None else buckets.total / buckets.count
    return Spread(buckets.count, mean, *(quantile(buckets, share) for share in (0.50, 0.95, 0.99)))


def cumulative(told: dict[float, float], count: float | None, total: float | None) -> Buckets | None:
    """Return the histogram of counts by bound as a page tells them; None when that makes none.

    `count` stands in for a missing bucket without a bound. Counts that do not rise are raised to the one before.
    """
    whole = told.get(float("inf"), count)
    bounds = sorted(bound for bound in told if bound != float("inf"))
    if whole is None or not bounds:
        return None
    return Buckets(tuple(bounds), _rising([*(told[bound] for bound in bounds), whole]), total)


def _rising(counts: list[float]) -> tuple[float, ...]:
    """Return counts of which none is below the one before it."""
    return tuple(accumulate(counts, max))


def _sum(one: float | None, two: float | None, sign: int) -> float | None:
    return None if one is None or two is None else one + sign * two
