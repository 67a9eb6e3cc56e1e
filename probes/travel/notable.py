"""The moments of a run that are worth going to: where its hit rate fell, and where evictions burst."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from probes.travel.timeline import Timeline

Kind = Literal["fall", "burst"]

LEAST_FALL = 0.15
"""How many points (of 1) the hit rate must lose to have fallen."""

BURST_FACTOR = 3.0
"""How many times as many tokens as in the buckets that evicted anything, by their mean, make a burst."""

_SIDE_SHARE = 12
"""A fall is judged by this part of the run on each of its sides, and by MIN_SIDE buckets at least."""

_MIN_SIDE = 2
_LEAST_TRAFFIC, _LEAST_TOKENS = 0.1, 2_000
"""Each side of a fall needs this part of the mean traffic, and so many tokens: few requests prove nothing."""


@dataclass(frozen=True, slots=True)
class Notable:
    """A moment: at a fall `size` is how many points (of 1) the hit rate lost, in a burst how many tokens went."""

    at: int
    kind: Kind
    size: float


def notables(timeline: Timeline) -> tuple[Notable, ...]:
    """Return the moments of a run in their order."""
    found = [Notable(timeline.begin_of(bucket), "fall", size) for bucket, size in _falls(timeline)]
    found += [Notable(timeline.begin_of(bucket), "burst", size) for bucket, size in _bursts(timeline.evicted_tokens)]
    return tuple(sorted(found, key=lambda notable: notable.at))


def largest_fall(found: Sequence[Notable]) -> Notable | None:
    """Return where the hit rate fell most; None where it never did."""
    return max((one for one in found if one.kind == "fall"), key=lambda one: one.size, default=None)


def _falls(timeline: Timeline) -> Iterator[tuple[int, float]]:
    """Yield the bucket and the size of each fall: the largest one among all that are near each other."""
    buckets = len(timeline.queried_tokens)
    side = max(_MIN_SIDE, buckets // _SIDE_SHARE)
    queried = [0, *accumulate(timeline.queried_tokens)]
    hit = [0, *accumulate(timeline.hit_tokens)]
    least = max(_LEAST_TOKENS, queried[-1] * side / max(1, buckets) * _LEAST_TRAFFIC)

    def rate(start: int, end: int) -> float | None:
        asked = queried[end] - queried[start]
        return (hit[end] - hit[start]) / asked if asked >= least else None

    best: tuple[int, float] | None = None
    for bucket in range(side, buckets - side + 1):
        before, after = rate(bucket - side, bucket), rate(bucket, bucket + side)
        if before is None or after is None or before - after < LEAST_FALL:
            continue
        fall = bucket, before - after
        if best is not None and bucket - best[0] > side:
            yield best
            best = fall
        elif best is None or fall[1] > best[1]:
            best = fall
    if best is not None:
        yield best


def _bursts(evicted: Sequence[int]) -> Iterator[tuple[int, float]]:
    """Yield the first bucket of each burst and the tokens of all its buckets."""
    busy = [tokens for tokens in evicted if tokens]
    least = BURST_FACTOR * sum(busy) / len(busy) if busy else 0.0
    began: int | None = None
    tokens = 0
    for bucket, gone in enumerate((*evicted, 0)):
        if busy and gone >= least:
            began = bucket if began is None else began
            tokens += gone
        elif began is not None:
            yield began, float(tokens)
            began, tokens = None, 0
