"""An icicle in cells: a frame as wide as its share of the whole, its children below it, small ones summed up.

    |tools ....................|chat ......|+41|        4 cells of the whole are its own: nothing below them
    |a ...........|b ....|+7|  |c .........|

Edges are rounded where they lie in the whole, so what is below a frame never sticks out of it, and no rounding adds
up. A frame that would be narrower than a cell is part of its parent's fold, the last frame below it.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

_NEXT_TO_ALL = 0.9

FOLD = -1
"""The node of a frame that stands for several."""


class Grove(Protocol):
    """A tree with one weight. `total` of a node is its own and that of all below it."""

    def total(self, node: int) -> int:
        """Return the weight at and below a node."""

    def own(self, node: int) -> int:
        """Return the weight of a node alone."""

    def heavy(self, node: int, least: int) -> list[tuple[int, int]]:
        """Return the children that weigh so much or more, as (node, total), the heaviest first."""

    def child_count(self, node: int) -> int:
        """Return how many children a node has."""


def parting(grove: Grove, root: int, least: int) -> tuple[int, list[tuple[int, int]]]:
    """Return the node below which the weight of another one parts, and those right below it that weigh `least`.

    It is the last one that nearly everything passes, the other one itself if there is none.
    """
    whole = grove.total(root)
    node, heavy = root, grove.heavy(root, least)
    while len(heavy) == 1 and heavy[0][1] > _NEXT_TO_ALL * whole:
        below = grove.heavy(heavy[0][0], least)
        if not below:
            break
        node, heavy = heavy[0][0], below
    return node, heavy


class Place(NamedTuple):
    """One frame. `parent` is its place in the row above; `folded` counts the siblings that a fold stands for."""

    node: int
    parent: int
    x: int
    cells: int
    total: int
    folded: int = 0


class _Span(NamedTuple):
    """Where a frame begins in the whole, by weight, and where it ends in cells."""

    start: int
    end_cell: int


def layout(grove: Grove, root: int, width: int, rows: int) -> list[list[Place]]:
    """Return the frames of each row from `root` down; rows without a frame are left out. Nothing weighs nothing."""
    whole = grove.total(root)
    if whole <= 0 or width <= 0 or rows <= 0:
        return []
    least = -(-whole // width)
    levels = [[Place(root, -1, 0, width, whole)]]
    spans = [_Span(0, width)]
    while len(levels) < rows:
        level: list[Place] = []
        below: list[_Span] = []
        for i, place in enumerate(levels[-1]):
            if place.node != FOLD:
                for child, span in _children(grove, (place, i, spans[i]), least, whole / width):
                    level.append(child)
                    below.append(span)
        if not level:
            break
        levels.append(level)
        spans = below
    return levels


def _children(grove: Grove, parent: tuple[Place, int, _Span], least: int, unit: float) -> list[tuple[Place, _Span]]:
    """Return the frames below one, from left to right, each with its span."""
    place, index, (start, end_cell) = parent
    found: list[tuple[Place, _Span]] = []
    rest = place.total - grove.own(place.node)
    heavy = grove.heavy(place.node, least)
    for node, total in heavy:
        total = min(total, rest)  # a mirror that is being stated may not add up for a moment
        x, end = round(start / unit), min(end_cell, round((start + total) / unit))
        if end > x:
            found.append((Place(node, index, x, end - x, total), _Span(start, end)))
        start += total
        rest -= total
    if rest > 0:
        x = round(start / unit)
        end = min(end_cell, max(x + 1, round((start + rest) / unit)))
        if end > x:
            folded = grove.child_count(place.node) - len(heavy)
            found.append((Place(FOLD, index, x, end - x, rest, folded), _Span(start, end)))
    return found
