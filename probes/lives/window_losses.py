"""When the nodes of a path lost the state that a hit needs: the reason of a gap between the two hit boundaries.

      usable                full hit
|--------|-----------gap-------|
                    [--window--)   a hit at the full boundary needs this; what of it is a tombstone, and since when?
"""

from __future__ import annotations

from cache_core.events import NodeSplit, Recovered, Tombstoned
from probes.lives.leaving import Causes, Gone, Leaving, leaving
from probes.mirror import Mirror
from probes.newest import forget_oldest

_MOST_TOMBSTONES = 1 << 16
"""Of so many tombstones it is remembered when they became one, the newest."""


class WindowLosses:
    """Remembers when nodes became tombstones. One that was a tombstone from the start has no such time.

    Nodes that are gone stay until there are too many: no other one gets their number.
    """

    __slots__ = ("_causes", "_lost", "_mirror")

    def __init__(self, mirror: Mirror, causes: Causes) -> None:
        self._mirror = mirror
        self._causes = causes
        self._lost: dict[int, Gone] = {}

    def tombstoned(self, record: Tombstoned) -> None:
        """Note that a node lost a component's state, and for whom."""
        lost = self._lost
        lost.pop(record.node, None)
        lost[record.node] = record.at, self._causes.now
        if len(lost) > _MOST_TOMBSTONES:
            forget_oldest(lost)

    def recovered(self, record: Recovered) -> None:
        """Note that a node is no tombstone."""
        self._lost.pop(record.node, None)

    def split(self, record: NodeSplit) -> None:
        """Note that a node was cut: both parts are what it was."""
        left = self._lost.get(record.node)
        if left is not None:
            self._lost[record.upper] = left

    def clear(self) -> None:
        """Forget everything."""
        self._lost.clear()

    def since(self, full_node: int, usable: int) -> Leaving | None:
        """Return when the last state beyond `usable` on the path down to `full_node` was lost, and for whom; None if
        nobody saw it."""
        node = self._mirror.nodes.get(full_node)
        newest: Gone | None = None
        while node is not None and node.end > usable and node.parent is not None:
            left = self._lost.get(node.id)
            if left is not None and (newest is None or left[0] > newest[0]):
                newest = left
            node = node.parent
        return leaving(newest)
