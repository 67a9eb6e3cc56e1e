"""Sliding windows that a match is likely to end on given up last: those before the ends of branches and before forks.

A branch is usable up to its end while the window before it is live, and a prompt that leaves a branch hits up to the
fork while the window before that is. Plain recency takes that window from an idle branch before older windows of a
busy one, and the hit of the idle branch falls from all to nothing. Here the windows before no end go first, and those
before one only when there are no others, each kind by recency.

An end is where a node with no child or with several ends, of what is on the device; children that are on the host
alone do not count. A node is needed while less than a window lies between its end and an end at or below it.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, ClassVar, cast

from cache_core.components.swa import SlidingWindow
from cache_core.eviction import give_up
from cache_core.node import Node

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator

    from cache_core.cache import PrefixCache
    from cache_core.components.swa import WindowNode
    from cache_core.tally import EvictTally

    class TailNode(WindowNode):
        """A node as this component sees it."""

        children: dict[bytes, TailNode]  # type: ignore[assignment]
        parent: TailNode
        swa_gap: int
        swa_newer: TailNode
        swa_queued: bool
        swa_stamp: int
else:
    WindowNode = TailNode = Node

Entry = tuple[int, int, int, TailNode]
"""The tick of a node's last use, its start, so that a parent goes before its child, its id, and the node."""

SLACK = 64


