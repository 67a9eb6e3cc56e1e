"""When the nodes of a path lost the state that a hit needs: the reason of a gap between the two hit boundaries.

      usable                full hit
|--------|-----------gap-------|
                    [--window--)   a hit at the full boundary needs this; what of it is a tombstone, and since when?
              ^ reach              so far a hit would go if nothing had been lost: behind it no window ever was
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

    def reach(self, full_node: int, usable: int, full: int, window: int) -> int:
        """Return where on the path down to `full_node` the hit of a prompt would end if nothing had been lost.

        That is between `usable`, where it ends, and `full`, where the prompt leaves what is stored. Of a window of
        1 only the state at the end itself is needed.
        """
        node = self._mirror.nodes.get(full_node)
        end, missing = full, window
        while node is not None and node.end > usable and node.parent is not None:
            if self._mirror.lacks_state(node) and node.id not in self._lost:
                end, missing = node.start, window
            else:
                missing -= min(node.end, full) - node.start
                if missing <= 0:
                    break
            node = node.parent
        return max(usable, end)

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
