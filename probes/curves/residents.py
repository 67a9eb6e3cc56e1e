"""What is in a tree, in the order in which it was touched last."""

from __future__ import annotations

from heapq import nlargest

from probes.mirroring.columns import Columns
from probes.mirroring.node import ROOT

MOST_PATHS = 1 << 12


def residents(columns: Columns) -> list[tuple[int, int]]:
    """Return the slots that paths ended in and where those end, the newest so many, oldest first.

    Whoever touches a node touches all above it, so a path ended in a leaf, and where nothing below is as new.
    """
    newest_below: dict[int, int] = {}
    touched = {slot: columns.touched_at_of(slot) for slot in columns.slots() if slot != ROOT}
    for slot, at in touched.items():
        above = columns.parent[slot]
        newest_below[above] = max(at, newest_below.get(above, -2))
    ended = ((at, slot) for slot, at in touched.items() if at > newest_below.get(slot, -2))
    newest = nlargest(MOST_PATHS, ended)
    return [(slot, columns.start[slot] + columns.length[slot]) for _, slot in reversed(newest)]
