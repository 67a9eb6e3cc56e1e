"""The nodes of a component that go first, found in the columns of the mirror a slice at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from radixtop.eviction.order import Order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from probes.mirroring.columns import Columns

CHAIN_NODES = 8
"""So many nodes are followed to say whether a window is needed; a longer way counts as a window."""


class Some:
    """Some slots of the columns, and of these the nodes that a component could lose."""

    def __init__(self, columns: Columns, slots: NDArray[Any] | slice, window: int) -> None:
        self._columns = columns
        self._window = window
        self._slots = slots
        self.chosen: NDArray[Any] = np.empty(0, np.int64)

    @classmethod
    def between(cls, columns: Columns, start: int, stop: int, window: int) -> Some:
        """Return the slots [start, stop)."""
        return cls(columns, slice(start, stop), window)

    @classmethod
    def of_nodes(cls, columns: Columns, ids: Iterable[int], window: int) -> Some:
        """Return the slots of the nodes of these that there are."""
        slots = [slot for number in ids if (slot := columns.slot_of(number)) >= 0]
        return cls(columns, np.array(slots, np.int64), window)

    def choose(self, component: int, leaves_alone: bool) -> int:
        """Choose the nodes that hold the component and nobody holds, of leaves alone or of all; return how many."""
        is_there = (self._column("parent") >= 0) & (self._column("live") >> component & 1 == 1)
        is_there &= self._column("locks") == 0
        if leaves_alone:
            is_there &= self._column("child_count") == 0
        self.chosen = np.flatnonzero(is_there)
        return len(self.chosen)

    def first(self, order: Order, options: Mapping[str, int], count: int) -> list[tuple[tuple[int, ...], int]]:
        """Return the ranks and the ids of the chosen nodes that go first, in no order."""
        ranks = order.ranks(self.column, options)
        if len(self.chosen) > count and len(ranks) == 1:
            best = np.argpartition(ranks[0], count - 1)[:count]
        else:
            best = np.lexsort(ranks[::-1])[:count]
        ids = self.column("id")[best].tolist()
        return list(zip(zip(*(rank[best].tolist() for rank in ranks), strict=True), ids, strict=True))

    def column(self, field: str) -> NDArray[Any]:
        """Return a column of the chosen nodes."""
        return self._is_needed() if field == "is_needed" else self._column(field)[self.chosen]

    def _column(self, field: str) -> NDArray[Any]:
        shown: NDArray[Any] = self._columns.view(field)[self._slots]
        return shown

    def _is_needed(self) -> NDArray[Any]:
        """Say of nodes whether an end or a fork lies less than a window behind them."""
        children, lengths = self._columns.view("child_count"), self._columns.view("length")
        first_child = self._columns.view("first_child")
        given = self._slots
        slots = self.chosen + given.start if isinstance(given, slice) else given[self.chosen]
        gaps = np.zeros(len(slots), np.int64)
        goes_on = children[slots] == 1
        for _ in range(CHAIN_NODES):
            below = first_child[slots[goes_on]]
            slots[goes_on] = below
            gaps[goes_on] += lengths[below]
            goes_on &= (children[slots] == 1) & (gaps < self._window)
            if not goes_on.any():
                break
        needed: NDArray[Any] = ((gaps < self._window) & ~goes_on) * 1
        return needed
