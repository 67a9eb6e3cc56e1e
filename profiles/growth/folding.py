"""Folds what is long gone and weighs little, so that a run without end takes bounded memory.

A stretch that is in no tree, has nothing below it that is, and holds, with all below it, less than one part in PARTS
of every weight so far would be folded in every export: such stretches become one row of their parent. No token is
lost. Content that returns later begins anew.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Protocol

import numpy as np

from profiles.columns import Column, Flags, Order, below_and_at, column, depth_first
from profiles.forest import TOP
from profiles.frames import name_key
from profiles.growth.marks import Marks
from profiles.pruned import PARTS

if TYPE_CHECKING:
    from profiles.growth.cuts import Cuts

_SPARE = 2
"""The next folding comes when there are so many times as many rows as were left."""


class Layer(Protocol):
    """Somebody with marks on cuts."""

    marks: Marks

    def resident_keys(self) -> Column:
        """Return the content keys of the nodes in the tree."""

    def forget_names(self) -> None:
        """Drop the names of content that has no stretch any more."""


def fold_small(cuts: Cuts) -> None:
    """Fold the small stretches that no layer has in its tree; the rows of the others change."""
    layers = list(cuts.layers)
    folding = _Folding(cuts, layers)
    folding.apply()
    for layer in layers:
        layer.forget_names()
    cuts.fold_at = max(cuts.fold_at, _SPARE * len(cuts))


class _Folding:
    """Which rows stay, and where the others go. Columns go by place, the depth-first order of the rows.

    The rows that stay are numbered anew in that order; folds that there were none of before come behind them.
    """

    def __init__(self, cuts: Cuts, layers: list[Layer]) -> None:
        self._cuts = cuts
        self._layers = layers
        parents, ends = np.array(cuts.parents, np.int64), np.array(cuts.ends, np.int64)
        self._order: Order = depth_first(parents, np.array(cuts.keys, np.int64))
        self._lengths = (ends - np.where(parents == TOP, 0, ends[parents]))[self._order.rows]
        for layer in layers:
            layer.marks.settle()
        stays = self._staying()
        above = self._order.parents
        self._stays = stays
        self._new = np.where(stays, np.cumsum(stays) - 1, TOP)
        self._goes = np.flatnonzero(~stays & ((above == TOP) | stays[above]))
        """The topmost of those that go, each with all below it."""

    def apply(self) -> None:
        """Put the rows that stay in their new places, and all marks with them."""
        cuts, order = self._cuts, self._order
        spaces = np.array(cuts.namespaces, np.int64)[order.rows]
        counts = np.ones(len(spaces), np.int64)
        for row, nodes in cuts.folded.items():
            counts[order.places[row]] = nodes
        self._renumber()
        into = self._folds(below_and_at(counts, order)[self._goes], spaces[self._goes])
        for layer in self._layers:
            self._move(layer.marks, into)

    def _staying(self) -> Flags:
        """Return which places stay: what some tree has or weighs much, and all above it; folds stay with parents."""
        cuts, order = self._cuts, self._order
        stays = np.zeros(len(order.rows), np.bool_)
        for layer in self._layers:
            keys = layer.resident_keys().tolist()
            rows = column((cuts.rows.get(key, TOP) for key in keys), len(keys))
            stays[order.places[rows[rows != TOP]]] = True
            for weight in layer.marks.columns:
                _, totals = self._weighed(layer.marks, weight)
                whole = int(totals[order.parents == TOP].sum())
                stays |= (totals > 0) & (totals >= whole / PARTS)
        stays = below_and_at(stays.astype(np.int64), order) > 0
        folds = order.places[column(cuts.folded, len(cuts.folded))]
        above = order.parents[folds]
        stays[folds] = (above == TOP) | stays[above]
        return stays

    def _weighed(self, marks: Marks, weight: str) -> tuple[Column, Column]:
        """Return how often each place is covered, and what it weighs with everything below it."""
        order = self._order
        column_ = np.zeros(len(order.rows), np.int64)
        told = marks.columns[weight]
        column_[: len(told)] = told
        covered = below_and_at(column_[order.rows], order)
        own = np.maximum(covered, 0) * self._lengths
        for (of, row), tokens in marks.settled.items():
            if of == weight:
                own[order.places[row]] += tokens
        return covered, below_and_at(own, order)

    def _renumber(self) -> None:
        cuts, order, new = self._cuts, self._order, self._new
        rows, above = order.rows[self._stays], order.parents[self._stays]
        new_rows = new[order.places].tolist()
        cuts.rows = {key: new_rows[row] for key, row in cuts.rows.items() if new_rows[row] != TOP}
        cuts.folded = {new_rows[row]: nodes for row, nodes in cuts.folded.items() if new_rows[row] != TOP}
        cuts.keys, cuts.ends, cuts.namespaces = (
            array("q", np.array(values, np.int64)[rows].tobytes())
            for values in (cuts.keys, cuts.ends, cuts.namespaces)
        )
        cuts.parents = array("q", np.where(above == TOP, TOP, new[above]).tobytes())

    def _folds(self, nodes: Column, spaces: Column) -> Column:
        """Return the row of the fold that each of those that go goes into; a parent has one, TOP one a namespace."""
        cuts = self._cuts
        known = {(cuts.parents[row], cuts.namespaces[row]): row for row in cuts.folded}
        above = self._order.parents[self._goes]
        into = []
        for parent, space, count in zip(
            np.where(above == TOP, TOP, self._new[above]).tolist(), spaces.tolist(), nodes.tolist(), strict=True
        ):
            row = known.get((parent, space))
            if row is None:
                key = name_key("fold", str(parent if parent == TOP else cuts.keys[parent]), str(space))
                row = known[parent, space] = cuts.append(key, parent, cuts.end(parent) + 1, space)
                cuts.folded[row] = 0
            cuts.folded[row] += count
            into.append(row)
        return column(into, len(into))

    def _move(self, marks: Marks, into: Column) -> None:
        """Number the marks of a layer anew. What goes leaves its weight in a fold, what covers its parent there."""
        order, goes = self._order, self._goes
        above = order.parents[goes]
        inner = above != TOP
        for weight, told in marks.columns.items():
            covered, totals = self._weighed(marks, weight)
            old = np.zeros(len(order.rows), np.int64)
            old[: len(told)] = told
            moved = np.zeros(len(self._cuts), np.int64)
            moved[: int(self._stays.sum())] = old[order.rows[self._stays]]
            np.add.at(moved, into, totals[goes])
            np.add.at(moved, self._new[above[inner]], (covered - totals)[goes][inner])
            marks.columns[weight] = array("q", moved.tobytes())
        new_rows = self._new[order.places].tolist()
        kept = {of: tokens for of, tokens in marks.settled.items() if new_rows[of[1]] != TOP}
        marks.settled.clear()
        marks.settled.update({(weight, new_rows[row]): tokens for (weight, row), tokens in kept.items()})
