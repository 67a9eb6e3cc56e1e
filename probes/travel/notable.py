"""The moments of a run that are worth going to: where its hit rate fell, and where evictions burst."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from probes.travel.falls import falls
from probes.travel.timeline import Timeline

Kind = Literal["fall", "burst"]

BURST_FACTOR = 3.0
"""How many times as many tokens as in the buckets that evicted anything, by their mean, make a burst."""


@dataclass(frozen=True, slots=True)
class Notable:
    """A moment: at a fall `size` is how many points (of 1) the hit rate lost, in a burst how many tokens went."""

    at: int
    kind: Kind
    size: float


def notables(timeline: Timeline) -> tuple[Notable, ...]:
    """Return the moments of a run in their order."""
    found = [Notable(timeline.begin_of(fall.bucket), "fall", fall.size) for fall in falls(timeline)]
    found += [Notable(timeline.begin_of(bucket), "burst", size) for bucket, size in _bursts(timeline.evicted_tokens)]
    return tuple(sorted(found, key=lambda notable: notable.at))


def largest_fall(found: Sequence[Notable]) -> Notable | None:
    """Return where the hit rate fell most; None where it never did."""
    return max((one for one in found if one.kind == "fall"), key=lambda one: one.size, default=None)


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
