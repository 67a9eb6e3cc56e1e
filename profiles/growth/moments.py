"""A moment of a run: what its forest is grown from, however its cuts are refined later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from probes.mirroring.segments import Segments
from profiles.columns import Column, Order, below_and_at, column, depth_first, product
from profiles.forest import TOP, WEIGHTS, Forest
from profiles.frames import GONE, Named, name_key
from profiles.growth.cuts import Cuts
from profiles.growth.holdings import Components, holdings
from profiles.growth.marks import Marks
from profiles.growth.node_columns import NodeColumns
from profiles.growth.planting import Content, NamedRow, SourceNames, plant
from profiles.prices import Prices

ELSEWHERE = Named("elsewhere", "not in the recording", name_key("elsewhere"))
"""What was counted of content that nobody stated: a recording that began late does not know it."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Moment:
    """The marks of a run on its cuts, the nodes in its tree, and what they are called."""

    cuts: Cuts
    marks: Marks
    tree: NodeColumns
    segments: Mapping[int, Segments]
    names: SourceNames
    prices: Prices
    operations: Sequence[NamedRow] = ()

    def forest(self) -> Forest:
        """Return the forest of this moment, cut as finely as the cuts are now."""
        rows = _Rows(self.cuts)
        present, live = self._present(rows)
        components = Components(self.names.components)
        own = holdings(live, rows.lengths, components, self.prices)
        own |= {weight: self._own(rows, weight) for weight in self.marks.columns if weight in WEIGHTS}
        elsewhere = {weight: tokens for weight, tokens in self.marks.nowhere.items() if weight in WEIGHTS}
        rate = self.prices.prefill_ns_per_token
        if rate and "hits" in own:
            own["saved_ns"] = product(own["hits"], rate)
            if "hits" in elsewhere:
                elsewhere["saved_ns"] = elsewhere["hits"] * rate
        content = Content(
            parents=rows.parents,
            keys=rows.keys,
            ends=rows.ends,
            namespaces=rows.namespaces,
            present=present,
            segments=self._segments,
            own=own,
            folded=self.cuts.folded,
        )
        named = [*self.operations, *([NamedRow(TOP, ELSEWHERE, elsewhere)] if any(elsewhere.values()) else [])]
        return plant(content, named, self.names)

    def resident_keys(self) -> Column:
        """Return the content keys of the nodes in the tree."""
        return self.tree.keys

    def _segments(self, row: int) -> Segments:
        return self.segments.get(self.cuts.keys[row], ())

    def _own(self, rows: _Rows, weight: str) -> Column:
        marks = np.zeros(len(rows.parents), np.int64)
        told = np.frombuffer(self.marks.columns[weight], np.int64)
        marks[: len(told)] = told
        covered = below_and_at(marks[rows.order.rows], rows.order)[rows.order.places]
        own = product(np.maximum(covered, 0), rows.lengths)  # a forged stream may take back what was not there
        for (of, row), tokens in self.marks.settled.items():
            if of == weight:
                own[row] += tokens
        for loose, times in self.marks.loose.items():
            if loose.weight == weight:
                for row, tokens in self.marks.over(loose):
                    own[row] += times * tokens
        return np.maximum(own, 0)

    def _present(self, rows: _Rows) -> tuple[Column, Column]:
        """Return which components are on either tier and which on the device, of every stretch that a node covers."""
        tree = self.tree
        present, live = np.full(len(rows.parents), GONE), np.zeros(len(rows.parents), np.int64)
        row_of = self.cuts.rows
        at = column((row_of.get(key, TOP) for key in tree.keys.tolist()), len(tree.keys))
        nodes = np.flatnonzero(at != TOP)
        at = at[nodes]
        states = Components(self.names.components).states
        present[at], live[at] = (tree.live | tree.copied)[nodes], tree.live[nodes]
        while len(at):  # a node may go on over stretches that were cut off it
            at = rows.parents[at]
            inside = (at != TOP) & (rows.ends[at] > tree.starts[nodes])
            at, nodes = at[inside], nodes[inside]
            present[at], live[at] = (tree.live | tree.copied)[nodes] & ~states, tree.live[nodes] & ~states
        return present, live


class _Rows:
    """The stretches of cuts as columns."""

    def __init__(self, cuts: Cuts) -> None:
        # Copies: arrays that numpy looks into cannot grow.
        self.keys, self.parents, self.ends, self.namespaces = (
            np.array(values, np.int64) for values in (cuts.keys, cuts.parents, cuts.ends, cuts.namespaces)
        )
        self.lengths = self.ends - np.where(self.parents == TOP, 0, self.ends[self.parents])
        self.order: Order = depth_first(self.parents, self.keys)
