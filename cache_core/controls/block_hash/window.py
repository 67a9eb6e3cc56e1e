"""Blocks of the sliding-window kind: held over the last window, usable only with all of it."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from cache_core.components.swa import SlidingWindow
from cache_core.eviction import drop_auxiliary
from cache_core.node import Node

if TYPE_CHECKING:
    from cache_core.components.swa import WindowNode
    from cache_core.lock import LockReceipt
    from cache_core.tally import EvictTally


class WindowBlocks(SlidingWindow):
    """The recency list is in the order of last release; blocks that are held stand in it and are passed over.

    A lock holds the live blocks of the last window and one page before it, since a repeat of a whole key ends a page
    earlier. Its mark says how many they are.
    """

    def lock(self, node: WindowNode) -> tuple[int, int]:
        """Hold what a match at `node` relies on. Returns the mark, and the slots moved."""
        count = moved = 0
        begin = node.end - self.span
        while node.end > begin and node.swa_values is not None:
            if not node.swa_lock:
                moved += node.length
            node.swa_lock += 1
            count += 1
            node = node.parent
        self.evictable -= moved
        self.protected += moved
        return count, moved

    def unlock(self, node: WindowNode, mark: int) -> int:
        """Let go of as many blocks as the lock held, the last one first. Returns the slots moved."""
        moved = 0
        for _ in range(mark):
            node.swa_lock -= 1
            if not node.swa_lock:
                self.renew(node)
                moved += node.length
            node = node.parent
        self.protected -= moved
        self.evictable += moved
        return moved

    def held_by(self, receipt: LockReceipt) -> Iterator[WindowNode]:
        """Yield the blocks that a receipt holds."""
        node = cast("WindowNode", receipt.node)
        for _ in range(receipt.marks[self.number - 1] if receipt.auxiliary_held else 0):
            yield node
            node = node.parent

    @property
    def span(self) -> int:
        """How many positions a lock covers."""
        return self.refresh_bytes // self.unit_bytes

    def refresh(self, node: WindowNode) -> None:
        """A look at a block moves nothing."""

    def renew(self, node: WindowNode) -> None:
        """Move a block to the end of the list."""
        root = cast("WindowNode", self.cache.tree.root)
        self._unlink(node)
        self._link(node, root.swa_older, root)

    def renew_window(self, node: WindowNode) -> None:
        """Move the live blocks of the last window and page to the end of the list, the last one first."""
        begin = node.end - self.span
        while node.end > max(0, begin) and node.swa_values is not None:
            self.renew(node)
            node = node.parent

    def enter(self, block: Node, slots: array[int]) -> None:
        """Give a block slots of this kind."""
        self._revive(cast("WindowNode", block), slots)

    def evict(self, asked: int, tally: EvictTally) -> None:
        """Take the slots of the blocks that were let go first; their hashes and Full slots stay."""
        root = cast("WindowNode", self.cache.tree.root)
        node = root.swa_newer
        while tally.freed[self.number] < asked and node is not root:
            after = node.swa_newer
            if not node.swa_lock:
                tally.pops += 1
                tally.leaves_considered += 1
                drop_auxiliary(self.cache, node, self.number, tally)
            node = after
