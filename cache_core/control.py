"""The caches one can choose between: the real one, and controls to compare it with, on one interface."""

from __future__ import annotations

import time
from collections.abc import Callable

from cache_core.cache import PrefixCache
from cache_core.config import CacheConfig
from cache_core.events import EventSink
from cache_core.registry import Registry

CACHES: Registry[type[PrefixCache]] = Registry(
    "cache",
    {
        "prefix": "cache_core.cache:PrefixCache",
        "chunk": "cache_core.controls.chunk:ChunkCache",
        "block_hash": "cache_core.controls.block_hash.cache:BlockHashCache",
    },
)


def build(
    name: str,
    config: CacheConfig,
    *,
    sink: EventSink | None = None,
    clock: Callable[[], int] = time.perf_counter_ns,
) -> PrefixCache:
    """Return a new cache of the kind `name`. Raises UnknownNameError, which lists the names."""
    return CACHES.load(name)(config, sink=sink, clock=clock)
