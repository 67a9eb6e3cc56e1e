"""The contract of block caches, and the table of their policies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from cache_core.errors import ConfigError
from cache_core.registry import Registry
from profiles.trace import TraceRequest


class BlockPolicy(ABC):
    """A cache of so many blocks, empty at first, that decides what stays. One is good for one run."""

    def __init__(self, capacity_blocks: int) -> None:
        if capacity_blocks < 0:
            raise ConfigError(f"capacity_blocks is {capacity_blocks}; a cache holds 0 blocks or more")
        self.capacity_blocks = capacity_blocks
        self.dropped_blocks = 0
        """How many blocks made room for others so far; those that were never let in count as well."""

    @abstractmethod
    def serve(self, requests: Iterable[TraceRequest]) -> Iterator[int]:
        """Yield of each request, in order, how many blocks it hit."""


BLOCK_POLICIES: Registry[type[BlockPolicy]] = Registry(
    "policy",
    {
        "lru": "profiles.simulation.policies.lru:LRU",
        "fifo": "profiles.simulation.policies.fifo:FIFO",
        "leaf_fifo": "profiles.simulation.policies.leaf_fifo:LeafFIFO",
        "lfu": "profiles.simulation.policies.lfu:LFU",
        "slru": "profiles.simulation.policies.slru:SLRU",
        "optimal": "profiles.simulation.policies.optimal:Optimal",
        "infinite": "profiles.simulation.policies.infinite:Infinite",
        "block_hash": "profiles.simulation.policies.block_hash:BlockHash",
        "chunk": "profiles.simulation.policies.chunk:Chunk",
    },
)
"""`optimal` and `infinite` are what no cache can beat, `block_hash` and `chunk` the controls of `cache_core`."""
