"""A cache that checks itself after every call, and so do its requests: a bug shows where it happens."""

from __future__ import annotations

from typing import Any

from cache_core import CacheConfig, PrefixCache, Request, check_integrity
from cache_core.control import build


class Checked:
    """Stands for a cache, or for a request of it, and checks the cache after each of their calls, failed ones too."""

    def __init__(self, target: PrefixCache | Request, cache: PrefixCache) -> None:
        self._target = target
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        return self._checking(value) if callable(value) and not isinstance(value, type) else value

    def _checking(self, call: Any) -> Any:
        def checked(*args: Any, **options: Any) -> Any:
            try:
                result = call(*args, **options)
            finally:
                check_integrity(self._cache)
            return Checked(result, self._cache) if isinstance(result, Request) else result

        return checked


def checked(config: CacheConfig, kind: str = "prefix", **more: Any) -> Any:
    """Return a new cache of a kind, which checks itself."""
    cache = build(kind, config, **more)
    return Checked(cache, cache)


def checked_full(page: int = 1, slots: int = 256, **more: Any) -> Any:
    """Return a checked cache with the Full component alone."""
    return checked(CacheConfig(page_size=page, components=("full",), full_slots=slots, **more))


def checked_swa(page: int = 1, window: int = 4, slots: int = 256, swa_slots: int | None = None, **more: Any) -> Any:
    """Return a checked cache with Full and sliding-window components."""
    pools = {"full_slots": slots, "swa_slots": slots if swa_slots is None else swa_slots}
    return checked(CacheConfig(page_size=page, components=("full", "swa"), window=window, **pools, **more))
