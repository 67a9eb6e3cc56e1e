"""A honeycomb over two logarithmic axes: which cell a point falls into, and where a cell's middle is.

Two rectangular lattices, the second half a cell off in both directions; a point belongs to the nearer centre
(D. B. Carr et al. 1987, "Scatterplot matrix techniques for large N").
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import log10, sqrt

CELLS_PER_DECADE = 12
"""How many columns of cells a factor of ten takes."""

_ROW = sqrt(3)
"""The height of a row of one lattice, in widths of a cell."""


@dataclass(frozen=True, slots=True)
class Hex:
    """A cell that holds `count` points around (10**x, 10**y)."""

    x: float
    y: float
    count: int


class Honeycomb:
    """Counts points by cell. Values below 1 count as 1, so 64-bit ones fall into at most 230 x 270 cells."""

    __slots__ = ("_cells",)

    def __init__(self) -> None:
        self._cells: Counter[tuple[int, int, int]] = Counter()

    def add(self, x: float, y: float) -> None:
        """Count the point (x, y)."""
        across = log10(x) * CELLS_PER_DECADE if x > 1 else 0.0
        up = log10(y) * CELLS_PER_DECADE / _ROW if y > 1 else 0.0
        column, row = round(across), round(up)
        other_column, other_row = int(across // 1), int(up // 1)
        near = (across - column) ** 2 + 3 * (up - row) ** 2
        far = (across - other_column - 0.5) ** 2 + 3 * (up - other_row - 0.5) ** 2
        self._cells[(0, column, row) if near <= far else (1, other_column, other_row)] += 1

    def hexes(self) -> tuple[Hex, ...]:
        """Return the cells that hold something, those with the most points last."""
        by_count = sorted(self._cells.items(), key=lambda item: (item[1], item[0]))
        return tuple(
            Hex((column + shift / 2) / CELLS_PER_DECADE, (row + shift / 2) * _ROW / CELLS_PER_DECADE, count)
            for (shift, column, row), count in by_count
        )
