"""A prefix cache that measures its own evict calls: what each costs, what it finds and whom it picks."""

from __future__ import annotations

from array import array
from time import perf_counter_ns
from typing import TYPE_CHECKING, ClassVar

from cache_core.cache import PrefixCache
from cache_core.component import COMPONENTS, Component
from cache_core.components.full import Full
from cache_core.config import CacheConfig
from cache_core.node import Node
from cache_core.registry import Registry
from cache_core.watcher import Watcher

if TYPE_CHECKING:
    from cache_core.tally import EvictTally

_MASK = (1 << 61) - 1


class EvictMeter(Watcher):
    """The calls so far: evictable leaves before each, its victims, its ns, and of these the ns to build the queue.

    `picks` has a number per call that depends on every node that ever left, in their order.
    """

    def __init__(self) -> None:
        self.leaves, self.victims, self.ns, self.build_ns, self.picks = (array("q") for _ in range(5))
        self._picked = 0

    def __len__(self) -> int:
        return len(self.ns)

    def removed(self, node: Node) -> None:
        """See Watcher."""
        self._picked = (self._picked * 1_000_003 + node.id) & _MASK

    def note(self, leaves: int, victims: int, ns: int, build_ns: int) -> None:
        """Take in a call."""
        self.leaves.append(leaves)
        self.victims.append(victims)
        self.ns.append(ns)
        self.build_ns.append(build_ns)
        self.picks.append(self._picked)


class MeteredFull(Full):
    """The base component with a watch on its evict calls: two clock readings each."""

    def evict(self, asked: int, tally: EvictTally) -> None:
        """See Component."""
        leaves, victims, built = self.evictor.leaves, tally.victims, tally.queue_build_ns
        began = perf_counter_ns()
        super().evict(asked, tally)
        took = perf_counter_ns() - began
        assert isinstance(self.cache, MeteredCache)
        self.cache.meter.note(leaves, tally.victims - victims, took, tally.queue_build_ns - built)


class MeteredCache(PrefixCache):
    """A cache whose base component is metered."""

    __slots__ = ("meter",)

    component_table: ClassVar[Registry[type[Component[Node]]]] = Registry(
        COMPONENTS.kind,
        {
            "full": "radixtop.replay.metered:MeteredFull",
            "swa": "cache_core.components.swa:SlidingWindow",
            "mamba": "cache_core.components.mamba:Mamba",
        },
    )

    def __init__(self, config: CacheConfig) -> None:
        super().__init__(config)
        self.meter = EvictMeter()
        self.watch(self.meter)
