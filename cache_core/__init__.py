"""A radix-tree KV cache with full-attention and sliding-window state, to embed and to watch.

Names are imported on first use: whoever only reads records (`cache_core.events`) does not load the cache.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.config import CacheConfig
    from cache_core.errors import (
        CacheBrokenError,
        CacheError,
        CacheIntegrityError,
        ConfigError,
        DoubleFreeError,
        KeyRangeError,
        LockError,
        NamespaceMismatchError,
        OutOfSlotsError,
        ReentryError,
        StaleNodeError,
        WrongThreadError,
    )
    from cache_core.host.transfer import Transfer
    from cache_core.host_tier import HostTier
    from cache_core.integrity import check_integrity
    from cache_core.key import RadixKey
    from cache_core.lock import LockReceipt
    from cache_core.request import Request
    from cache_core.results import EvictResult, InsertResult, MatchResult
    from cache_core.view import pretty_print

__all__ = [
    "CacheBrokenError", "CacheConfig", "CacheError", "CacheIntegrityError", "ConfigError", "DoubleFreeError",
    "EvictResult", "HostTier", "InsertResult", "KeyRangeError", "LockError", "LockReceipt", "MatchResult",
    "NamespaceMismatchError", "OutOfSlotsError", "PrefixCache", "RadixKey", "ReentryError", "Request",
    "StaleNodeError", "Transfer", "WrongThreadError", "check_integrity", "pretty_print",
]  # fmt: skip

_MODULES = {
    "PrefixCache": "cache", "CacheConfig": "config", "check_integrity": "integrity", "RadixKey": "key",
    "Request": "request", "EvictResult": "results", "InsertResult": "results", "LockReceipt": "lock",
    "HostTier": "host_tier", "MatchResult": "results", "Transfer": "host.transfer", "pretty_print": "view",
}  # fmt: skip
"""Where a name lives; every name that is not here is an error class."""


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_MODULES.get(name, 'errors')}"), name)
    globals()[name] = value
    return value
