"""Since when a component's data is on a node: since the node was made, or since it last came back."""

from __future__ import annotations

from cache_core.events import MAX_COMPONENTS
from probes.lives.lives import components_of
from probes.mirroring.node import MirrorNode
from probes.newest import forget_oldest

MOST_KEPT = 1 << 16
"""How many returns are kept unless told, at about 150 bytes each; other data counts from its node's making."""


class Births:
    """Remembers when data came back to nodes that had stayed; the oldest of too many are forgotten."""

    __slots__ = ("_back_at", "_most")

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._back_at: dict[int, int] = {}

    def __len__(self) -> int:
        """Return how many returns are remembered."""
        return len(self._back_at)

    def back(self, node: int, component: int, at: int) -> None:
        """Note that a component's data came back to a node."""
        self._back_at[node * MAX_COMPONENTS + component] = at
        if len(self._back_at) > self._most:
            forget_oldest(self._back_at)

    def cut(self, lower: int, upper: int, live: int) -> None:
        """Note that a node was cut: what came back came back to both parts."""
        if self._back_at:
            for component in components_of(live):
                at = self._back_at.get(lower * MAX_COMPONENTS + component)
                if at is not None:
                    self.back(upper, component, at)

    def take(self, node: MirrorNode, component: int) -> int:
        """Return since when the data that leaves a node was there, -1 when nobody saw it come, and forget that."""
        if not self._back_at:
            return node.created_at
        return self._back_at.pop(node.id * MAX_COMPONENTS + component, node.created_at)

    def clear(self) -> None:
        """Forget every node."""
        self._back_at.clear()
