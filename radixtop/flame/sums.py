"""A weight of every node summed up over all below it, a slice of time at a turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from probes.mirror import Mirror

if TYPE_CHECKING:
    from numpy.typing import NDArray

SLICE_NODES = 50_000
"""How many nodes are copied, sorted or added up between two looks at the clock."""

_FEW = 1_000
"""A level with fewer nodes is no step of its own: the clock costs as much."""

Weigh = Callable[[Mirror, slice], "NDArray[Any]"]
"""Returns what some slots weigh by themselves."""


class SubtreeSum:
    """The sum over copies of columns, by slot.

    The mirror may change between two turns. What it changes while columns are copied may be counted or not.
    """

    def __init__(self, mirror: Mirror, weigh: Weigh, began_at: int) -> None:
        import numpy as np

        count = mirror.columns.used
        self.began_at = began_at
        self.version = mirror.version
        self.is_done = False
        self.own, self.ids = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self._parent, self._height = np.zeros(count, np.int32), np.zeros(count, np.int32)
        self._steps = self._run(mirror, weigh)

    def go_on(self, clock: Callable[[], int], until: int) -> None:
        """Add up until that time, or to the end."""
        while not self.is_done and clock() < until:
            self.is_done = next(self._steps, None) is None

    def _run(self, mirror: Mirror, weigh: Weigh) -> Iterator[bool]:
        for part in _slices(len(self.own)):
            columns = mirror.columns
            part = slice(part.start, min(part.stop, columns.used))
            self.own[part] = weigh(mirror, part)
            self.ids[part] = columns.view("id")[part]
            self._parent[part] = columns.view("parent")[part]
            self._height[part] = columns.view("height")[part]
            yield True
        self.totals = self.own.copy()
        yield from self._add_up()

    def _add_up(self) -> Iterator[bool]:
        """Add nodes to their parents, the lowest first, so that each is complete when its turn comes."""
        import numpy as np

        has_parent = (self._parent >= 0) & (self._parent < len(self.own))
        heights = np.where(has_parent, self._height, 0)  # no node is 0 high: what hangs nowhere comes first
        yield True
        ends = np.cumsum(np.bincount(heights, minlength=1))
        slots = np.empty(len(heights), np.int32)
        for _ in _sort_by(heights, ends, slots):
            yield True
        parent, totals = self._parent, self.totals
        for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            for part in _slices(last - first):
                chosen = slots[first + part.start : first + part.stop]
                np.add.at(totals, parent[chosen], totals[chosen])
                if len(chosen) > _FEW:
                    yield True


def _slices(count: int) -> Iterator[slice]:
    return (slice(start, min(start + SLICE_NODES, count)) for start in range(0, count, SLICE_NODES))


def _sort_by(keys: NDArray[Any], ends: NDArray[Any], slots: NDArray[Any]) -> Iterator[bool]:
    """Fill `slots` with the places of keys in ascending order of keys; `ends` says where each key's places end."""
    import numpy as np

    free = np.concatenate(([0], ends[:-1]))
    for part in _slices(len(keys)):
        order = np.argsort(keys[part], kind="stable")
        ordered = keys[part][order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        counts = np.diff(starts, append=len(ordered))
        within = np.arange(len(ordered)) - np.repeat(starts, counts)
        slots[free[ordered] + within] = order + part.start
        free[ordered[starts]] += counts
        yield True
