"""Work that grows with the tree, done a slice at a time on the thread that ticks."""

from __future__ import annotations

from collections.abc import Callable

BUDGET_NS = 10_000_000
"""For so long an answer goes on with such work."""


def work(slice_of_it: Callable[[], bool], clock: Callable[[], int], budget_ns: int = BUDGET_NS) -> bool:
    """Do slices, at least one, until one says that it was the last or the time is over; say whether all is done."""
    until = clock() + budget_ns
    while not slice_of_it():
        if clock() >= until:
            return False
    return True
