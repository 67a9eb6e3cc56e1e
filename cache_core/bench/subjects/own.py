"""This project's cache, through its public interface."""

from __future__ import annotations

import platform
from array import array
from collections.abc import Mapping
from operator import methodcaller
from typing import Any

from cache_core import CacheConfig, PrefixCache, RadixKey
from cache_core.bench.subject import Arguments, Subject
from cache_core.bench.workload import Setup
from cache_core.oplog import replay


class Own(Subject):
    """PrefixCache by default, but windows go in the order of the reference, so that all sides do the same work."""

    cache: PrefixCache
    gather = methodcaller("slots")

    def fresh(self, setup: Setup) -> None:
        cache = PrefixCache(
            CacheConfig(
                page_size=setup.page_size,
                components=setup.components,
                window=setup.window,
                full_slots=setup.slots,
                swa_eviction="lru",
            )
        )
        self.cache = cache
        self.match = cache.match
        self.lock = cache.lock
        self.allocate = cache.allocate
        self.insert = cache.insert
        self.unlock = cache.unlock
        self.evict = cache.evict

    def build_key(self, tokens: list[int]) -> RadixKey:
        return RadixKey(tokens)

    def packed_key(self, tokens: bytes) -> RadixKey:
        return RadixKey(tokens)

    def same_key(self, key: Any) -> RadixKey:
        return RadixKey(key.tokens)

    def match_argument(self, key: Any) -> Any:
        return key

    def hit_tokens(self, found: Any) -> int:
        hit: int = found.hit_tokens
        return hit

    def node(self, found: Any) -> Any:
        return found.node

    def insert_arguments(self, key: Any, found: Any, fresh: Any) -> Arguments:
        slots: array[int] = found.slots()
        slots.extend(fresh)
        return key, slots, found.hit_tokens

    def unlock_arguments(self, node: Any, receipt: Any) -> Arguments:
        return (receipt,)

    def evict_arguments(self, full_tokens: int, swa_tokens: int) -> Arguments:
        return full_tokens, swa_tokens

    def serve(self, prompt: Any, reply: list[int]) -> None:
        request = self.cache.admit(prompt)
        request.prefill(len(prompt))
        for token in reply:
            request.decode(token)
        request.finish()

    def prompt(self, tokens: bytes) -> RadixKey:
        return RadixKey(tokens)

    def nodes(self) -> int:
        return self.cache.tree.nodes

    def replay(self, log: Mapping[str, Any]) -> dict[str, Any]:
        return replay(log)

    def describe(self) -> dict[str, str]:
        return {"cache": "radixtop cache_core", "core": "python", "python": platform.python_version()}
