"""What the cache raises. Every error says what is wrong, where, and what to do; none leaves a change behind.

CacheError
    OutOfSlotsError         a pool is short even after evicting all it may
    StaleNodeError          a node that has left the tree
    DoubleFreeError         a slot given back that its giver does not own
    LockError               a receipt used twice or on a cache it is not from
    KeyRangeError           tokens or positions outside what a key can hold
    NamespaceMismatchError  two keys of different namespaces in one operation
    ConfigError             a configuration that cannot work
    CacheIntegrityError     the cache contradicts itself; names node, slot and difference
    CacheBrokenError        an operation was broken off half way; `reset` starts clean
    WrongThreadError        a call from a thread that does not own the cache
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
    """A receipt was used twice, or on a cache it is not from."""


class KeyRangeError(CacheError):
    """Tokens are no integers of 0..2**31-1, or a length or position lies outside the key."""


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
