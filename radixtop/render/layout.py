"""Figures beside figures, and their history in the room that is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from radixtop.render.graph import Plot, Samples, area_graph, ceiling
from radixtop.render.lines import Line, Role, beside

GAP = "  "
_TALL_GRAPH = 3
"""With so many rows to spare the graph lies below all figures; with fewer, below the second block."""


@dataclass(frozen=True, slots=True)
class Room:
    """The cells of a panel, and how many of its columns the first block of figures takes."""

    width: int
    height: int
    first_width: int

    @property
    def second_width(self) -> int:
        """The columns that are left for a second block."""
        return max(0, self.width - self.first_width - len(GAP))


def with_history(
    first: Sequence[Line], second: Sequence[Line], room: Room, history: Samples, roles: Sequence[Role]
) -> list[Line]:
    """Return two blocks of figures side by side with the graph of `history`, cut to the room."""
    figures = max(len(first), len(second))
    spare = room.height - figures
    if spare >= _TALL_GRAPH:
        both = beside(first, second, room.first_width, GAP) if room.second_width else list(first)
        return [*both, *area_graph(history, Plot(room.width, spare, ceiling(history)), roles)]
    if not room.second_width:
        return list(first[: room.height])
    rows = max(0, room.height - len(second))
    graph = area_graph(history, Plot(room.second_width, rows, ceiling(history)), roles)
    return beside(first, [*second, *graph], room.first_width, GAP)[: room.height]
