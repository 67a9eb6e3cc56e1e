"""The next row that a filter let through for its own sake."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from radixtop.tree.layout import Layout
from radixtop.tree.openness import Mask
from radixtop.tree.order import Whole
from radixtop.tree.top_list import TopList

_AT_A_TIME = 256
_MOST = 16_384
"""How many rows are looked through: what a filter leaves is a match every few rows."""


def found(rows: Layout | TopList, slot: int, direction: int, matches: Callable[[Whole], Mask]) -> int:
    """Return the slot of the first match after the row of `slot` (before it, where `direction` is -1), or -1."""
    row = rows.row_of(slot) if slot >= 0 else -1
    at = row + direction
    for _ in range(_MOST // _AT_A_TIME):
        first = at if direction > 0 else max(0, at - _AT_A_TIME + 1)
        count = _AT_A_TIME if direction > 0 else at - first + 1
        places = rows.window(first, count) if at >= 0 else []
        if not places:
            return -1
        hits = np.flatnonzero(matches(np.array([place.slot for place in places])))
        if len(hits):
            return places[int(hits[0] if direction > 0 else hits[-1])].slot
        at = first + count if direction > 0 else first - 1
    return -1
