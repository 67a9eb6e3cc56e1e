"""An order from the least to the most recently used, for the copies that are on the host alone."""

from __future__ import annotations

from collections.abc import Iterator

from cache_core.host.node import TieredNode


class Recency:
    """Nodes in the order of their last use. Every step costs the same, however many there are."""

    __slots__ = ("_newer", "_newest", "_older", "_oldest")

    def __init__(self) -> None:
        self._older: dict[TieredNode, TieredNode | None] = {}
        self._newer: dict[TieredNode, TieredNode | None] = {}
        self._oldest: TieredNode | None = None
        self._newest: TieredNode | None = None

    def __contains__(self, node: TieredNode) -> bool:
        return node in self._older

    def __len__(self) -> int:
        return len(self._older)

    def __iter__(self) -> Iterator[TieredNode]:
        """Yield the nodes, the least recently used first. The one just yielded may be removed meanwhile."""
        node = self._oldest
        while node is not None:
            newer = self._newer[node]
            yield node
            node = newer

    def add(self, node: TieredNode) -> None:
        """Put a node at the newest end."""
        self._link(node, self._newest, None)

    def add_behind(self, node: TieredNode, newer: TieredNode) -> None:
        """Put a node next to another, as the older one of the two."""
        self._link(node, self._older[newer], newer)

    def remove(self, node: TieredNode) -> None:
        """Take a node out."""
        older, newer = self._older.pop(node), self._newer.pop(node)
        if older is None:
            self._oldest = newer
        else:
            self._newer[older] = newer
        if newer is None:
            self._newest = older
        else:
            self._older[newer] = older

    def renew(self, node: TieredNode) -> None:
        """Move a node to the newest end."""
        self.remove(node)
        self.add(node)

    def _link(self, node: TieredNode, older: TieredNode | None, newer: TieredNode | None) -> None:
        self._older[node], self._newer[node] = older, newer
        if older is None:
            self._oldest = node
        else:
            self._newer[older] = node
        if newer is None:
            self._newest = node
        else:
            self._older[newer] = node
