"""The block-hash cache: hashed blocks and queues of free ones behind the interface of the prefix cache."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, cast

from cache_core.cache import PrefixCache
from cache_core.component import Component
from cache_core.config import CacheConfig
from cache_core.controls.block_hash.chains import DIGEST_BYTES, Chains
from cache_core.controls.block_hash.full import FullBlocks
from cache_core.controls.block_hash.request import BlockRequest
from cache_core.controls.block_hash.window import WindowBlocks
from cache_core.controls.block_hash.writing import write_blocks
from cache_core.errors import ConfigError
from cache_core.events import EventSink
from cache_core.insertion import Write
from cache_core.node import Node
from cache_core.registry import Registry

KINDS: Registry[type[Component[Node]]] = Registry(
    "kind of blocks",
    {
        "full": "cache_core.controls.block_hash.full:FullBlocks",
        "swa": "cache_core.controls.block_hash.window:WindowBlocks",
    },
)


class BlockHashCache(PrefixCache):
    """Reuse by hashed blocks, freed in the order of last release: the control to compare the radix tree with.

    `table` finds blocks by hash, `blocks` and `windows` are its two kinds of slots. Raises ConfigError for settings
    that it has nothing like: other orders of eviction, other trees, states, bigram keys and host memory.
    """

    request_class = BlockRequest
    component_table = KINDS
    digest_bytes: ClassVar[int] = DIGEST_BYTES
    """The length of a hash."""

    def __init__(
        self,
        config: CacheConfig,
        *,
        sink: EventSink | None = None,
        clock: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        _require_known(config)
        super().__init__(replace(config, branching=False), clock=clock)
        self.tree = self.table = Chains(self.page, self.node_type, self.tree.make_hooks, self.digest_bytes)
        self.blocks = cast("FullBlocks", self.full)
        self.windows = cast("WindowBlocks | None", self.window)
        if sink is not None:
            self.attach_sink(sink)

    def write(self, job: Write) -> tuple[Node, int]:
        """Give the full blocks of a key their hashes."""
        return write_blocks(self, job)


def _require_known(config: CacheConfig) -> None:
    if config.policy != "lru":
        raise ConfigError(f"policy {config.policy!r}: the block-hash cache frees blocks by last release; use 'lru'")
    if config.backend != "python":
        raise ConfigError(f"backend {config.backend!r}: the block-hash cache has a table of its own; use 'python'")
    unknown = [name for name in config.components if name not in KINDS]
    if unknown:
        raise ConfigError(f"components {unknown}: the block-hash cache has only: {', '.join(KINDS)}")
    if config.host_slots:
        raise ConfigError(f"host_slots {config.host_slots}: the block-hash cache has no host tier; use 0")
    if config.bigram:
        raise ConfigError("bigram keys: the block-hash cache hashes blocks of tokens; use bigram=False")
