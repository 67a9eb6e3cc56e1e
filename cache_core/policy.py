"""The contract of eviction orders, and the table of their names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from cache_core.node import Node
from cache_core.registry import Registry

Rank = int | tuple[int, ...]
"""What orders victims: the smallest goes first, and of equal ones the older node. One policy uses one kind."""


class Policy(ABC):
    """Ranks evictable leaves. `access` and `created` are ticks; ticks tie only along one path.

    A rank may change while a node waits for its eviction. Unless `touch_advances` is set, it may only grow.
    """

    touch_advances: ClassVar[bool] = False
    """Whether touching a node makes it more urgent, so that it must be queued anew."""

    newest_first: ClassVar[bool] = False
    """Whether of two ticks the later one is the more urgent. On a path a parent is a shade older than its child."""

    @abstractmethod
    def rank(self, node: Node) -> Rank:
        """Return the node's rank as it is now."""


POLICIES: Registry[type[Policy]] = Registry(
    "eviction policy",
    {
        "lru": "cache_core.policies.lru:LRU",
        "mru": "cache_core.policies.mru:MRU",
        "fifo": "cache_core.policies.fifo:FIFO",
        "filo": "cache_core.policies.filo:FILO",
        "lfu": "cache_core.policies.lfu:LFU",
        "slru": "cache_core.policies.slru:SLRU",
        "priority": "cache_core.policies.priority:Priority",
    },
)
