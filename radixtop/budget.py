"""Work that grows with the tree, on the thread that ticks: done in slices, and left alone for a while then."""

from __future__ import annotations

from collections.abc import Callable

BUDGET_NS = 10_000_000
"""For so long an answer goes on with such work."""

REST = 19
"""Work that is done is followed by a rest of so many times what it took: at most a twentieth of the thread."""

SLICE_SLOTS = 1 << 16
"""So many nodes are looked at in one go, which takes some milliseconds."""

BEHIND_NS = 3_000_000_000
"""From this age on a screen says of when it shows what such work came to."""


def work(slice_of_it: Callable[[], bool], clock: Callable[[], int], budget_ns: int = BUDGET_NS) -> bool:
    """Do slices, at least one, until one says that it was the last or the time is over; say whether all is done."""
    until = clock() + budget_ns
    while not slice_of_it():
        if clock() >= until:
            return False
    return True


class Rest:
    """How long work is left alone after it was done. Times are nanoseconds of one clock."""

    def __init__(self) -> None:
        self._until = 0

    def begin(self, now: int, cost_ns: int) -> None:
        """Rest after work that ended now and took so long."""
        self._until = now + REST * cost_ns

    def is_over(self, now: int) -> bool:
        """Say whether it may be done again."""
        return now >= self._until
