"""Sliding windows given up with the ends of branches last, so that no idle branch loses all of its hit at once.

A branch is usable up to its end while its last window is live. Plain recency takes that window from an idle branch
before older windows of a busy one, and the hit of the idle branch falls from all to nothing. Here the windows that no
branch ends on go first, and those that one ends on only when there are no others, each kind by recency.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, ClassVar, cast

from cache_core.components.swa import SlidingWindow
from cache_core.eviction import drop_beside, remove_leaf
from cache_core.node import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cache_core.cache import PrefixCache
    from cache_core.components.swa import WindowNode
    from cache_core.tally import EvictTally

    class TailNode(WindowNode):
        """A node as this component sees it."""

        children: dict[bytes, TailNode]  # type: ignore[assignment]
        parent: TailNode
        swa_gap: int
        swa_queued: bool
        swa_stamp: int
else:
    WindowNode = TailNode = Node

Key = tuple[bool, int, int]
"""Whether a branch ends on the window, the tick of its last use, and its start: a parent goes before its child."""

SLACK = 64


class TailWindowLast(SlidingWindow):
    """A sliding window whose victims wait in a lazy heap.

    `swa_gap` is how many bytes lie between a node's end and the nearest end of a branch at or below it, at most a
    window. It is kept up to date as leaves come and go: a change climbs while it is nearer than a window.
    """

    node_fields: ClassVar[tuple[str, ...]] = (*SlidingWindow.node_fields, "swa_gap", "swa_queued", "swa_stamp")

    def __init__(self, cache: PrefixCache, number: int) -> None:
        super().__init__(cache, number)
        self._heap: list[tuple[Key, int, TailNode]] = []

    def reset(self) -> None:
        super().reset()
        self._heap = []

    def make(self, node: TailNode) -> None:  # type: ignore[override]
        super().make(node)
        node.swa_gap = node.swa_stamp = 0
        node.swa_queued = False

    def refresh(self, node: TailNode) -> None:  # type: ignore[override]
        super().refresh(node)
        limit, tick, root = self.refresh_bytes, self.cache.tick, self.cache.tree.root
        while node is not root and limit > 0:
            node.swa_stamp = tick
            limit -= len(node.edge)
            node = node.parent

    def split(self, upper: TailNode, lower: TailNode) -> None:  # type: ignore[override]
        super().split(upper, lower)
        upper.swa_stamp = lower.swa_stamp
        upper.swa_gap = self._through(lower)
        self._offer(upper)

    def unlock(self, node: TailNode, mark: int) -> int:  # type: ignore[override]
        segment = list(self._segment(node, mark))
        moved = super().unlock(node, mark)
        for step in segment:
            self._offer(step)
        return moved

    def unlock_one(self, node: TailNode) -> int:  # type: ignore[override]
        moved = super().unlock_one(node)
        self._offer(node)
        return moved

    def put_back(self, node: TailNode) -> None:  # type: ignore[override]
        self._offer(node)

    def attached(self, node: Node) -> None:
        leaf = cast("TailNode", node)
        parent = leaf.parent
        if len(parent.children) == 1:
            self._changed(parent, 0, self._through(leaf))
        elif self._through(leaf) < parent.swa_gap:
            self._changed(parent, parent.swa_gap, self._through(leaf))

    def detached(self, node: Node, parent: Node) -> None:
        leaf, above = cast("TailNode", node), cast("TailNode", parent)
        if self._through(leaf) <= above.swa_gap:
            self._changed(above, above.swa_gap, self._nearest(above, above.swa_gap))

    def evict(self, asked: int, tally: EvictTally) -> None:
        """Take windows: first those that no branch ends on, then the others, each kind least recently used first."""
        freed, number, cache = tally.freed, self.number, self.cache
        while freed[number] < asked:
            node = self._pop(tally)
            if node is None:
                break
            tally.victims += 1
            tally.leaves_considered += 1
            if node.children or node.lock:
                drop_beside(cache, node, number, tally)
            else:
                remove_leaf(cache, node, number, tally)

    def complaints(self) -> Iterator[str]:
        queued = {node.id for _, _, node in self._heap}
        for node in cast("Iterator[TailNode]", self.nodes()):
            gap = min((self._through(child) for child in node.children.values()), default=0)
            if gap != node.swa_gap:
                yield f"node {node.id}: the nearest end of a branch is {gap} bytes away, it says {node.swa_gap}"
            if node.swa_values is not None and not node.swa_lock and node.id not in queued:
                yield f"swa victim queue: node {node.id} may be a victim and is not queued"

    def _pop(self, tally: EvictTally) -> TailNode | None:
        heap = self._heap
        while heap:
            key, _, node = heappop(heap)
            tally.pops += 1
            if node.swa_values is None or node.swa_lock or node.parent is None:
                node.swa_queued = False
                tally.stale_pops += 1
                continue
            now = self._key(node)
            if now == key:
                node.swa_queued = False
                return node
            tally.stale_pops += 1
            if now > key:  # of two entries of a node the lower one is the older
                heappush(heap, (now, node.id, node))
        return None

    def _key(self, node: TailNode) -> Key:
        return (node.swa_gap < self.window_bytes, node.swa_stamp, node.start)

    def _revive(self, node: WindowNode, slots: object) -> None:
        super()._revive(node, slots)  # type: ignore[arg-type]
        cast("TailNode", node).swa_stamp = self.cache.tick
        self._offer(cast("TailNode", node))

    def _offer(self, node: TailNode) -> None:
        """Queue a node that may be a victim now and has no entry."""
        if node.swa_values is not None and not node.swa_lock and not node.swa_queued:
            self._push(node)

    def _push(self, node: TailNode) -> None:
        node.swa_queued = True
        heap = self._heap
        heappush(heap, (self._key(node), node.id, node))
        if len(heap) > 2 * self.live_nodes + SLACK:
            self._compact()

    def _compact(self) -> None:
        """Keep one entry, of the key of now, for each node that may be a victim."""
        kept = {}
        for _, _, node in self._heap:
            node.swa_queued = False
            if node.swa_values is not None and not node.swa_lock and node.parent is not None:
                kept[node.id] = node
        for node in kept.values():
            node.swa_queued = True
        self._heap = [(self._key(node), node.id, node) for node in kept.values()]
        heapify(self._heap)

    def _segment(self, node: TailNode, mark: int) -> Iterator[TailNode]:
        root = self.cache.tree.root
        while node is not root:
            yield node
            if mark and node.swa_mark == mark:
                break
            node = node.parent

    def _through(self, child: TailNode) -> int:
        """Return how far the nearest end of a branch is from the end of a child's parent, by way of the child."""
        return min(self.window_bytes, len(child.edge) + child.swa_gap)

    def _nearest(self, node: TailNode, least: int) -> int:
        """Return the gap of a node by its children; none of them is nearer than `least`, which ends the search."""
        if not node.children:
            return 0
        nearest = self.window_bytes
        for child in node.children.values():
            nearest = min(nearest, self._through(child))
            if nearest <= least:
                break
        return nearest

    def _changed(self, node: TailNode, before: int, gap: int) -> None:
        """Set the gap of a node, which was `before`, and of those above it as far as it matters to them."""
        root, window = self.cache.tree.root, self.window_bytes
        while node is not root and gap != before:
            was = min(window, len(node.edge) + before)
            node.swa_gap = gap
            if before < window <= gap:
                node.swa_queued = False  # its entry says that a branch ends here: it comes too late
                self._offer(node)
            through, node = self._through(node), node.parent
            before = node.swa_gap
            if through < before:
                gap = through
            elif was <= before < through:
                gap = self._nearest(node, before)
            else:
                gap = before
