"""Recurrent state (Mamba, Gu and Dao 2023, arXiv 2312.00752): one state a node, of the exact prefix at its end.

A match may only end on a node that has a state. A lock holds the state of its own node alone. Eviction is by its own
recency list whatever the policy; an inner node loses its state, a leaf goes whole.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from math import lcm
from typing import TYPE_CHECKING, ClassVar, cast

from cache_core.component import Component
from cache_core.errors import OutOfSlotsError
from cache_core.node import Node
from cache_core.pool import SlotPool

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.insertion import Write

    class StateNode(Node):
        """A node as this component sees it."""

        mamba_slot: int
        mamba_lock: int
        mamba_older: StateNode
        mamba_newer: StateNode
        parent: StateNode
else:
    StateNode = Node


class Mamba(Component[StateNode]):
    """States: nodes that have one stand in a list from oldest to newest use; the root is its two ends.

    `mamba_slot` is the state's slot, 0 for none. Requests keep states at multiples of `grid` tokens.
    """

    name: ClassVar[str] = "mamba"
    node_fields: ClassVar[tuple[str, ...]] = ("mamba_lock", "mamba_newer", "mamba_older", "mamba_slot")
    per_token: ClassVar[bool] = False

    def __init__(self, cache: PrefixCache, number: int) -> None:
        super().__init__(cache, number)
        self.grid = lcm(cache.config.mamba_chunk_tokens, cache.config.page_size)

    def make_pool(self) -> SlotPool:
        assert self.cache.config.mamba_slots is not None
        return SlotPool(self.name, self.cache.config.mamba_slots, 1)

    def make(self, node: StateNode) -> None:
        node.mamba_slot = 0
        node.mamba_lock = 0
        node.mamba_older = node.mamba_newer = node

    def is_live(self, node: StateNode) -> bool:
        return node.mamba_slot != 0

    def locks(self, node: StateNode) -> int:
        return node.mamba_lock

    def size(self, node: StateNode) -> int:
        return 1

    def slots_of(self, node: StateNode) -> array[int]:
        return array("i", [node.mamba_slot])

    def deepest_usable(self, node: StateNode) -> StateNode:
        root = self.cache.tree.root
        while not node.mamba_slot and node is not root:
            node = node.parent
        return node

    def needs(self, end: StateNode) -> Iterator[StateNode]:
        if end.parent is not None:
            yield end

    def accepts_inside(self, node: StateNode, agreed: int) -> bool:
        """Say that there is no state inside an edge."""
        return False

    def refresh(self, node: StateNode) -> None:
        """Move the node's state to the newest end."""
        if node.mamba_slot:
            self._unlink(node)
            self._link(node)

    def lock(self, node: StateNode) -> tuple[int, int]:
        if node is self.cache.tree.root:
            return 0, 0
        node.mamba_lock += 1
        moved = int(node.mamba_lock == 1 and node.mamba_slot != 0)
        self.evictable -= moved
        self.protected += moved
        return 0, moved

    def unlock(self, node: StateNode, mark: int) -> int:
        if node is self.cache.tree.root:
            return 0
        assert node.mamba_lock > 0, f"{node.id=} has no state lock"
        node.mamba_lock -= 1
        moved = int(not node.mamba_lock and node.mamba_slot != 0)
        self.protected -= moved
        self.evictable += moved
        return moved

    def lock_one(self, node: StateNode) -> int:
        return self.lock(node)[1]

    def unlock_one(self, node: StateNode) -> int:
        return self.unlock(node, 0)

    def settle(self, node: StateNode, job: Write) -> None:
        """Attach the state that an insert brings to the node it ends on, or free it where there is one already."""
        slot, job.state_slot = job.state_slot, 0
        if not slot:
            return
        if node.mamba_slot or node is self.cache.tree.root:
            self.give_slot(slot)
        else:
            self.load(node, array("i", [slot]))

    def load(self, node: StateNode, slots: array[int]) -> None:
        node.mamba_slot = slots[0]
        self._link(node)
        if node.mamba_lock:
            self.protected += 1
        else:
            self.evictable += 1
        self.came_back(node)

    def drop(self, node: StateNode) -> int:
        slot = node.mamba_slot
        if not slot:
            return 0
        self._unlink(node)
        node.mamba_slot = 0
        self.give_slot(slot)
        if node.mamba_lock:
            self.protected -= 1
        else:
            self.evictable -= 1
        return 1

    def take_slot(self) -> int:
        """Take a slot for a request's state, or return 0 when none is to be had."""
        try:
            return self.pool.take(1)[0] if self.pool.bases else 0
        except OutOfSlotsError:
            return 0

    def give_slot(self, slot: int) -> None:
        """Take back the slot of one state."""
        self.pool.give(array("i", [slot]))

    def by_use(self) -> Iterator[StateNode]:
        root = cast("StateNode", self.cache.tree.root)
        node = root.mamba_newer
        while node is not root:
            newer = node.mamba_newer
            yield node
            node = newer

    def complaints(self) -> Iterator[str]:
        nodes = cast("Iterator[StateNode]", self.cache.tree.descend())
        live = sorted(node.id for node in nodes if self.is_live(node))
        listed = sorted(node.id for node in self.by_use())
        if listed != live:
            yield f"mamba recency list: {len(listed)} entries, {len(live)} live nodes"

    def _link(self, node: StateNode) -> None:
        root = cast("StateNode", self.cache.tree.root)
        older = root.mamba_older
        node.mamba_older, node.mamba_newer = older, root
        older.mamba_newer = root.mamba_older = node

    def _unlink(self, node: StateNode) -> None:
        older, newer = node.mamba_older, node.mamba_newer
        older.mamba_newer = newer
        newer.mamba_older = older
