"""The sliding window: state that is needed over one window only, and given up behind it.

A node without it is a tombstone: the walk passes through, but a match may not end within a window of it.
Eviction is by its own recency list whatever the policy; an inner node becomes a tombstone, a leaf goes whole.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, cast

from cache_core.branching import leaf_cuts, window_span
from cache_core.component import SWA_EVICTIONS, Component
from cache_core.node import Node
from cache_core.pool import SlotPool

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.config import CacheConfig
    from cache_core.insertion import Write
    from cache_core.lock import LockReceipt

    class WindowNode(Node):
        """A node as this component sees it."""

        swa_values: array[int] | None
        swa_lock: int
        swa_mark: int
        swa_older: WindowNode
        swa_newer: WindowNode
        parent: WindowNode
else:
    WindowNode = Node


class SlidingWindow(Component[WindowNode]):
    """Window state: nodes that have it stand in a list from oldest to newest use; the root is its two ends.

    `swa_values` are the window slots of the edge, from the node's `offset` on as its Full slots are; None marks a
    tombstone. A lock covers nodes upward until their edges span a window, tombstones included. The last of them gets
    a mark; the receipt remembers it, so that a split in between cannot change where the unlock ends.
    """

    name: ClassVar[str] = "swa"
    node_fields: ClassVar[tuple[str, ...]] = ("swa_lock", "swa_mark", "swa_newer", "swa_older", "swa_values")
    node_arrays: ClassVar[tuple[str, ...]] = ("swa_values",)

    def __init__(self, cache: PrefixCache, number: int) -> None:
        super().__init__(cache, number)
        config = cache.config
        assert config.window is not None
        self.unit_bytes = cache.unit_bytes
        self.window_bytes = config.window * cache.unit_bytes
        self.refresh_bytes = (config.window + config.page_size) * cache.unit_bytes
        self.cap = window_span(config.window, config.page_size)
        self.live_nodes = 0
        self._last_mark = 0

    @classmethod
    def variant(cls, config: CacheConfig) -> type[Component[WindowNode]]:
        """Return the class that evicts as `swa_eviction` says."""
        return SWA_EVICTIONS.load(config.swa_eviction) if cls is SlidingWindow else cls  # type: ignore[return-value]

    def make_pool(self) -> SlotPool:
        config = self.cache.config
        assert config.swa_slots is not None
        return SlotPool(self.name, config.swa_slots, config.page_size)

    def reset(self) -> None:
        super().reset()
        self.live_nodes = 0

    def make(self, node: WindowNode) -> None:
        node.swa_values = None
        node.swa_lock = 0
        node.swa_mark = 0
        node.swa_older = node.swa_newer = node

    def is_live(self, node: WindowNode) -> bool:
        return node.swa_values is not None

    def locks(self, node: WindowNode) -> int:
        return node.swa_lock

    def deepest_usable(self, node: WindowNode) -> WindowNode:
        """Return the deepest node whose last window is live, or which has no tombstone above it at all.

        Climbing from a candidate, a tombstone met before a window is covered rules out every node down to and
        including that tombstone.
        """
        root = self.cache.tree.root
        missing = window = self.window_bytes
        usable = node
        while node is not root:
            if node.swa_values is None:
                usable = node.parent
                missing = window
            else:
                missing -= len(node.edge)
                if missing <= 0:
                    break
            node = node.parent
        return usable

    def needs(self, end: WindowNode) -> Iterator[WindowNode]:
        missing = self.window_bytes
        for node in end.upward():
            yield node
            missing -= len(node.edge)
            if missing <= 0:
                break

    def accepts_inside(self, node: WindowNode, agreed: int) -> bool:
        """Say whether the window before that position is live, or everything before it is."""
        root = self.cache.tree.root
        while node.swa_values is not None:
            node = node.parent
            if agreed >= self.window_bytes or node is root:
                return True
            agreed += len(node.edge)
        return False

    def refresh(self, node: WindowNode) -> None:
        """Move the live nodes of the last window and a page to the newest end, `node` newest of all."""
        newest = root = cast("WindowNode", self.cache.tree.root)
        limit = self.refresh_bytes
        while node is not root:
            if node.swa_values is not None and node.swa_newer is not newest:
                older, newer = node.swa_older, node.swa_newer
                older.swa_newer = newer
                newer.swa_older = older
                older = newest.swa_older
                node.swa_older, node.swa_newer = older, newest
                older.swa_newer = newest.swa_older = node
            if node.swa_values is not None:
                newest = node
            limit -= len(node.edge)
            if limit <= 0:
                break
            node = node.parent

    def split(self, upper: WindowNode, lower: WindowNode) -> None:
        upper.swa_lock = lower.swa_lock
        upper.swa_mark = lower.swa_mark
        lower.swa_mark = 0
        if lower.swa_values is not None:
            upper.swa_values = lower.swa_values
            self.live_nodes += 1
            self._link(upper, lower.swa_older, lower)

    def lock(self, node: WindowNode) -> tuple[int, int]:
        root = self.cache.tree.root
        window = self.window_bytes
        covered = moved = 0
        while node is not root:
            if not node.swa_lock and node.swa_values is not None:
                moved += len(node.edge)
            node.swa_lock += 1
            covered += len(node.edge)
            if covered >= window:
                if not node.swa_mark:
                    self._last_mark = node.swa_mark = self._last_mark + 1
                break
            node = node.parent
        if moved:
            moved //= self.unit_bytes
            self.evictable -= moved
            self.protected += moved
        return (node.swa_mark if covered >= window else 0), moved

    def unlock(self, node: WindowNode, mark: int) -> int:
        root = self.cache.tree.root
        moved = 0
        while node is not root:
            assert node.swa_lock > 0, f"{node.id=} has no window lock"
            node.swa_lock -= 1
            if not node.swa_lock and node.swa_values is not None:
                moved += len(node.edge)
            if mark and node.swa_mark == mark:
                break
            node = node.parent
        if moved:
            moved //= self.unit_bytes
            self.protected -= moved
            self.evictable += moved
        return moved

    def lock_one(self, node: WindowNode) -> int:
        node.swa_lock += 1
        if node.swa_lock > 1 or node.swa_values is None:
            return 0
        length = len(node.edge) // self.unit_bytes
        self.evictable -= length
        self.protected += length
        return length

    def unlock_one(self, node: WindowNode) -> int:
        assert node.swa_lock > 0, f"{node.id=} has no window lock"
        node.swa_lock -= 1
        if node.swa_lock or node.swa_values is None:
            return 0
        length = len(node.edge) // self.unit_bytes
        self.protected -= length
        self.evictable += length
        return length

    def overlap(self, node: WindowNode, begin: int, end: int, job: Write) -> int:
        """Bring a tombstone back to life with the newcomer's live slots.

        begin        live_from            end
          |--duplicates--|---becomes live--|

        An unlocked node takes the newcomer's Full slots and gives its own back. A locked one is in the rows of
        requests and must keep its Full slots: it takes the window peers alone.
        """
        cut = max(begin, job.live_from)
        if node.swa_values is not None or cut >= end:
            return end
        cache = self.cache
        assert job.peers is not None
        if cut > node.start:
            cache.split(node, (cut - node.start) * self.unit_bytes)
        fresh = job.slots[cut - job.base : end - job.base]
        peers = job.peers[cut - job.base : end - job.base]
        if node.lock:
            cache.full.pool.give(fresh)
            node.own_slots()
        else:
            cache.full.pool.give(node.slots())
            node.values = fresh
            node.offset = 0
            job.adopt("full", cut, end)
        job.adopt(self.name, cut, end)
        self._revive(node, peers)
        self.came_back(node)
        return cut

    def load(self, node: WindowNode, slots: array[int]) -> None:
        node.own_slots()
        self._revive(node, slots)
        self.came_back(node)

    def give_back(self, job: Write, begin: int, end: int) -> None:
        begin = max(begin, job.live_from)
        if begin < end:
            assert job.peers is not None
            self.pool.give(job.peers[begin - job.base : end - job.base])

    def cuts(self, start: int, end: int, live_from: int) -> tuple[int, ...]:
        if live_from <= start and end - start <= self.cap:
            return ()
        return leaf_cuts(start, end, live_from, self.cap)

    def commit(self, node: WindowNode, job: Write) -> None:
        if node.start >= job.live_from:
            assert job.new_peers is not None
            self._revive(node, job.new_peers)

    def window_slots(self, node: WindowNode) -> array[int]:
        """Return the window slots of the edge, a copy; 0 for each position of a tombstone."""
        if node.swa_values is None:
            return array("i", bytes(4 * node.length))
        return node.swa_values[node.offset : node.offset + node.length]

    def drop(self, node: WindowNode) -> int:
        if node.swa_values is None:
            return 0
        self._unlink(node)
        length = len(node.edge) // self.unit_bytes
        self.pool.give(node.swa_values[node.offset : node.offset + length])
        node.swa_values = None
        self.live_nodes -= 1
        if node.swa_lock:
            self.protected -= length
        else:
            self.evictable -= length
        return length

    def slots_of(self, node: WindowNode) -> array[int]:
        return self.window_slots(node)

    def by_use(self) -> Iterator[WindowNode]:
        root = cast("WindowNode", self.cache.tree.root)
        node = root.swa_newer
        while node is not root:
            newer = node.swa_newer
            yield node
            node = newer

    def nodes(self) -> Iterator[WindowNode]:
        """Yield every node of the tree, parents first, with this component's fields."""
        return cast("Iterator[WindowNode]", self.cache.tree.descend())

    def held_by(self, receipt: LockReceipt) -> Iterator[WindowNode]:
        """Yield the nodes that a receipt counts on, the end of its path first."""
        mark = receipt.marks[self.number - 1]
        node = cast("WindowNode", receipt.node)
        while receipt.auxiliary_held and node is not self.cache.tree.root:
            yield node
            if mark and node.swa_mark == mark:
                break
            node = node.parent

    def oldest_first(self) -> list[int]:
        """Return the ids of the live nodes from the least to the most recently used."""
        return [node.id for node in self.by_use()]

    def complaints(self) -> Iterator[str]:
        listed = self.oldest_first()
        live = {node.id for node in self.nodes() if self.is_live(node)}
        if len(listed) != len(live) or set(listed) != live or self.live_nodes != len(live):
            yield f"swa recency list: {len(listed)} entries, {self.live_nodes} counted, {len(live)} live nodes"

    def _revive(self, node: WindowNode, slots: array[int]) -> None:
        root = cast("WindowNode", self.cache.tree.root)
        node.swa_values = slots
        self.live_nodes += 1
        older = root.swa_older
        node.swa_older, node.swa_newer = older, root
        older.swa_newer = root.swa_older = node
        if node.swa_lock:
            self.protected += len(node.edge) // self.unit_bytes
        else:
            self.evictable += len(node.edge) // self.unit_bytes

    def _link(self, node: WindowNode, older: WindowNode, newer: WindowNode) -> None:
        node.swa_older = older
        node.swa_newer = newer
        older.swa_newer = newer.swa_older = node

    def _unlink(self, node: WindowNode) -> None:
        older, newer = node.swa_older, node.swa_newer
        older.swa_newer = newer
        newer.swa_older = older
