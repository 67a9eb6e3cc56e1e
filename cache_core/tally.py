"""The running count of an evict call."""

from __future__ import annotations


class EvictTally:
    """Counts one component's share of an evict call; `freed` is shared by the components of the call."""

    __slots__ = ("cascades", "freed", "leaves_considered", "pops", "queue_build_ns", "stale_pops", "victims")

    def __init__(self, freed: list[int]) -> None:
        self.freed = freed
        self.victims = self.cascades = self.leaves_considered = 0
        self.queue_build_ns = self.pops = self.stale_pops = 0
