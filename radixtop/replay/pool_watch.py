"""What a replay counts of a cache without any record: how full its pools were, and what left its tree."""

from __future__ import annotations

from cache_core.cache import PrefixCache
from cache_core.node import Node
from cache_core.watcher import Watcher
from radixtop.replay.result import PoolPeak


class PoolWatch(Watcher):
    """Looks at the pools when asked to; counts nodes that leave the device and the tokens of their Full slots."""

    def __init__(self, cache: PrefixCache) -> None:
        self._components = cache.components
        self._used = [0] * len(cache.components)
        self._running = [0] * len(cache.components)
        self.evicted_nodes = 0
        self.evicted_slots = 0
        cache.watch(self)

    def removed(self, node: Node) -> None:
        """See Watcher; a node that was on the host alone left the device before."""
        if not node.is_away:
            self.demoted(node)

    def demoted(self, node: Node) -> None:
        """See Watcher."""
        self.evicted_nodes += 1
        self.evicted_slots += node.end - node.start

    def look(self) -> None:
        """Take note of how full the pools are."""
        for number, component in enumerate(self._components):
            used = component.pool.total - component.pool.free_slots
            if used > self._used[number]:
                self._used[number] = used
            running = used - component.evictable
            if running > self._running[number]:
                self._running[number] = running

    def peaks(self) -> tuple[PoolPeak, ...]:
        """Return the most of each pool that was in use at a look."""
        found = zip(self._components, self._used, self._running, strict=True)
        return tuple(PoolPeak(each.name, each.pool.total, used, running) for each, used, running in found)
