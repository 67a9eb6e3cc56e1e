"""One weight of a forest, laid out: siblings by weight, what is too small folded together, every bar at its place."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from profiles.forest import TOP, WEIGHTS, Forest, Frame

PARTS = 4_000
"""A frame that holds less than one part of this many of the whole is folded into its siblings' bar."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A frame with a weight, or the fold of small ones (`frame` is None).

    `parent` is the place of a bar before this one, or TOP. The bar covers [offset, offset + total) of the whole;
    `own` is its part that no bar below covers. `nodes` counts the frames in it and below it, folded ones too.
    """

    parent: int
    depth: int
    label: str
    frame: Frame | None
    own: int
    total: int
    offset: int
    nodes: int


@dataclass(frozen=True, slots=True)
class Icicle:
    """The bars of one weight in depth-first order, the heaviest sibling first and a fold last."""

    weight: str
    bars: tuple[Bar, ...]
    total: int

    @property
    def name(self) -> str:
        """What is weighed, such as "hit tokens"."""
        return WEIGHTS[self.weight]

    def stack(self, bar: Bar) -> list[str]:
        """Return the labels from the top down to a bar."""
        labels = [bar.label]
        while bar.parent != TOP:
            bar = self.bars[bar.parent]
            labels.append(bar.label)
        return labels[::-1]


def layout(forest: Forest, weight: str, parts: int | None = PARTS) -> Icicle:
    """Return the icicle of a weight that the forest knows.

    A frame is kept when it and what is below it hold at least one part of the whole; as totals only grow upwards,
    a kept frame's parents are kept too. The others of a parent are folded into one bar, so that no token is lost.
    With `parts` None every frame that weighs anything is kept.
    """
    rows = _Rows(forest, weight, parts)
    bars: list[Bar] = []
    waiting = rows.below(TOP, TOP, 0, 0)
    while waiting:
        bar, place = waiting.pop()
        bars.append(bar)
        if place is not None:
            waiting += rows.below(place, len(bars) - 1, bar.depth + 1, bar.offset)
    return Icicle(weight, tuple(bars), rows.whole)


class _Rows:
    """The rows of bars below each frame."""

    def __init__(self, forest: Forest, weight: str, parts: int | None) -> None:
        self._frames = forest.frames
        self._own = forest.weights[weight]
        self._totals = forest.totals(weight)
        self._children = forest.children()
        self._nodes = self._count()
        self.whole = sum(self._own)
        self._least = self.whole / parts if parts else 0

    def below(self, place: int, parent: int, depth: int, offset: int) -> list[tuple[Bar, int | None]]:
        """Return the bars below the frame at `place`, last one first, each with its own frame's place."""
        weighing = [child for child in self._children[place] if self._totals[child]]
        kept = [child for child in weighing if self._totals[child] >= self._least]
        row: list[tuple[Bar, int | None]] = []
        for child in sorted(kept, key=lambda child: (-self._totals[child], self._frames[child].label)):
            frame, total = self._frames[child], self._totals[child]
            bar = Bar(parent, depth, frame.label, frame, self._own[child], total, offset, self._nodes[child])
            row.append((bar, child))
            offset += total
        small = [child for child in weighing if self._totals[child] < self._least]
        if small:
            nodes, total = sum(self._nodes[child] for child in small), sum(self._totals[child] for child in small)
            fold = f"(+{nodes:,} node{'s' * (nodes > 1)})"
            row.append((Bar(parent, depth, fold, None, total, total, offset, nodes), None))
        return row[::-1]

    def _count(self) -> array[int]:
        """Return for each frame how many frames of some weight it and what is below it has."""
        nodes = array("q", (own > 0 for own in self._own))
        for place in range(len(self._frames) - 1, -1, -1):
            parent = self._frames[place].parent
            if parent != TOP:
                nodes[parent] += nodes[place]
        return nodes
