"""Room on the host: which copies are dropped for others.

What is on the host alone and what is there as well are two kinds of victims. Writing through, the first go first: the
others will be needed when the device lets go of them, and there they can only be copied while their path is a piece
from the root. Writing back, a copy of what the device still has is worth least.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from cache_core.host.copies import Copies
from cache_core.host.node import TieredNode, has_copied_child, take_off_host
from cache_core.host.victims import VictimQueue

if TYPE_CHECKING:
    from cache_core.host_tier import HostTier


class HostRoom:
    """Makes room in the host's pools. `spare_above` names a node whose path keeps its copies.

    When there is not enough, what was dropped on the way stays dropped.
    """

    def __init__(self, tier: HostTier) -> None:
        self._tier = tier
        policy = tier.cache.full.policy
        self._split_advances = policy.split_advances
        anew = policy.touch_advances or tier.cache.config.split_recency == "reference"
        self._alone = VictimQueue(policy, _is_alone, anew)
        self._doubled = VictimQueue(policy, self._is_doubled, anew)
        kinds = self._alone, self._doubled
        self._kinds = kinds[::-1] if tier.writes_back else kinds

    def note(self, node: TieredNode) -> None:
        """Take note that a node may have become a victim."""
        if node.parent is not None and node.copies[0] is not None:
            (self._alone if node.is_away else self._doubled).offer(node)

    def cut(self, upper: TieredNode, lower: TieredNode) -> None:
        """Take note that a node was cut."""
        self.note(upper)
        if self._split_advances:
            for queue in self._kinds:
                queue.advanced(lower)

    def for_full(self, tokens: int, spare_above: TieredNode | None = None) -> bool:
        """Free that many tokens of Full data; False if there are not so many, or ever will be."""
        pool = self._tier.copies[0].pool
        if tokens > pool.total:
            return False
        if pool.free_slots >= tokens:
            return True
        tree = self._tier.cache.tree
        spared = set() if spare_above is None else {node.id for node in spare_above.upward()}
        for queue in self._kinds:
            queue.begin(self._tier.nodes, tree.nodes + self._tier.away_nodes)
        while pool.free_slots < tokens and (victim := self._pop(spared)) is not None:
            self.drop(victim)
        for queue in self._kinds:
            queue.end()
        return pool.free_slots >= tokens

    def for_auxiliary(self, copies: Copies, slots: int, spare_above: TieredNode | None = None) -> bool:
        """Free that many slots of an auxiliary component; False if there are not so many, or ever will be."""
        if slots > copies.pool.total:
            return False
        if copies.pool.free_slots >= slots:
            return True
        spared = set() if spare_above is None else {node.id for node in spare_above.upward()}
        kinds = iter(copies.alone), copies.doubled()
        for node in chain.from_iterable(kinds[::-1] if self._tier.writes_back else kinds):
            if not node.host_lock and node.id not in spared:
                copies.drop(node)
                self._tier.announcements.dropped(node, copies.number)
                if copies.pool.free_slots >= slots:
                    return True
        return False

    def drop(self, node: TieredNode) -> None:
        """Drop every copy of a node. One that is nowhere else, and has nothing below it, leaves the tree."""
        tier = self._tier
        away = node.is_away
        for copies in reversed(tier.copies):
            if node.copies[copies.number] is not None:
                copies.drop(node)
                if not away:
                    tier.announcements.dropped(node, copies.number)
        parent = node.parent
        if away:
            assert not node.host_children, f"{node.id=} is no leaf"
            parent = take_off_host(tier.cache.tree, node)
            tier.away_nodes -= 1
            tier.announcements.removed(node)
            if tier.cache.watcher is not None:
                tier.cache.watcher.removed(node)
        self.note(parent)

    def is_queued(self, node: TieredNode) -> bool:
        """Say whether a node is queued if it may be dropped."""
        return all(queue.holds(node) for queue in self._kinds)

    # -- inside --------------------------------------------------------------------------------------------------

    def _pop(self, spared: set[int]) -> TieredNode | None:
        for queue in self._kinds:
            victim = queue.pop(spared)
            if victim is not None:
                return victim
        return None

    def _is_doubled(self, node: TieredNode) -> bool:
        if node.is_away or node.copies[0] is None:
            return False
        return self._tier.writes_back or not has_copied_child(node)


def _is_alone(node: TieredNode) -> bool:
    return node.is_away and not node.host_children
