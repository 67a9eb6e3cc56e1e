"""Full attention: the base. Its slots make a node exist, its locks run to the root, its leaves are evicted."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, ClassVar

from cache_core.component import Component
from cache_core.eviction import remove_leaf
from cache_core.evictor import EVICTORS
from cache_core.node import Node
from cache_core.policy import POLICIES
from cache_core.pool import SlotPool

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.insertion import Write
    from cache_core.tally import EvictTally


class Full(Component[Node]):
    """The base component. `evictor` queues the leaves that may go."""

    name: ClassVar[str] = "full"

    def __init__(self, cache: PrefixCache, number: int) -> None:
        super().__init__(cache, number)
        self.unit_bytes = cache.unit_bytes
        config = cache.config
        self.policy = POLICIES.load(config.policy)(config.policy_options)
        self._make_evictor()

    def make_pool(self) -> SlotPool:
        return SlotPool(self.name, self.cache.config.full_slots, self.cache.config.page_size)

    def _make_evictor(self) -> None:
        self.evictor = EVICTORS[self.cache.config.evictor](self.policy)

    def reset(self) -> None:
        super().reset()
        self._make_evictor()

    def may_go(self, node: Node) -> bool:
        """Say whether a node may be evicted now: then it is in the queue."""
        return node.is_evictable

    def is_live(self, node: Node) -> bool:
        return not node.is_away

    def slots_of(self, node: Node) -> array[int]:
        return node.slots()

    def split(self, upper: Node, lower: Node) -> None:
        """Queue a leaf that was cut anew; called only where that makes it more urgent."""
        self.evictor.cut(lower)

    def lock_below(self, node: Node, top: Node) -> int:
        """Count one more receipt from `node` up to below `top`, which is an ancestor. Returns the slots moved."""
        if not node.lock and not node.children:
            self.evictor.withdraw(node)
        moved = 0
        while node is not top:
            if not node.lock:
                moved += len(node.edge)
            node.lock += 1
            node = node.parent  # type: ignore[assignment]
        if moved:
            moved //= self.unit_bytes
            self.evictable -= moved
            self.protected += moved
        return moved

    def unlock(self, node: Node, mark: int) -> int:
        root = self.cache.tree.root
        end = node
        moved = 0
        while node is not root:
            node.lock -= 1
            if not node.lock:
                moved += len(node.edge)
            node = node.parent  # type: ignore[assignment]
        if moved:
            moved //= self.unit_bytes
            self.protected -= moved
            self.evictable += moved
            if not end.lock and not end.children:
                self.evictor.offer(end)
        return moved

    def give_back(self, job: Write, begin: int, end: int) -> None:
        self.pool.give(job.slots[begin - job.base : end - job.base])

    def drop(self, node: Node) -> int:
        length = len(node.edge) // self.unit_bytes
        self.evictable -= length
        self.evictor.withdraw(node)
        self.pool.give(node.values[node.offset : node.offset + length])
        return length

    def put_back(self, node: Node) -> None:
        self.evictor.put_back(node)

    def evict(self, asked: int, tally: EvictTally) -> None:
        evictor = self.evictor
        freed = tally.freed
        cache = self.cache
        evictor.begin(cache.clock)
        while freed[0] < asked:
            victim = evictor.pop()
            if victim is None:
                break
            remove_leaf(cache, victim, 0, tally)
        evictor.end()
        tally.leaves_considered += evictor.considered
        tally.queue_build_ns += evictor.build_ns
        tally.pops += evictor.pops
        tally.stale_pops += evictor.stale_pops
