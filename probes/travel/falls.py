"""Where the hit rate of a run fell: of seconds in a run of minutes, and of minutes in one of hours.

A fall is a difference between what comes before a moment and what comes after it, over stretches of equal length: it
is looked for at every length from LEAST_SIDE_NS to a part of the run, each twice the last. At each, both stretches
need traffic, and the difference must be large, and larger than what chance makes of a rate that wavers so much from
bucket to bucket. How much it wavers is told by what follows each other, which a fall hardly changes (J. von Neumann,
Distribution of the ratio of the mean square successive difference to the variance, 1941); how deep the deepest of n
chances is, by sqrt(2 log n).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import log, sqrt
from operator import mul
from typing import NamedTuple

from probes.travel.timeline import Timeline

LEAST_FALL = 0.15
"""How many points (of 1) the hit rate must lose to have fallen."""

LEAST_SIDE_NS = 2_500_000_000
"""A dip that is over sooner is none that anybody would look for."""

_SIDE_SHARE = 12
"""The longest stretch is this part of the run."""
_MIN_SIDE = 2
_BEYOND_CHANCE = 1.0
"""How many standard errors a fall must be deeper than the deepest of so many that chance alone makes."""
_LEAST_TRAFFIC, _LEAST_TOKENS = 0.1, 2_000
"""Each side of a fall needs this part of the mean traffic, and so many tokens: few requests prove nothing."""


@dataclass(frozen=True, slots=True)
class Fall:
    """From `bucket` on the rate was `size` lower than before it, over `side` buckets each."""

    bucket: int
    size: float
    side: int


class Stretches(NamedTuple):
    """The buckets from `start` to `bucket`, and those from there to `end`."""

    start: int
    bucket: int
    end: int


def falls(timeline: Timeline) -> list[Fall]:
    """Return the falls of a run in their order, of those that are near each other the largest one."""
    buckets = len(timeline.queried_tokens)
    sums = _Sums(timeline.queried_tokens, timeline.hit_tokens)
    found = [fall for side in _sides(buckets, timeline.bucket_ns) for fall in _at_scale(sums, buckets, side)]
    kept: list[Fall] = []
    for fall in sorted(found, key=lambda fall: (-fall.size, fall.bucket)):
        if all(abs(fall.bucket - other.bucket) > max(fall.side, other.side) for other in kept):
            kept.append(fall)
    return sorted(kept, key=lambda fall: fall.bucket)


def _sides(buckets: int, bucket_ns: int) -> Iterator[int]:
    longest = max(_MIN_SIDE, buckets // _SIDE_SHARE)
    side = max(_MIN_SIDE, -(-LEAST_SIDE_NS // bucket_ns))
    while side < longest:
        yield side
        side *= 2
    yield longest


def _at_scale(sums: _Sums, buckets: int, side: int) -> Iterator[Fall]:
    """Yield the falls between stretches of `side` buckets: the largest one among all that are near each other."""
    least = max(_LEAST_TOKENS, sums.queried[-1] * side / max(1, buckets) * _LEAST_TRAFFIC)
    errors = sqrt(2 * log(max(2.0, 2 * buckets / side))) + _BEYOND_CHANCE
    best: Fall | None = None
    for bucket in range(side, buckets - side + 1):
        size = sums.fall(Stretches(bucket - side, bucket, bucket + side), least, errors)
        if size < LEAST_FALL:
            continue
        if best is not None and bucket - best.bucket > side:
            yield best
            best = Fall(bucket, size, side)
        elif best is None or size > best.size:
            best = Fall(bucket, size, side)
    if best is not None:
        yield best


class _Sums:
    """Sums from the start up to each bucket, so that those of any stretch are differences."""

    def __init__(self, queried: Sequence[int], hit: Sequence[int]) -> None:
        self.queried = [0, *accumulate(queried)]
        self._hit = [0, *accumulate(hit)]
        self._squares = [0, *accumulate(map(mul, queried, queried))]
        rates = [gone / asked for asked, gone in zip(queried, hit, strict=True) if asked]
        steps = [(rate - later) ** 2 for rate, later in pairwise(rates)]
        self._wavering: float = sum(steps) / (2 * len(steps)) if steps else 0.0

    def fall(self, at: Stretches, least_tokens: float, errors: float) -> float:
        """Return by how much the rate fell at a bucket; 0 for what few requests, or chance, would explain."""
        start, bucket, end = at
        before, after = self._queried(start, bucket), self._queried(bucket, end)
        if min(before, after) < least_tokens:
            return 0.0
        high, low = self._rate(start, bucket, before), self._rate(bucket, end, after)
        size = high - low
        if size < LEAST_FALL:
            return 0.0
        error: float = sqrt(self._wavering * (self._weight(start, bucket, before) + self._weight(bucket, end, after)))
        return size if size >= errors * error else 0.0

    def _queried(self, start: int, end: int) -> int:
        return self.queried[end] - self.queried[start]

    def _rate(self, start: int, end: int, queried: int) -> float:
        return (self._hit[end] - self._hit[start]) / queried

    def _weight(self, start: int, end: int, queried: int) -> float:
        """Return the variance of a stretch's rate as a part of that of one bucket's."""
        return float(self._squares[end] - self._squares[start]) / (queried * queried)
