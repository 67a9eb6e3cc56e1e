"""The tree of a mirror as groves: its links, with a weight by slot that is the mirror's own or was summed up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from probes.mirror import Mirror

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Weights: TypeAlias = "memoryview[int] | NDArray[Any]"

MANY_CHILDREN = 200
LARGE_TREE = 20_000
"""From so many nodes on, a node with many children is not asked for each: those that are heavy are looked for in
whole columns. Smaller trees do without numpy."""

MOST_GROUPED = 50_000
"""So many heavy nodes are grouped by parent; where there are more, most of them lie elsewhere than what is shown."""


class ColumnGrove:
    """Weights by slot: `totals` and `own` are columns, true until the next record unless they were copied.

    Without `own`, every node weighs 1. Copies come with the `ids` of their slots: a slot that another node has since
    weighs nothing.
    """

    def __init__(self, mirror: Mirror, totals: Weights, own: Weights | None, ids: NDArray[Any] | None = None) -> None:
        self._columns = mirror.columns
        self._totals, self._own, self._ids = totals, own, ids
        self._groups: _Groups | None = None

    def total(self, node: int) -> int:
        """See Grove."""
        return self._weight(self._totals, self._columns.slot_of(node))

    def own(self, node: int) -> int:
        """See Grove."""
        return 1 if self._own is None else self._weight(self._own, self._columns.slot_of(node))

    def child_count(self, node: int) -> int:
        """See Grove."""
        return int(self._columns.child_count[self._columns.slot_of(node)])

    def heavy(self, node: int, least: int) -> list[tuple[int, int]]:
        """See Grove."""
        slot, columns = self._columns.slot_of(node), self._columns
        is_wide = columns.child_count[slot] > MANY_CHILDREN and columns.count > LARGE_TREE
        slots = self._children(slot, least) if is_wide else self._walk(slot)
        weighed = ((int(columns.id[child]), self._weight(self._totals, child)) for child in slots)
        return sorted((pair for pair in weighed if pair[1] >= least), key=lambda pair: (-pair[1], pair[0]))

    def _children(self, slot: int, least: int) -> list[int]:
        groups = self._groups
        if groups is None or groups.least > least:
            groups = self._groups = _Groups(self._columns.view("parent"), self._totals, least)
        return groups.below(slot) if groups.is_complete else self._walk(slot)

    def _walk(self, slot: int) -> list[int]:
        found: list[int] = []
        following = self._columns.next_sibling
        child = self._columns.first_child[slot]
        while child >= 0:
            found.append(child)
            child = following[child]
        return found

    def _weight(self, weights: Weights, slot: int) -> int:
        if self._ids is None:
            return int(weights[slot])
        is_same = slot < len(weights) and self._ids[slot] == self._columns.id[slot]
        return int(weights[slot]) if is_same else 0


class _Groups:
    """The slots of all nodes that weigh `least` or more, by parent; not complete when there are too many."""

    def __init__(self, parent: NDArray[Any], totals: Weights, least: int) -> None:
        import numpy as np

        self.least = least
        slots = np.flatnonzero(np.asarray(totals) >= least)
        slots = slots[slots < len(parent)]
        self.is_complete = len(slots) <= MOST_GROUPED
        if self.is_complete:
            parents = parent[slots]
            order = np.argsort(parents, kind="stable")
            self._slots, self._parents = slots[order], parents[order]

    def below(self, slot: int) -> list[int]:
        """Return the heavy slots right below one."""
        import numpy as np

        start, stop = np.searchsorted(self._parents, (slot, slot + 1))
        return [int(found) for found in self._slots[start:stop]]
