"""When the data of components comes to nodes and when it leaves them.

A component's data leaves a node that is removed, tombstoned, or on the host alone from then on, and comes to one that
is added, recovered or loaded back; each component has lives of its own. A reset evicts nothing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

from cache_core.events import (
    MAX_COMPONENTS,
    CacheReset,
    NodeAdded,
    NodeMarked,
    NodeRemoved,
    NodeSplit,
    NodeTiers,
    Recovered,
    Tombstoned,
)
from probes.fold import Folds
from probes.lives.marks import Marks
from probes.mirror import Mirror
from probes.mirroring.node import MirrorNode


class LifeWatch(Protocol):
    """Is told of lives while the mirror is as it was before; of a birth, before anything else happens."""

    def born(self, record: NodeAdded, marks: NodeMarked | None) -> None:
        """A node is new, with the data of the components in its `live`, and perhaps with keys inside it."""

    def back(self, node: MirrorNode, component: int, at: int) -> None:
        """A component's data is there again on a node that had stayed."""

    def gone(self, node: MirrorNode, live: int, at: int) -> None:
        """The data of the components with a bit in `live` leaves a node; a record may say so of none."""

    def cut(self, lower: MirrorNode, record: NodeSplit) -> None:
        """A node gives its first tokens to a new parent, dead or alive."""

    def emptied(self) -> None:
        """Every node is gone at once."""


class Lives:
    """Reads the records that say so, and leaves out those of nodes that the mirror does not know or knows already.

    `marks` are the keys inside the nodes that are there. What is inside a new node is told after it, so a birth waits
    for the next record, or for `settle`.
    """

    def __init__(self, mirror: Mirror, watch: LifeWatch) -> None:
        self.marks = Marks()
        self._mirror = mirror
        self._watch = watch
        self._newborn: NodeAdded | None = None

    def before(self) -> Folds:
        """Return what takes which record class while the mirror is as it was before the record."""
        return {
            NodeAdded: self._added, NodeMarked: self._marked, NodeSplit: self._split, NodeRemoved: self._removed,
            Tombstoned: self._tombstoned, NodeTiers: self._moves, Recovered: self._recovers,
            CacheReset: self._reset,
        }  # fmt: skip

    def settle(self) -> None:
        """Tell of the newest birth, if that is still to be told."""
        newborn = self._newborn
        if newborn is not None:
            self._newborn = None
            self._watch.born(newborn, None)

    def _marked(self, record: NodeMarked) -> None:
        newborn = self._newborn
        if newborn is not None and newborn.node == record.node:
            self._newborn = None
            self.marks.told(record)
            self._watch.born(newborn, record)

    def _added(self, record: NodeAdded) -> None:
        if self._newborn is not None:
            self.settle()
        nodes = self._mirror.nodes
        if record.node not in nodes and record.parent in nodes:
            self._newborn = record

    def _split(self, record: NodeSplit) -> None:
        self.settle()
        nodes = self._mirror.nodes
        lower = nodes.get(record.node)
        if lower is None or lower.parent is None or record.upper in nodes:
            return
        if lower.parent.id == record.parent and 0 < record.length < lower.length:
            self.marks.cut(record.node, record.upper)
            self._watch.cut(lower, record)

    def _removed(self, record: NodeRemoved) -> None:
        if self._newborn is not None:
            self.settle()
        node = self._mirror.nodes.get(record.node)
        if node is not None and node.parent is not None:
            self._watch.gone(node, node.live, record.at)
            self.marks.drop(record.node)

    def _tombstoned(self, record: Tombstoned) -> None:
        self.settle()
        node = self._mirror.nodes.get(record.node)
        if node is not None and node.live >> record.component & 1:
            self._watch.gone(node, 1 << record.component, record.at)

    def _moves(self, record: NodeTiers) -> None:
        self.settle()
        node = self._mirror.nodes.get(record.node)
        if node is None or node.parent is None:
            return
        left = node.live & ~record.live
        if left:
            self._watch.gone(node, left, record.at)
        for component in components_of(record.live & ~node.live):
            self._watch.back(node, component, record.at)

    def _recovers(self, record: Recovered) -> None:
        self.settle()
        node = self._mirror.nodes.get(record.node)
        if node is not None and node.parent is not None and not node.live >> record.component & 1:
            self._watch.back(node, record.component, record.at)

    def _reset(self, record: CacheReset) -> None:
        self.settle()
        self.marks.clear()
        self._watch.emptied()


@lru_cache(maxsize=256)
def components_of(mask: int) -> tuple[int, ...]:
    """Return the components of a mask; one that is forged may be negative, which has no highest bit."""
    return tuple(number for number in range(MAX_COMPONENTS) if mask >> number & 1)
