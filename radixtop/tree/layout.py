"""The rows of the tree: a window of them, the row of a node, and what a change does to them.

Nothing is laid out as a whole. A window is found from the root down: the rows that each child takes say where the
next one begins, and only lists that the window touches are ever put in order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple, Protocol

import numpy as np

from radixtop.tree.openness import Openness
from radixtop.tree.order import Columns, Whole, figures_of, sort_keys
from radixtop.tree.request import Order
from radixtop.tree.row_counts import NOBODY, ROOT, RowCounts
from radixtop.tree.siblings import MANY, FewSiblings, ManySiblings, Placed


class Place(NamedTuple):
    """One row: the nodes from `head` down to `slot` share it. See TreeRow for level and guides."""

    head: int
    slot: int
    level: int
    guides: int
    is_open: bool


class _Pending(NamedTuple):
    """A node whose rows begin at `row`, some of them in the window."""

    slot: int
    row: int
    level: int
    guides: int


class SlottedColumns(Columns, Protocol):
    """Columns in which a node can be looked up."""

    @property
    def slot_of(self) -> Callable[[int], int]:
        """Returns the slot of a node by its id, or a negative number."""


class Layout:
    """Rows in one order, kept up with the tree by `follow` and then `update`."""

    def __init__(self, columns: SlottedColumns, openness: Openness) -> None:
        self.columns = columns
        self._few: dict[int, FewSiblings] = {}
        self._many: dict[int, ManySiblings] = {}
        self._places = np.zeros(0, np.int64)
        self._order: tuple[Order, bool] = ("subtree", False)
        self.follow()
        self.counts = RowCounts(columns, openness, self._resized, self._rows_below)

    def follow(self) -> None:
        """Look at the columns as they are now. Windows show what `update` was told."""
        self._numbers = self.columns.view("id")
        self._first_child, self._next_sibling = self.columns.view("first_child"), self.columns.view("next_sibling")
        self._figures: Whole | None = None

    @property
    def total(self) -> int:
        """The number of rows."""
        return self.counts.total

    def sort(self, order: Order, is_reversed: bool) -> None:
        """Put siblings in another order, or in the same one with the figures of now."""
        self._order = (order, is_reversed)
        self._figures = None
        self._few.clear()
        self._many.clear()

    # ---- changes

    def update(self, slots: Collection[int]) -> None:
        """Take over where the nodes in `slots`, some of which are gone or others than before, are now."""
        counts, numbers, parents = self.counts, self._numbers, self.columns.view("parent")
        counts.make_room(len(numbers))
        fresh = [slot for slot in slots if counts.numbers[slot] != numbers[slot] and parents[slot] >= 0]
        for slot in slots:
            if counts.parents[slot] != NOBODY:
                self._detach(slot)
        for slot in fresh:
            counts.begin(slot, int(numbers[slot]))
            self._few.pop(slot, None)
            self._many.pop(slot, None)
        for slot in slots:
            if parents[slot] >= 0:
                self._attach(slot, int(parents[slot]))
        counts.settle(fresh)

    def set_open(self, slot: int, is_open: bool | None) -> None:
        """Open or close a node by hand, or let its level decide."""
        self.counts.set_open(slot, is_open)

    def _detach(self, slot: int) -> None:
        parent = int(self.counts.parents[slot])
        self.counts.detach(slot)
        self._few.pop(parent, None)
        many = self._many.get(parent)
        if many is not None:
            many.removed(slot, self._places)

    def _attach(self, slot: int, parent: int) -> None:
        self._few.pop(parent, None)
        many = self._many.get(parent)
        if many is not None:
            self._make_room()
            key = int(self._keys(np.array([slot]))[0])
            if many.takes(key):
                many.added(slot, key, int(self._numbers[slot]), self._places)
            else:
                del self._many[parent]
        self.counts.attach(slot, parent)

    def _make_room(self) -> None:
        more = len(self.counts.parents) - len(self._places)
        if more > 0:
            self._places = np.append(self._places, np.zeros(more, np.int64))

    def _resized(self, parent: int, slot: int, rows: int) -> None:
        if parent in self._many:
            self._many[parent].resized(int(self._places[slot]), rows)

    def _rows_below(self, slot: int) -> int:
        return int(self.counts.sizes[self._children(slot)].sum())

    # ---- lists of siblings

    def _keys(self, slots: Whole) -> Whole:
        order, is_reversed = self._order
        if self._figures is None:
            self._figures = figures_of(self.columns, order)
        return sort_keys(self._figures[slots], order, is_reversed)

    def _children(self, slot: int) -> Whole:
        """Return the children of a node, in no order."""
        number = int(self.counts.children[slot])
        if number > MANY:
            return np.flatnonzero(self.counts.parents == slot)
        children = np.empty(number, np.int64)
        child = self._first_child[slot]
        for i in range(number):
            children[i] = child
            child = self._next_sibling[child]
        return children

    def _placed(self, slot: int, first: int, stop: int) -> Placed:
        """Return the children of a node that have rows among [first, stop), counted from the first row below it."""
        sizes = self.counts.sizes
        if self.counts.children[slot] == 1:
            child = int(self._first_child[slot])
            return [(child, 0)] if sizes[child] > 0 and stop > 0 else []
        siblings = self._siblings(slot)
        if isinstance(siblings, FewSiblings):
            return siblings.placed(sizes, first, stop)
        return siblings.placed(sizes, self.counts.numbers, first, stop)

    def _siblings(self, slot: int) -> FewSiblings | ManySiblings:
        """Return the children of a node in order."""
        known = self._few.get(slot) or self._many.get(slot)
        if known is not None:
            return known
        children = self._children(slot)
        keys = self._keys(children)
        if len(children) <= MANY:
            few = self._few[slot] = FewSiblings(children, keys, self.counts.numbers[children])
            return few
        self._make_room()
        many = self._many[slot] = ManySiblings(children, keys, self.counts.sizes, self.counts.numbers, self._places)
        return many

    # ---- rows

    def window(self, first: int, count: int) -> list[Place]:
        """Return the rows from `first` on, at most `count`."""
        stop = min(first + count, self.total)
        places: list[Place] = []
        if first >= stop:
            return places
        waiting = self._below(_Pending(ROOT, -1, -1, 0), first, stop)
        while waiting:
            node = waiting.pop()
            tail = self._tail(node.slot)
            has_rows = self.counts.sizes[node.slot] > 1
            if node.row >= first:
                places.append(Place(node.slot, tail, node.level, node.guides, bool(has_rows)))
            if has_rows:
                waiting += self._below(node._replace(slot=tail), first, stop)
        return places

    def _below(self, node: _Pending, first: int, stop: int) -> list[_Pending]:
        """Return the children of an open node that have rows in the window, the last one first."""
        base, level = node.row + 1, node.level + 1
        rows = int(self.counts.sizes[node.slot]) - (node.slot != ROOT)
        sizes, goes_on = self.counts.sizes, node.guides | 1 << level
        below = [
            _Pending(slot, base + at, level, goes_on if at + sizes[slot] < rows else node.guides)
            for slot, at in self._placed(node.slot, max(0, first - base), stop - base)
        ]
        return below[::-1]

    def _tail(self, slot: int) -> int:
        """Return the last of the nodes that share a row."""
        own, first_child = self.counts.own, self._first_child
        while not own[slot]:
            slot = int(first_child[slot])
        return slot

    def _head(self, slot: int) -> int:
        """Return the first of the nodes that share a row."""
        own, parents = self.counts.own, self.counts.parents
        while parents[slot] > ROOT and not own[parents[slot]]:
            slot = int(parents[slot])
        return slot

    def row_of(self, slot: int) -> int:
        """Return the row of a node, or -1 when it is none because something above it is closed."""
        counts, row = self.counts, -1
        if not counts.shown[slot]:
            return -1
        head = self._head(slot)
        while True:
            parent = int(counts.parents[head])
            if parent == NOBODY or not counts.is_open[parent]:
                return -1
            row += 1 + self._rows_before(parent, head)
            if parent == ROOT:
                return row
            head = self._head(parent)

    def _rows_before(self, parent: int, slot: int) -> int:
        """Return how many rows the siblings before a node take."""
        if self.counts.children[parent] == 1:
            return 0
        siblings = self._siblings(parent)
        if isinstance(siblings, FewSiblings):
            return siblings.row_of(self.counts.sizes, slot)
        return siblings.row_of(self.counts.sizes, self.counts.numbers, int(self._places[slot]))
