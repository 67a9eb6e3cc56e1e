"""A flat list of the nodes that stand out, as rows without levels."""

from __future__ import annotations

from radixtop.tree.layout import Place
from radixtop.tree.order import Columns, Whole


class TopList:
    """Rows for nodes in the order that they come in; one that leaves the tree leaves the list."""

    def __init__(self, columns: Columns, slots: Whole) -> None:
        self._columns = columns
        self._slots = slots
        self._numbers = columns.view("id")[slots]

    @property
    def total(self) -> int:
        """The number of rows."""
        return len(self._slots)

    def follow(self) -> None:
        """Look at the columns as they are now; nothing is kept of them."""

    def drop_gone(self) -> None:
        """Leave out nodes that are no longer there."""
        stays = self._columns.view("parent")[self._slots] >= 0
        stays &= self._columns.view("id")[self._slots] == self._numbers
        self._slots, self._numbers = self._slots[stays], self._numbers[stays]

    def window(self, first: int, count: int) -> list[Place]:
        """Return the rows from `first` on, at most `count`."""
        return [Place(slot, slot, 0, 0, False) for slot in self._slots[first : first + count].tolist()]

    def row_of(self, slot: int) -> int:
        """Return the row of a node, or -1."""
        rows = (self._slots == slot).nonzero()[0]
        return int(rows[0]) if len(rows) else -1
