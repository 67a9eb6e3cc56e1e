"""Slices made to nest, so that viewers drop none of them."""

from __future__ import annotations

_REMEMBERED = 4096
"""How many slices side by side a lane knows; one that encloses more begins at the end of what was forgotten."""


class Lane:
    """Fits intervals into a track in which they must nest; they come in the order of their ends.

    A slice encloses what came before it or begins after it. One that begins inside an earlier one and ends after it,
    as clocks that disagree make it, begins at the end of that one; one that comes too late is drawn empty.

        earlier        [--------)   [---)
        encloses    [----------------------)
        is cut               xxx[----------)
    """

    def __init__(self) -> None:
        self._outermost: list[tuple[int, int]] = []
        self._least = 0

    def fit(self, start: int, end: int) -> tuple[int, int]:
        """Return the interval as it may be drawn, and remember it for those to come."""
        outermost = self._outermost
        last_end = outermost[-1][1] if outermost else self._least
        if end < last_end:
            return last_end, last_end
        while outermost and outermost[-1][0] >= start:
            outermost.pop()
        start = max(start, outermost[-1][1] if outermost else self._least)
        outermost.append((start, end))
        if len(outermost) > _REMEMBERED:
            self._least = outermost[_REMEMBERED // 2 - 1][1]
            del outermost[: _REMEMBERED // 2]
        return start, end
