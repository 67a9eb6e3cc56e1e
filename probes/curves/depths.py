"""How deep a run lies: how many blocks were touched after it, of all that are there."""

from __future__ import annotations

from probes.curves.recency import Run

_LEAST_GROUP = 6
"""The least number of bits in which a place counts within its group."""


class Depths:
    """The sizes of runs by the order of their requests, with the sums of groups of them.

    Places are given anew, without the runs that are gone, whenever they run out, so that there are about as many as
    there are runs. A group is about as large as there are groups: a depth is two short sums.
    """

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.live_runs = 0
        """How many runs there were when places were given anew, at least half of those that are there."""
        self.sizes: list[int] = []
        self.groups: list[int] = []
        self.bits = _LEAST_GROUP
        self._oldest = 0
        self._places([])

    def add(self, run: Run) -> None:
        """Take a run in as the latest of all."""
        place = len(self.runs)
        if place == len(self.sizes):
            self._places([run for run in self.runs if run.ids])
            place = len(self.runs)
        run.order = place
        self.runs.append(run)
        size = len(run.ids)
        self.sizes[place] = size
        self.groups[place >> self.bits] += size

    def above(self, run: Run) -> int:
        """Return how many bytes were touched after a run."""
        group = (run.order >> self.bits) + 1
        return sum(self.sizes[run.order + 1 : group << self.bits]) + sum(self.groups[group:])

    def drop(self, size: int) -> None:
        """Drop so many bytes of the runs that were touched first."""
        while size:
            run = self.runs[self._oldest]
            held = len(run.ids)
            gone = min(held, size)
            if held:
                run.keep(held - gone)
                self.sizes[self._oldest] -= gone
                self.groups[self._oldest >> self.bits] -= gone
                size -= gone
            if gone == held:
                self._oldest += 1

    def drop_runs(self, count: int) -> int:
        """Drop so many of the runs that were touched first, and return how many bytes they had."""
        dropped = 0
        while count and self._oldest < len(self.runs):
            held = len(self.runs[self._oldest].ids)
            if held:
                self.drop(held)
                dropped += held
                count -= 1
            else:
                self._oldest += 1
        return dropped

    def _places(self, runs: list[Run]) -> None:
        """Give each of the runs a place, and room for as many again."""
        self.bits = max(_LEAST_GROUP, (2 * len(runs)).bit_length() // 2)
        count = max(2 * len(runs) >> self.bits, 1 << _LEAST_GROUP)
        self.sizes = [0] * (count << self.bits)
        self.groups = [0] * count
        self._oldest = 0
        self.live_runs = len(runs)
        self.runs = runs
        for place, run in enumerate(runs):
            run.order = place
            self.sizes[place] = len(run.ids)
            self.groups[place >> self.bits] += len(run.ids)
