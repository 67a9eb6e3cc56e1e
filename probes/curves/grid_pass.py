"""The curve of LRU at some capacities, while requests go on: steps are summed up between those as they come."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from probes.curves.recency import ID_BYTES
from probes.curves.stack_pass import StackPass

MOST_RUNS = 1 << 15
"""Of more runs the oldest are forgotten; there may be twice that for a while, at about 600 bytes each."""

_MOST_STEPS = 1 << 12


class GridPass(StackPass[defaultdict[int, int]]):
    """Counts what is hit at each of some capacities in blocks, ascending; the last one is the largest.

    A cache of n blocks hits the sum of (n - depth) * step over all steps less deep than n, so it takes two sums for
    each capacity, whatever the number of blocks.
    """

    def __init__(self, capacities: Sequence[int], most_runs: int = MOST_RUNS) -> None:
        super().__init__(capacities[-1], defaultdict(int))
        self.capacities = (*capacities,)
        self.known_blocks = capacities[-1]
        """Up to which capacity hits are known: to the last one, unless too many runs were held."""
        self._sums = [0] * len(capacities)
        self._moments = [0] * len(capacities)
        self._most_runs = most_runs

    def __deepcopy__(self, memo: dict[int, Any]) -> GridPass:
        """See StackPass."""
        twin = super().__deepcopy__(memo)
        twin._sums, twin._moments = self._sums[:], self._moments[:]
        return twin

    def hits(self) -> tuple[int, ...]:
        """Return the tokens that were hit, by capacity."""
        self._settle()
        hits: list[int] = []
        steps = moments = 0
        for capacity, some, others in zip(self.capacities, self._sums, self._moments, strict=True):
            steps += some
            moments += others
            hits.append(capacity * steps - moments)
        return tuple(hits)

    def _grown(self, blocks: int) -> None:
        if len(self.steps) > _MOST_STEPS:
            self._settle()
        if self._depths.live_runs > self._most_runs:
            self._held -= self._depths.drop_runs(self._depths.live_runs - self._most_runs // 2)
            self._depths.live_runs = 0
            self.has_forgotten = True
            self.known_blocks = min(self.known_blocks, self._held // ID_BYTES)

    def _settle(self) -> None:
        """Sum up the steps that came since the last time."""
        for depth, change in self.steps.items():
            place = bisect_left(self.capacities, depth)
            if change and place < len(self.capacities):
                self._sums[place] += change
                self._moments[place] += change * depth
        self.steps.clear()
