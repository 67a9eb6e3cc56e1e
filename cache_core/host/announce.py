"""When watchers are told of copies: once they are whole, and what they go on from is somewhere as well.

Writing back, a child is copied before its parent, and both may have left the device when the first copy is done. Who
follows the tree from outside knows blocks by what they go on from, so the child's copy counts only while the parent
is on the device or its copy is whole too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from cache_core.host.node import TieredNode

if TYPE_CHECKING:
    from cache_core.host_tier import HostTier
    from cache_core.watcher import Watcher


class Announcements:
    """Copies that are whole and not told of yet: a bit per component, by node."""

    def __init__(self, tier: HostTier) -> None:
        self._tier = tier
        self._waiting: dict[TieredNode, int] = {}

    def waiting(self, node: TieredNode) -> int:
        """Return a bit for each component whose copy of a node was not told of yet."""
        return self._waiting.get(node, 0) if self._waiting else 0

    def whole(self, copies: Mapping[TieredNode, int]) -> None:
        """Take note that copies are whole, and tell of them, and of what waits for them, if that can be."""
        for node, mask in copies.items():
            self._waiting[node] = self.waiting(node) | mask
        self._tell_from(sorted(copies, key=lambda node: -node.start))

    def on_device(self, node: TieredNode) -> None:
        """Take note that a node is on the device: what waits below it can be told."""
        if self._waiting:
            self._tell_from(list(node.host_children.values()))

    def off_device(self, node: TieredNode) -> None:
        """Take note that a node is on the host alone: until its copy is whole, what is below goes on from nothing."""
        below = [] if self._is_known(node) else list(node.host_children.values())
        while below:
            deep = below.pop()
            told = self._tier.settled(deep)
            if told:
                self._waiting[deep] = self.waiting(deep) | told
                for watcher, number in self._listening(told):
                    watcher.host_dropped(deep, number)
                below.extend(deep.host_children.values())

    def dropped(self, node: TieredNode, number: int) -> None:
        """Take note that a copy is gone from a node that stays: tell so, if it was told that it is there."""
        mask = self.waiting(node)
        if mask >> number & 1:
            self._waiting[node] = mask & ~(1 << number)
        elif self._tier.cache.watcher is not None:
            self._tier.cache.watcher.host_dropped(node, number)

    def removed(self, node: TieredNode) -> None:
        """Forget a node that left the tree."""
        self._waiting.pop(node, None)

    def split(self, upper: TieredNode, lower: TieredNode, divided: int) -> None:
        """Let both parts of a node that was cut wait; `divided` has a bit per component that both have."""
        if self.waiting(lower):
            self._waiting[upper] = self.waiting(lower) & divided

    def clear(self) -> None:
        """Forget everything."""
        self._waiting.clear()

    def _tell_from(self, nodes: list[TieredNode]) -> None:
        while nodes and self._waiting:
            node = nodes.pop()
            if self.waiting(node) and self._is_known(node.parent):
                for watcher, number in self._listening(self._waiting.pop(node)):
                    watcher.backed_up(node, number)
            if self._is_known(node):
                nodes.extend(node.host_children.values())

    def _is_known(self, node: TieredNode) -> bool:
        """Say whether the Full data of a node is somewhere, as far as watchers were told."""
        return node.parent is None or not node.is_away or self._tier.settled(node) & 1 == 1

    def _listening(self, mask: int) -> Iterator[tuple[Watcher, int]]:
        """Yield the watcher, if there is one, for each component with a bit in `mask`, with its number."""
        watcher = self._tier.cache.watcher
        if watcher is not None:
            for component in self._tier.cache.components:
                if mask >> component.number & 1:
                    yield watcher, component.number
