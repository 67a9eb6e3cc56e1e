"""Who is told of each change of a tree's nodes, at the moment it happens and from inside the operation.

A watcher only takes note. With none attached nothing is called: one `if` per change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cache_core.node import Node


class Watcher:
    """Takes note of changes; every method is inert here. Components are named by their number in the cache."""

    def added(self, node: Node) -> None:
        """A new leaf hangs in the tree, with its state on the device."""

    def split(self, upper: Node, lower: Node) -> None:
        """`upper` was cut off the front of `lower` and is its parent now."""

    def removed(self, node: Node) -> None:
        """A leaf left the tree, with everything it had."""

    def tombstoned(self, node: Node, component: int) -> None:
        """A component's state left the device and the node stays."""

    def recovered(self, node: Node, component: int) -> None:
        """A component's state is on the device again, or for the first time."""

    def touched(self, node: Node) -> None:
        """Hit count or priority changed."""

    def cleared(self) -> None:
        """Every node is gone."""

    def demoted(self, node: Node) -> None:
        """All state left the device; the copies in host memory stay, and so does the node."""

    def restored(self, node: Node) -> None:
        """The Full slots of a node that was in host memory only are on the device again."""

    def backed_up(self, node: Node, component: int) -> None:
        """A copy of a component's state in host memory is complete."""

    def host_dropped(self, node: Node, component: int) -> None:
        """A copy of a component's state left host memory and the node stays."""


class Fan(Watcher):
    """Tells several watchers, in the order they were attached."""

    def __init__(self, watchers: Sequence[Watcher]) -> None:
        self._watchers = tuple(watchers)

    def added(self, node: Node) -> None:
        for watcher in self._watchers:
            watcher.added(node)

    def split(self, upper: Node, lower: Node) -> None:
        for watcher in self._watchers:
            watcher.split(upper, lower)

    def removed(self, node: Node) -> None:
        for watcher in self._watchers:
            watcher.removed(node)

    def tombstoned(self, node: Node, component: int) -> None:
        for watcher in self._watchers:
            watcher.tombstoned(node, component)

    def recovered(self, node: Node, component: int) -> None:
        for watcher in self._watchers:
            watcher.recovered(node, component)

    def touched(self, node: Node) -> None:
        for watcher in self._watchers:
            watcher.touched(node)

    def cleared(self) -> None:
        for watcher in self._watchers:
            watcher.cleared()

    def demoted(self, node: Node) -> None:
        for watcher in self._watchers:
            watcher.demoted(node)

    def restored(self, node: Node) -> None:
        for watcher in self._watchers:
            watcher.restored(node)

    def backed_up(self, node: Node, component: int) -> None:
        for watcher in self._watchers:
            watcher.backed_up(node, component)

    def host_dropped(self, node: Node, component: int) -> None:
        for watcher in self._watchers:
            watcher.host_dropped(node, component)
