"""Which frames of a forest are shown, and the rows below each of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from profiles.columns import Column, running
from profiles.forest import TOP, Forest
from profiles.growth.planting import fold_name
from profiles.pruned import Row

MOST_ROWS = 1_500
"""More frames are never shown of a pruned forest."""

MOST_STEPS = 16_000
"""The paths to the shown frames have no more frames than this, each counted once for every path that it is on."""

MOST_PATH_BYTES = 600_000
"""Their labels are not longer than this, counted likewise: some formats write every path in full."""


class Selection:
    """The frames that hold most of some weights, in the order of their places, which puts parents first."""

    def __init__(self, forest: Forest, weights: Sequence[str], parts: int | None) -> None:
        self._forest = forest
        shares = _shares(forest, weights)
        weighing_some = np.flatnonzero(shares if parts is None else shares >= 1 / parts)
        places = weighing_some if parts is None else _fitting(forest, shares, weighing_some)
        nodes = weighing(forest, weights)
        sums = [forest.sums[weight] for weight in weights]
        lasts = forest.lasts[places]
        self._shares = dict(zip(places.tolist(), shares[places].tolist(), strict=True))
        self._own = _tuples(places, [each[places + 1] - each[places] for each in sums])
        self._total = _tuples(places, [each[lasts] - each[places] for each in sums])
        self._total[TOP] = tuple(int(each[-1]) for each in sums)
        self._own[TOP] = (0,) * len(sums)
        self._nodes = dict(zip(places.tolist(), (nodes[lasts] - nodes[places]).tolist(), strict=True))
        self._nodes[TOP] = int(nodes[-1])
        self._children: dict[int, list[int]] = {}
        for place, parent in zip(places.tolist(), forest.parents[places].tolist(), strict=True):
            self._children.setdefault(parent, []).append(place)

    def below(self, place: int, parent: int, depth: int) -> list[tuple[Row, int | None]]:
        """Return the rows below the frame at `place`, last one first, each with its own frame's place."""
        rows: list[tuple[Row, int | None]] = []
        children = self._children.get(place, [])
        frames = {child: self._forest.frames[child] for child in children}
        for child in sorted(children, key=lambda child: (-self._shares[child], frames[child].label)):
            frame = frames[child]
            row = Row(parent, depth, frame.label, frame, self._own[child], self._total[child], self._nodes[child])
            rows.append((row, child))
        parts = (self._own[place], *(self._total[child] for child in children))
        left = tuple(map(int.__sub__, self._total[place], map(sum, zip(*parts, strict=True))))
        if any(left):
            own = any(self._own[place]) if place != TOP else 0
            nodes = self._nodes[place] - own - sum(self._nodes[child] for child in children)
            rows.append((Row(parent, depth, fold_name(nodes), None, left, left, nodes), None))
        return rows[::-1]


def weighing(forest: Forest, weights: Sequence[str]) -> Column:
    """Return how many frames before each place have some weight; what was folded counts as often as it was frames."""
    weighs = np.zeros(len(forest), np.bool_)
    for weight in weights:
        weighs |= np.diff(forest.sums[weight]) != 0
    counts = weighs.astype(np.int64)
    for place, nodes in forest.folded.items():
        counts[place] *= nodes
    return running(counts)


def _shares(forest: Forest, weights: Sequence[str]) -> NDArray[np.float64]:
    """Return the largest share of a weight's whole that each frame holds with everything below it."""
    shares = np.zeros(len(forest))
    for weight in weights:
        sums = forest.sums[weight]
        if len(forest) and sums[-1]:
            np.maximum(shares, (sums[forest.lasts] - sums[:-1]) / sums[-1], out=shares)
    shares[list(forest.folded)] = 0.0  # they go into the fold of their parent
    return shares


def _fitting(forest: Forest, shares: NDArray[np.float64], places: Column) -> Column:
    """Return as many of `places` as there is room for, those that hold most first and parents before children."""
    steps: dict[int, int] = {TOP: 0}
    path_bytes: dict[int, int] = {TOP: 0}
    all_steps = all_bytes = 0
    fitting = []
    for place in places[np.lexsort((places, -shares[places]))][:MOST_ROWS].tolist():
        parent = int(forest.parents[place])
        steps[place] = steps[parent] + 1
        path_bytes[place] = path_bytes[parent] + len(forest.frames[place].label.encode()) + 1
        all_steps += steps[place]
        all_bytes += path_bytes[place]
        if all_steps > MOST_STEPS or all_bytes > MOST_PATH_BYTES:
            break
        fitting.append(place)
    return np.array(sorted(fitting), np.int64)


def _tuples(places: Column, columns: Sequence[Column]) -> dict[int, tuple[int, ...]]:
    """Return by place the values of all columns."""
    values = zip(*(column.tolist() for column in columns), strict=True) if columns else ((),) * len(places)
    return dict(zip(places.tolist(), values, strict=True))
