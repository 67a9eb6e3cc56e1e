"""The sliding window: state that is needed over one window only, and given up behind it.

A node without it is a tombstone: the walk passes through, but a match may not end within a window of it.
Eviction is by its own recency list whatever the policy; an inner node becomes a tombstone, a leaf goes whole.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, cast

from cache_core.branching import ceil_page, leaf_cuts
from cache_core.component import Component
from cache_core.eviction import remove_leaf
from cache_core.key import TOKEN_BYTES
from cache_core.node import Node
from cache_core.pools.paired import PairedPool

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.insertion import Write
    from cache_core.tally import EvictTally

    class WindowNode(Node):
        """A node as this component sees it."""

        swa_live: bool
        swa_lock: int
        swa_mark: int
        swa_older: WindowNode
        swa_newer: WindowNode
        parent: WindowNode
else:
    WindowNode = Node


class SlidingWindow(Component[WindowNode]):
    """Window state: `swa_live` nodes stand in a list from oldest to newest use; the root is its two ends.

    A lock covers nodes upward until their edges span a window, tombstones included. The last of them gets a
    mark; the receipt remembers it, so that a split in between cannot change where the unlock ends.
    """

    name: ClassVar[str] = "swa"
    node_fields: ClassVar[tuple[str, ...]] = ("swa_live", "swa_lock", "swa_mark", "swa_newer", "swa_older")

    def __init__(self, cache: PrefixCache, number: int) -> None:
        super().__init__(cache, number)
        config = cache.config
        assert isinstance(cache.pool, PairedPool) and config.window is not None
        self.pool = cache.pool
        self.window_bytes = config.window * TOKEN_BYTES
        self.refresh_bytes = (config.window + config.page_size) * TOKEN_BYTES
        self.cap = ceil_page(config.window, config.page_size)
        self.live_nodes = 0
        self._last_mark = 0

    def reset(self) -> None:
        super().reset()
        self.live_nodes = 0

    def make(self, node: WindowNode) -> None:
        node.swa_live = False
        node.swa_lock = 0
        node.swa_mark = 0
        node.swa_older = node.swa_newer = node

    def is_live(self, node: WindowNode) -> bool:
        return node.swa_live

    def locks(self, node: WindowNode) -> int:
        return node.swa_lock

    def deepest_usable(self, path: list[WindowNode], upto: int) -> int:
        """Return the deepest node whose last window is live, or which has no tombstone above it at all.

        Walking back from a candidate, a tombstone met before a window is covered rules out every node down to
        and including that tombstone.
        """
        window = self.window_bytes
        while upto >= 0:
            covered = 0
            at = upto
            while at >= 0 and covered < window and path[at].swa_live:
                covered += len(path[at].edge)
                at -= 1
            if at < 0 or covered >= window:
                return upto
            upto = at - 1
        return -1

    def refresh(self, node: WindowNode) -> None:
        """Move the live nodes of the last window and a page to the newest end, `node` newest of all."""
        newest = root = cast("WindowNode", self.cache.tree.root)
        limit = self.refresh_bytes
        covered = 0
        while node is not root and covered < limit:
            if node.swa_live:
                self._unlink(node)
                self._link(node, newest.swa_older, newest)
                newest = node
            covered += len(node.edge)
            node = node.parent

    def split(self, upper: WindowNode, lower: WindowNode) -> None:
        upper.swa_lock = lower.swa_lock
        upper.swa_mark = lower.swa_mark
        lower.swa_mark = 0
        if lower.swa_live:
            upper.swa_live = True
            self.live_nodes += 1
            self._link(upper, lower.swa_older, lower)

    def lock(self, node: WindowNode) -> tuple[int, int]:
        root = self.cache.tree.root
        window = self.window_bytes
        covered = moved = 0
        while node is not root:
            if not node.swa_lock and node.swa_live:
                moved += len(node.edge)
            node.swa_lock += 1
            covered += len(node.edge)
            if covered >= window:
                if not node.swa_mark:
                    self._last_mark = node.swa_mark = self._last_mark + 1
                break
            node = node.parent
        moved //= TOKEN_BYTES
        self.evictable -= moved
        self.protected += moved
        return (node.swa_mark if covered >= window else 0), moved

    def unlock(self, node: WindowNode, mark: int) -> int:
        root = self.cache.tree.root
        moved = 0
        while node is not root:
            assert node.swa_lock > 0, f"{node.id=} has no window lock"
            node.swa_lock -= 1
            if not node.swa_lock and node.swa_live:
                moved += len(node.edge)
            if mark and node.swa_mark == mark:
                break
            node = node.parent
        moved //= TOKEN_BYTES
        self.protected -= moved
        self.evictable += moved
        return moved

    def overlap(self, node: WindowNode, begin: int, end: int, job: Write) -> int:
        """Bring a tombstone back to life with the newcomer's live slots.

        begin        live_from            end
          |--duplicates--|---becomes live--|

        An unlocked node takes the newcomer's Full slots and gives its own back. A locked one is in the rows of
        requests and must keep its Full slots: it takes the window peers alone.
        """
        cut = max(begin, job.live_from)
        if node.swa_live or cut >= end:
            return end
        cache = self.cache
        if cut > node.start:
            cache.split(node, (cut - node.start) * TOKEN_BYTES)
        fresh = job.slots[cut:end]
        if node.lock:
            self.pool.move_window(fresh, node.slots())
            self.pool.release_full(fresh)
        else:
            self.pool.release_full(node.slots())
            node.values = fresh
            node.offset = 0
            _extend(job.adopted.setdefault("full", []), cut, end)
        _extend(job.adopted.setdefault(self.name, []), cut, end)
        self._revive(node)
        if cache.changes is not None:
            cache.changes.recovered(node, self.number)
        return cut

    def cuts(self, start: int, end: int, live_from: int) -> tuple[int, ...]:
        return leaf_cuts(start, end, live_from, self.cap)

    def commit(self, node: WindowNode, live_from: int) -> None:
        if node.start >= live_from:
            self._revive(node)

    def drop(self, node: WindowNode) -> int:
        """Take the window state off a node; the caller gives the slots back."""
        if not node.swa_live:
            return 0
        self._unlink(node)
        node.swa_live = False
        self.live_nodes -= 1
        length = node.length
        if node.swa_lock:
            self.protected -= length
        else:
            self.evictable -= length
        return length

    def evict(self, asked: int, tally: EvictTally) -> None:
        """Take windows, least recently used first. The list is walked once, past what is locked."""
        root = cast("WindowNode", self.cache.tree.root)
        freed = tally.freed
        number = self.number
        node = root.swa_newer
        while freed[number] < asked and node is not root:
            after = node.swa_newer
            if not node.swa_lock:
                tally.victims += 1
                tally.leaves_considered += 1
                if node.children or node.lock:
                    self.pool.release_window(node.slots())
                    freed[number] += self.drop(node)
                    if self.cache.changes is not None:
                        self.cache.changes.tombstoned(node, number)
                else:
                    remove_leaf(self.cache, node, number, tally)
            node = after

    def nodes(self) -> Iterator[WindowNode]:
        """Yield every node of the tree, parents first, with this component's fields."""
        return cast("Iterator[WindowNode]", self.cache.tree.descend())

    def part_by_peer(self, slots: array[int]) -> tuple[array[int], array[int]]:
        """Divide Full slots into those with a window peer and those without."""
        peers = self.pool.window_slots(slots)
        live = array("i", [slot for slot, peer in zip(slots, peers, strict=True) if peer])
        return live, array("i", [slot for slot, peer in zip(slots, peers, strict=True) if not peer])

    def oldest_first(self) -> list[int]:
        """Return the ids of the live nodes from the least to the most recently used."""
        root = cast("WindowNode", self.cache.tree.root)
        ids = []
        node = root.swa_newer
        while node is not root:
            ids.append(node.id)
            node = node.swa_newer
        return ids

    def _revive(self, node: WindowNode) -> None:
        root = cast("WindowNode", self.cache.tree.root)
        node.swa_live = True
        self.live_nodes += 1
        self._link(node, root.swa_older, root)
        if node.swa_lock:
            self.protected += node.length
        else:
            self.evictable += node.length

    def _link(self, node: WindowNode, older: WindowNode, newer: WindowNode) -> None:
        node.swa_older = older
        node.swa_newer = newer
        older.swa_newer = newer.swa_older = node

    def _unlink(self, node: WindowNode) -> None:
        older, newer = node.swa_older, node.swa_newer
        older.swa_newer = newer
        newer.swa_older = older


def _extend(ranges: list[list[int]], start: int, end: int) -> None:
    """Add a range, joined to the last one where they touch."""
    if ranges and ranges[-1][1] == start:
        ranges[-1][1] = end
    else:
        ranges.append([start, end])
