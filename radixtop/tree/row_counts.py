"""How many rows each node takes: its own and, when it is open, those below it.

Counts are kept for nodes that are out of sight, too, so that opening one is a sum over its children. A node that
comes or goes changes the counts on the way to the root, and nothing else. Whether a node is open is decided when it
is first seen or stops to share a row: a split above it moves it a level down and leaves it open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from radixtop.tree.openness import Mask, Openness, lowest_first, with_ways
from radixtop.tree.order import Columns, Whole

ROOT = 0
"""The slot of the root."""

NOBODY = -1
"""The parent of the root, and of slots without a node."""

_SPARE = 8
"""Arrays have room for a so manieth part of their slots more: to make them longer takes as long as to go through."""

Resized = Callable[[int, int, int], None]
"""Hears that a child of a parent takes so many rows more: (parent, slot, rows)."""

T = TypeVar("T", bound=np.generic)


class RowCounts:
    """The tree as rows see it, in arrays by slot. It was counted with `parents` and `numbers`, the ids.

    `own` is 1, or 0 for a node that shares the row of its only child. `below` returns the rows that the children of a
    node take; it is asked between changes.
    """

    def __init__(self, columns: Columns, openness: Openness, resized: Resized, below: Callable[[int], int]) -> None:
        self._openness = openness
        self._resized, self._below = resized, below
        self._filters = openness.is_match is not None
        self._joins = openness.joins and not self._filters
        self._touched: set[int] = set()
        used = len(columns.view("parent"))
        room = used + used // _SPARE + _SPARE
        self.parents, self.numbers = np.full(room, NOBODY), np.full(room, NOBODY)
        self.parents[:used] = np.maximum(columns.view("parent"), NOBODY)
        self.numbers[:used] = columns.view("id")
        self.children = np.bincount(self.parents[self.parents >= 0], minlength=room)
        self.is_open, self.shown = np.zeros(room, np.bool_), np.ones(room, np.bool_)
        self.sizes, self.own = np.zeros(room, np.int64), np.ones(room, np.int64)
        self._by_hand = np.zeros(room, np.int8)
        self._by_hand[list(openness.opened)] = 1
        self._by_hand[list(openness.closed)] = -1
        self._count_all(columns.view("height"))
        self._look()

    @property
    def total(self) -> int:
        """The number of rows."""
        return int(self.sizes[ROOT])

    # ---- all at once

    def _count_all(self, heights: Whole) -> None:
        nodes = np.flatnonzero(self.parents >= 0)
        groups = lowest_first(heights, nodes)
        if self._openness.is_match is not None:
            matches = np.zeros(len(self.parents), np.bool_)
            matches[nodes] = self._openness.is_match(nodes)
            self._show(with_ways(matches, groups, self.parents), nodes)
        else:
            self._open_levels(groups)
        below = np.zeros(len(self.parents), np.int64)
        for group in groups:
            rows = self.own[group] + below[group] * self.is_open[group]
            rows *= self.shown[group]
            self.sizes[group] = rows
            np.add.at(below, self.parents[group], rows)
        self.is_open[ROOT], self.own[ROOT], self.sizes[ROOT] = True, 0, below[ROOT]

    def _show(self, kept: Mask, nodes: Whole) -> None:
        """Make rows of what is kept and of the children of what was opened by hand; open what has rows below it."""
        self.shown = kept | ((self._by_hand[self.parents] > 0) & (self.parents >= 0))
        rows = nodes[self.shown[nodes]]
        self.is_open = np.bincount(self.parents[rows], minlength=len(kept)) > 0
        self.is_open &= self._by_hand >= 0

    def _open_levels(self, groups: list[Whole]) -> None:
        """Join single children to their parents, and open what lies above the depth, parents first."""
        if self._joins:
            self.own = (self.children != 1).astype(np.int64)
        self.own[ROOT] = 0
        levels = np.zeros(len(self.parents), np.int64)
        for group in reversed(groups):
            above = self.parents[group]
            levels[group] = levels[above] + self.own[above]
        opens = (levels + 1 < self._openness.depth) & (self._by_hand == 0)
        self.is_open = opens | (self._by_hand > 0) | (self.own == 0)

    # ---- one by one

    def _look(self) -> None:
        """Take single looks into the arrays, which cost a third of numpy's own."""
        self._parent, self._size = self.parents.data, self.sizes.data
        self._open, self._own, self._is_shown = self.is_open.data, self.own.data, self.shown.data

    def make_room(self, slots: int) -> None:
        """Have a place for every slot below `slots`."""
        more = slots - len(self.parents)
        if more <= 0:
            return
        more += slots // _SPARE + _SPARE
        self.parents = np.append(self.parents, np.full(more, NOBODY))
        self.numbers = np.append(self.numbers, np.full(more, NOBODY))
        self.children, self.sizes = _longer(self.children, more), _longer(self.sizes, more)
        self.own, self._by_hand = _longer(self.own, more), _longer(self._by_hand, more)
        self.is_open, self.shown = _longer(self.is_open, more), _longer(self.shown, more)
        self._look()

    def detach(self, slot: int) -> None:
        """Take a node, with all below it, from its parent. See `settle`."""
        parent = self._parent[slot]
        self._propagate(slot, -self._size[slot])
        self._parent[slot] = NOBODY
        self.children[parent] -= 1
        self._touched.add(parent)

    def attach(self, slot: int, parent: int) -> None:
        """Hang a node, with all below it, under a parent. See `settle`."""
        self._parent[slot] = parent
        self.children[parent] += 1
        self._touched.add(parent)
        self._propagate(slot, self._size[slot])

    def begin(self, slot: int, number: int) -> None:
        """Let a slot without parent and children hold another node: a closed one, and a row if it is to be shown."""
        is_match = self._openness.is_match
        shown = is_match is None or bool(is_match(np.array([slot]))[0])
        self._open[slot], self._is_shown[slot] = False, shown
        self._size[slot] = int(shown)
        self._own[slot] = 1
        self._by_hand[slot] = 0
        self.numbers[slot] = number

    def settle(self, fresh: Iterable[int]) -> None:
        """After changes, join and open nodes as they are now; slots in `fresh` hold another node than before."""
        undecided = {slot for slot in fresh if self._parent[slot] != NOBODY}
        touched = [slot for slot in self._touched if slot != ROOT and self._parent[slot] != NOBODY]
        self._touched.clear()
        if self._filters:
            for slot in undecided:
                if not self._is_shown[slot] and self._by_hand[self._parent[slot]] > 0:
                    self._is_shown[slot] = True
                    self._resize(slot, 1)
            return
        for slot in touched:
            if self._rejoin(slot):
                undecided.add(slot)
        for slot in undecided:
            if self._own[slot]:
                self._set_open(slot, self._opens(slot))

    def set_open(self, slot: int, is_open: bool | None) -> None:
        """Open or close a node by hand, or let its level decide. Trees that are filtered are counted anew instead."""
        self._by_hand[slot] = 0 if is_open is None else 1 if is_open else -1
        if self._own[slot]:
            self._set_open(slot, self._opens(slot))

    def _set_open(self, slot: int, is_open: bool) -> None:
        if self._open[slot] != is_open:
            self._open[slot] = is_open
            below = self._below(slot)
            self._resize(slot, below if is_open else -below)

    def _opens(self, slot: int) -> bool:
        """Return whether a node that nobody has looked at yet is open."""
        if self._by_hand[slot]:
            return bool(self._by_hand[slot] > 0)
        level, above = 1, self._parent[slot]
        while above > ROOT and level < self._openness.depth:
            level += self._own[above]
            above = self._parent[above]
        return level < self._openness.depth

    def _rejoin(self, slot: int) -> bool:
        """Let a node share its only child's row, or have one of its own; say whether it does so from now on."""
        joins = self._joins and self.children[slot] == 1
        was_joined = not self._own[slot]
        if joins:
            self._set_open(slot, True)
        if joins != was_joined:
            self._own[slot] = int(not joins)
            self._resize(slot, -1 if joins else 1)
        return was_joined and not joins

    def _resize(self, slot: int, rows: int) -> None:
        self._size[slot] += rows
        self._propagate(slot, rows)

    def _propagate(self, slot: int, rows: int) -> None:
        """Tell all above that `slot` takes so many rows more."""
        parents, sizes, opens, resized = self._parent, self._size, self._open, self._resized
        parent = parents[slot]
        while rows and parent >= 0:
            resized(parent, slot, rows)
            if self._filters and rows > 0:
                rows = self._lead_to(parent, rows)
            elif not opens[parent]:
                return
            sizes[parent] += rows
            slot, parent = parent, parents[parent]

    def _lead_to(self, slot: int, rows: int) -> int:
        """Make a node a way to the `rows` rows that came below it; return how many it takes more."""
        if not self._open[slot] and self._by_hand[slot] < 0:
            rows = 0
        else:
            self._open[slot] = True
        if not self._is_shown[slot]:
            self._is_shown[slot] = True
            rows += 1
        return rows


def _longer(array: NDArray[T], more: int) -> NDArray[T]:
    return np.append(array, np.zeros(more, array.dtype))
