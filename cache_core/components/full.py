"""Full attention: the base. Its slots make a node exist, its locks run to the root, its leaves are evicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cache_core.component import Component
from cache_core.eviction import remove_leaf
from cache_core.evictor import EVICTORS
from cache_core.key import TOKEN_BYTES
from cache_core.node import Node
from cache_core.policy import POLICIES

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.tally import EvictTally


class Full(Component[Node]):
    """The base component. `evictor` queues the leaves that may go."""

    name: ClassVar[str] = "full"

    def __init__(self, cache: PrefixCache, number: int) -> None:
        super().__init__(cache, number)
        self._make_evictor()

    def _make_evictor(self) -> None:
        config = self.cache.config
        self.evictor = EVICTORS[config.evictor](POLICIES.load(config.policy)())

    def reset(self) -> None:
        super().reset()
        self._make_evictor()

    def lock(self, node: Node) -> tuple[int, int]:
        return 0, self.lock_below(node, self.cache.tree.root)

    def lock_below(self, node: Node, top: Node) -> int:
        """Count one more receipt from `node` up to below `top`, which is an ancestor. Returns the tokens moved."""
        if not node.lock and not node.children:
            self.evictor.withdraw(node)
        moved = 0
        while node is not top:
            if not node.lock:
                moved += len(node.edge)
            node.lock += 1
            assert node.parent is not None
            node = node.parent
        moved //= TOKEN_BYTES
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
            assert node.parent is not None
            node = node.parent
        moved //= TOKEN_BYTES
        self.protected -= moved
        self.evictable += moved
        if not end.lock and not end.children:
            self.evictor.offer(end)
        return moved

    def commit(self, node: Node, live_from: int) -> None:
        self.evictable += node.length

    def drop(self, node: Node) -> int:
        length = node.length
        self.evictable -= length
        self.evictor.withdraw(node)
        return length

    def evict(self, asked: int, tally: EvictTally) -> None:
        evictor = self.evictor
        freed = tally.freed
        evictor.begin(self.cache.clock)
        while freed[0] < asked:
            victim = evictor.pop()
            if victim is None:
                break
            tally.victims += 1
            remove_leaf(self.cache, victim, 0, tally)
        evictor.end()
        tally.leaves_considered += evictor.considered
        tally.queue_build_ns += evictor.build_ns
        tally.pops += evictor.pops
        tally.stale_pops += evictor.stale_pops
