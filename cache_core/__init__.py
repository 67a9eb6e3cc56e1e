"""A radix-tree KV cache with full-attention and sliding-window state, to embed and to watch."""

from cache_core.cache import PrefixCache
from cache_core.config import CacheConfig
from cache_core.errors import (
    CacheError,
    CacheIntegrityError,
    ConfigError,
    DoubleFreeError,
    KeyRangeError,
    LockError,
    NamespaceMismatchError,
    OutOfSlotsError,
    StaleNodeError,
    WrongThreadError,
)
from cache_core.integrity import check_integrity
from cache_core.key import RadixKey
from cache_core.request import Request
from cache_core.results import EvictResult, InsertResult, LockReceipt, MatchResult
from cache_core.view import pretty_print

__all__ = [
    "CacheConfig", "CacheError", "CacheIntegrityError", "ConfigError", "DoubleFreeError", "EvictResult",
    "InsertResult", "KeyRangeError", "LockError", "LockReceipt", "MatchResult", "NamespaceMismatchError",
    "OutOfSlotsError", "PrefixCache", "RadixKey", "Request", "StaleNodeError", "WrongThreadError",
    "check_integrity", "pretty_print",
]  # fmt: skip
