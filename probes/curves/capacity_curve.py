"""What LRU hits at every capacity."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_POINTS = 256


@dataclass(frozen=True, slots=True)
class CapacityCurve:
    """Hit tokens by capacity: straight between corners, which `capacities` and `hits` hold, ascending from 0 blocks.

    `largest_blocks` is the capacity up to which it is known, None for every one. `ceiling_hit_tokens` is what an
    infinite cache hits, None where that is not known.
    """

    requests: int
    queried_tokens: int
    queried_blocks: int
    largest_blocks: int | None
    ceiling_hit_tokens: int | None
    capacities: Sequence[int]
    hits: Sequence[int]

    def hit_tokens(self, capacity_blocks: int) -> int:
        """Return what a cache of so many blocks hits. Raises ValueError beyond `largest_blocks`."""
        if self.largest_blocks is not None and capacity_blocks > self.largest_blocks:
            raise ValueError(f"{capacity_blocks=} is beyond {self.largest_blocks=}, which the curve ends at")
        upper = bisect_right(self.capacities, capacity_blocks)
        if upper == len(self.capacities):
            return self.hits[-1]
        (start, end), (low, high) = self.capacities[upper - 1 : upper + 1], self.hits[upper - 1 : upper + 1]
        return low + (high - low) * (capacity_blocks - start) // (end - start)

    def hit_rate(self, capacity_blocks: int) -> float | None:
        """Return hit tokens over queried tokens; None where nothing was queried."""
        return self.hit_tokens(capacity_blocks) / self.queried_tokens if self.queried_tokens else None

    def capacity_of(self, tokens: int) -> int:
        """Return how many blocks hold so many tokens, at the mean length of the blocks that were asked for."""
        return tokens * self.queried_blocks // self.queried_tokens if self.queried_tokens else 0

    @property
    def points(self) -> tuple[tuple[int, int], ...]:
        """Return capacities and hit tokens to draw: corners at even steps of hits, first and last included."""
        step = max(1, self.hits[-1] // _POINTS)
        drawn = [(self.capacities[0], self.hits[0])]
        for capacity, hit in zip(self.capacities, self.hits, strict=True):
            if hit >= drawn[-1][1] + step:
                drawn.append((capacity, hit))
        last = self.capacities[-1], self.hits[-1]
        return tuple(drawn) if drawn[-1] == last else (*drawn, last)