class TailWindowLast(SlidingWindow):
    """A sliding window whose first victims wait in a lazy heap, and the others in the list by recency.

    `swa_gap` is how many bytes lie between a node's end and the next end at or below it, at most a window: a node is
    needed while that is less. With one child it is the child's and its edge, else 0, so that a leaf that comes or
    goes changes it within a window above its parent only. Every live node that is not needed has one entry in the
    heap, which may be of an earlier use, or was found locked and is put aside until it is unlocked.
    """

    node_fields: ClassVar[tuple[str, ...]] = (*SlidingWindow.node_fields, "swa_gap", "swa_queued", "swa_stamp")

    def __init__(self, cache: PrefixCache, number: int) -> None:
        super().__init__(cache, number)
        self._heap: list[Entry] = []
        self._aside: set[int] = set()

    def reset(self) -> None:
        super().reset()
        self._heap = []
        self._aside = set()

    def make(self, node: TailNode) -> None:  # type: ignore[override]
        node.swa_values = None
        node.swa_lock = node.swa_mark = node.swa_gap = node.swa_stamp = 0
        node.swa_older = node.swa_newer = node
        node.swa_queued = False

    def refresh(self, node: TailNode) -> None:  # type: ignore[override]
        """Do as the base does, in its one loop, and stamp what is renewed."""
        tick, limit = self.cache.tick, self.refresh_bytes
        newest = root = cast("TailNode", self.cache.tree.root)
        while node is not root:
            node.swa_stamp = tick
            if node.swa_values is not None:
                if node.swa_newer is not newest:
                    older, newer = node.swa_older, node.swa_newer
                    older.swa_newer = newer
                    newer.swa_older = older
                    older = newest.swa_older
                    node.swa_older, node.swa_newer = older, newest
                    older.swa_newer = newest.swa_older = node
                newest = node
            limit -= len(node.edge)
            if limit <= 0:
                break
            node = node.parent

    def split(self, upper: TailNode, lower: TailNode) -> None:  # type: ignore[override]
        super().split(upper, lower)
        upper.swa_stamp = lower.swa_stamp
        upper.swa_gap = self._gap(upper)
        self._offer(upper)

    def unlock(self, node: TailNode, mark: int) -> int:  # type: ignore[override]
        moved = super().unlock(node, mark)
        if moved and self._aside:
            self._take_back(node, mark)
        return moved

    def unlock_one(self, node: TailNode) -> int:  # type: ignore[override]
        moved = super().unlock_one(node)
        if moved and node.id in self._aside:
            self._aside.discard(node.id)
            self._offer(node)
        return moved

    def attached(self, node: TailNode) -> None:  # type: ignore[override]
        parent = node.parent
        count = len(parent.children)
        if count == 1:
            self._move_end(parent, min(self.window_bytes, len(node.edge)))
        elif count == 2:
            self._move_end(parent, 0)

    def detached(self, node: TailNode, parent: TailNode) -> None:  # type: ignore[override]
        if len(parent.children) <= 1:
            self._move_end(parent, self._gap(parent))

    def evict(self, asked: int, tally: EvictTally) -> None:
        """Take windows: first those that are not needed, then the others, each kind least recently used first."""
        freed, number, cache = tally.freed, self.number, self.cache
        root = cast("TailNode", cache.tree.root)
        oldest = root.swa_newer
        while freed[number] < asked:
            node = self._pop(tally)
            if node is None:  # whatever is in the list and not locked is needed
                while oldest.swa_lock and oldest is not root:
                    oldest = oldest.swa_newer
                if oldest is root:
                    break
                node = oldest
            if node is oldest:
                oldest = node.swa_newer
            give_up(cache, node, number, tally)

    def complaints(self) -> Iterator[str]:
        yield from super().complaints()
        queued = {node.id for *_, node in self._heap}
        for node in cast("Iterator[TailNode]", self.nodes()):
            gap = self._gap(node)
            if gap != node.swa_gap:
                yield f"node {node.id}: the next end of a branch or fork is {gap} bytes away, it says {node.swa_gap}"
            if node.swa_queued != (node.id in queued):
                yield f"swa victim queue: node {node.id} says {node.swa_queued} of being queued"
            waits = node.swa_queued or (node.swa_lock and node.id in self._aside)
            if node.swa_values is not None and gap == self.window_bytes and not waits:
                yield f"swa victim queue: node {node.id} is not needed and not queued"

    def _pop(self, tally: EvictTally) -> TailNode | None:
        """Return the next victim that is not needed, or None if there is none that is not locked."""
        heap, window = self._heap, self.window_bytes
        while heap:
            stamp, start, _, node = heappop(heap)
            tally.pops += 1
            if node.swa_values is not None and node.swa_gap == window:
                if stamp != node.swa_stamp or start != node.start:
                    self._push(node)
                    tally.stale_pops += 1
                    continue
                node.swa_queued = False
                if not node.swa_lock:
                    return node
                self._aside.add(node.id)
            node.swa_queued = False
            tally.stale_pops += 1
        return None

    def _revive(self, node: TailNode, slots: array[int]) -> None:  # type: ignore[override]
        super()._revive(node, slots)
        node.swa_stamp = self.cache.tick
        if node.swa_gap == self.window_bytes:
            self._offer(node)

    def _offer(self, node: TailNode) -> None:
        """Queue a node that is live, not needed, and not queued."""
        if node.swa_gap == self.window_bytes and node.swa_values is not None and not node.swa_queued:
            node.swa_queued = True
            self._push(node)
            if len(self._heap) > 2 * self.live_nodes + SLACK:
                self._compact()

    def _push(self, node: TailNode) -> None:
        heappush(self._heap, (node.swa_stamp, node.start, node.id, node))

    def _compact(self) -> None:
        """Keep the entries of nodes that may be victims."""
        kept = []
        for entry in self._heap:
            node = entry[3]
            node.swa_queued = node.swa_values is not None and node.swa_gap == self.window_bytes
            if node.swa_queued:
                kept.append(entry)
        heapify(kept)
        self._heap = kept

    def _take_back(self, node: TailNode, mark: int) -> None:
        """Queue what was put aside of the segment that an unlock at `node` let go."""
        root, aside = self.cache.tree.root, self._aside
        while node is not root:
            if node.id in aside and not node.swa_lock:
                aside.discard(node.id)
                self._offer(node)
            if mark and node.swa_mark == mark:
                break
            node = node.parent

    def _gap(self, node: TailNode) -> int:
        """Return how far the next end is from that of a node whose child knows its own."""
        if len(node.children) != 1:
            return 0
        (child,) = node.children.values()
        return min(self.window_bytes, len(child.edge) + child.swa_gap)

    def _move_end(self, node: TailNode, gap: int) -> None:
        """Set the gap of a node whose children changed, and those above it as far as that changes them."""
        root, window = self.cache.tree.root, self.window_bytes
        while gap != node.swa_gap and node is not root:
            node.swa_gap = gap
            if gap == window:
                self._offer(node)
            gap = min(window, gap + len(node.edge))
            node = node.parent
            if len(node.children) != 1:
                break
