"""Blocks of the full kind: what a hash belongs to. The loss of one takes its block of the window kind along."""

from __future__ import annotations

from typing import ClassVar

from cache_core.components.full import Full
from cache_core.controls.block_hash.queue import ReleaseQueue
from cache_core.node import Node


class FullBlocks(Full):
    """Every block that nobody holds may be taken; they are let go from the last of a key to the first."""

    node_fields: ClassVar[tuple[str, ...]] = ("digest",)

    def _make_evictor(self) -> None:
        self.queue = ReleaseQueue(self.policy)
        self.evictor = self.queue

    def may_go(self, node: Node) -> bool:
        """Say whether a block may be taken now."""
        return not node.lock

    def lock_below(self, node: Node, top: Node) -> int:
        """Hold the blocks from `node` up to below `top`. Returns the slots moved."""
        moved = 0
        while node is not top:
            if not node.lock:
                self.queue.withdraw(node)
                moved += node.length
            node.lock += 1
            assert node.parent is not None, f"{top.id=} is not above"
            node = node.parent
        self.evictable -= moved
        self.protected += moved
        return moved

    def unlock(self, node: Node, mark: int) -> int:
        """Let go of a block and then of those before it. Returns the slots moved."""
        moved = 0
        while node.parent is not None:
            node.lock -= 1
            if not node.lock:
                self.queue.offer(node)
                moved += node.length
            node = node.parent
        self.protected -= moved
        self.evictable += moved
        return moved

    def enter(self, block: Node) -> None:
        """Take in a block that has just got its hash."""
        self.evictable += block.length
        self.queue.offer(block)

    def renew_path(self, node: Node) -> None:
        """Queue a block and those before it anew, as if they had been held until now."""
        while node.parent is not None:
            self.queue.renew(node)
            node = node.parent
