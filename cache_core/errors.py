"""What the cache raises. Every error says what is wrong, where, and what to do.

A `CacheError` is a refusal: nothing changed but what was evicted meanwhile. `CacheIntegrityError` is none: it says
that something is wrong already.
"""

from __future__ import annotations


class CacheError(Exception):
    """Base of everything the cache raises on purpose."""


class OutOfSlotsError(CacheError):
    """A pool is short of slots even after everything evictable is gone."""


class StaleNodeError(CacheError):
    """The node has left the tree since it was matched."""


class DoubleFreeError(CacheError):
    """Slots were given back by somebody who does not own them."""


class LockError(CacheError):
    """A receipt, request or transfer has ended or is of another cache, an id is in use, or a reset finds some."""


class KeyRangeError(CacheError):
    """A token, length, position or other number is none, or lies outside of what it may be."""


class NamespaceMismatchError(CacheError):
    """Two keys of different namespaces met in one operation."""


class ConfigError(CacheError):
    """The configuration cannot work."""


class CacheIntegrityError(CacheError):
    """The cache contradicts itself."""


class CacheBrokenError(CacheError):
    """An earlier operation was broken off half way, by what is this error's cause. Only `reset` is allowed."""


class ReentryError(CacheError):
    """A sink called the cache from within its flush, in the middle of an operation."""


class WrongThreadError(CacheError):
    """The cache was called from a thread that does not own it."""
