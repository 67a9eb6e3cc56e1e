"""One weight of a forest, laid out: siblings by weight, what is too small folded together, every bar at its place."""

from __future__ import annotations

from dataclasses import dataclass

from profiles.forest import TOP, Forest, Frame
from profiles.pruned import PARTS, pruned_rows


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
    """The bars of one weight in depth-first order, the heaviest sibling first and a fold last.

    `name` is what is weighed, such as "hit tokens".
    """

    weight: str
    name: str
    bars: tuple[Bar, ...]
    total: int

    def stack(self, bar: Bar) -> list[str]:
        """Return the labels from the top down to a bar."""
        labels = [bar.label]
        while bar.parent != TOP:
            bar = self.bars[bar.parent]
            labels.append(bar.label)
        return labels[::-1]


def layout(forest: Forest, weight: str, parts: int | None = PARTS) -> Icicle:
    """Return the icicle of a weight that the forest knows.

    A frame is kept as `prune` keeps it, for the sake of this weight alone; what weighs nothing has no bar. With
    `parts` None every frame that weighs anything is kept.
    """
    bars: list[Bar] = []
    taken: list[int] = []
    """How much of each bar its children so far cover."""
    top = 0
    for row in pruned_rows(forest, (weight,), parts):
        (own,), (total,) = row.own, row.total
        if row.parent == TOP:
            offset, top = top, top + total
        else:
            offset = bars[row.parent].offset + taken[row.parent]
            taken[row.parent] += total
        bars.append(Bar(row.parent, row.depth, row.label, row.frame, own, total, offset, row.nodes))
        taken.append(0)
    return Icicle(weight, forest.caption(weight), tuple(bars), forest.whole(weight))
