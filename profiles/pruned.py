"""A forest in rows, all weights at once: the frames that count in any of them, the others folded, no token lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from profiles.forest import TOP, Forest, Frame

PARTS = 4_000
"""A frame is shown when in some weight it holds at least one part of this many of the whole."""


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
    """Yield rows depth-first; without `parts` every frame has its row, one at a time and in the forest's own order.

    A frame is shown when it holds at least one part of `parts` of the whole of some weight, as long as the files that
    are made of the rows stay small: those that hold most come first (`selection.py`). As totals only grow upwards,
    what is above a shown frame is shown too. The larger sibling comes first and a fold last; the totals of the rows
    below TOP add up to the whole.
    """
    weights = tuple(forest.weights)
    return _every(forest, weights) if parts is None else pruned_rows(forest, weights, parts)


def pruned_rows(forest: Forest, weights: Sequence[str], parts: int | None) -> Iterator[Row]:
    """Yield the rows of some weights, as `prune` does of all; without `parts` those of all frames that weigh some."""
    from profiles.selection import Selection

    shown = Selection(forest, weights, parts)
    waiting = shown.below(TOP, TOP, 0)
    number = 0
    while waiting:
        row, place = waiting.pop()
        yield row
        if place is not None:
            waiting += shown.below(place, number, row.depth + 1)
        number += 1


_BLOCK = 1_024


def _every(forest: Forest, weights: Sequence[str]) -> Iterator[Row]:
    """Yield a row for each frame. Numbers of rows are places then, and nothing but a block of them is in memory."""
    from profiles.selection import weighing

    nodes_before = weighing(forest, weights)
    above: list[int] = []
    """Where the subtrees end that the row at hand is in."""
    for first in range(0, len(forest), _BLOCK):
        places = slice(first, min(first + _BLOCK, len(forest)))
        lasts = forest.lasts[places]
        before = slice(places.start + 1, places.stop + 1)
        owns = [(forest.sums[weight][before] - forest.sums[weight][places]).tolist() for weight in weights]
        totals = [(forest.sums[weight][lasts] - forest.sums[weight][places]).tolist() for weight in weights]
        nodes = (nodes_before[lasts] - nodes_before[places]).tolist()
        parents = forest.parents[places].tolist()
        for offset, last in enumerate(lasts.tolist()):
            place = first + offset
            while above and above[-1] <= place:
                above.pop()
            frame = forest.frames[place]
            yield Row(
                parents[offset], len(above), frame.label, None if place in forest.folded else frame,
                tuple([own[offset] for own in owns]), tuple([total[offset] for total in totals]), nodes[offset],
            )  # fmt: skip
            above.append(last)
