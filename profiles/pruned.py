"""A forest in rows, all weights at once: the frames that count in any of them, the others folded, no token lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from profiles.forest import TOP, Forest, Frame

PARTS = 4_000
"""A frame is shown when in some weight it holds at least one part of this many of the whole."""

MOST_ROWS = 2_000
"""More are never shown of a pruned forest, so that files stay small: those that hold most are."""


@dataclass(frozen=True, slots=True)
class Row:
    """A frame, or the fold of those below `parent` that are not shown (`frame` is None).

    `parent` is the number of a row before this one, or TOP. `own` and `total` have a value for each of
    `forest.weights`, in that order: the frame's without and with everything below it. `nodes` counts the frames in it
    and below it that weigh something, folded ones too.
    """

    parent: int
    depth: int
    label: str
    frame: Frame | None
    own: tuple[int, ...]
    total: tuple[int, ...]
    nodes: int


def prune(forest: Forest, parts: int | None = PARTS) -> Iterator[Row]:
    """Yield rows depth-first, the larger sibling first and a fold last; without `parts` every frame has its row.

    As totals only grow upwards, what is above a shown frame is shown too. The totals of the rows below TOP add up
    to the whole.
    """
    tree = _Tree(forest, parts)
    waiting = tree.below(TOP, TOP, 0)
    number = 0
    while waiting:
        row, place = waiting.pop()
        yield row
        if place is not None:
            waiting += tree.below(place, number, row.depth + 1)
        number += 1


def fold_label(nodes: int) -> str:
    """Return what the fold of so many frames is called."""
    return f"(+{nodes:,} node{'s' * (nodes > 1)})"


class _Tree:
    """What is shown of a forest, and the rows below each frame."""

    def __init__(self, forest: Forest, parts: int | None) -> None:
        self._frames = forest.frames
        self._own = list(zip(*forest.weights.values(), strict=True))
        self._totals = list(zip(*map(forest.totals, forest.weights), strict=True))
        self._children = forest.children()
        self._wholes = tuple(map(sum, forest.weights.values()))
        self._nodes = [any(own) + 0 for own in self._own]
        for place in range(len(self._frames) - 1, -1, -1):
            parent = self._frames[place].parent
            if parent != TOP:
                self._nodes[parent] += self._nodes[place]
        self._shown = None if parts is None else self._select(parts)

    def _select(self, parts: int) -> set[int]:
        shares = [self._share(totals) for totals in self._totals]
        shown = [place for place, share in enumerate(shares) if share >= 1 / parts]
        shown.sort(key=lambda place: -shares[place])
        return set(shown[:MOST_ROWS])

    def _share(self, totals: tuple[int, ...]) -> float:
        return max((total / whole for total, whole in zip(totals, self._wholes, strict=True) if whole), default=0.0)

    def below(self, place: int, parent: int, depth: int) -> list[tuple[Row, int | None]]:
        """Return the rows below the frame at `place`, last one first, each with its own frame's place."""
        children = self._children[place]
        shown = children if self._shown is None else [child for child in children if child in self._shown]
        rows: list[tuple[Row, int | None]] = []
        for child in sorted(shown, key=lambda child: (-self._share(self._totals[child]), self._frames[child].label)):
            frame = self._frames[child]
            row = Row(parent, depth, frame.label, frame, self._own[child], self._totals[child], self._nodes[child])
            rows.append((row, child))
        folded = sorted(set(children) - set(shown))
        nodes = sum(self._nodes[child] for child in folded)
        if nodes:
            total = tuple(map(sum, zip(*(self._totals[child] for child in folded), strict=True)))
            rows.append((Row(parent, depth, fold_label(nodes), None, total, total, nodes), None))
        return rows[::-1]
