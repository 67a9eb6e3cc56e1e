"""What becomes of a cache when an operation is broken off by something that is no refusal.

A refusal is a CacheError and leaves nothing behind but evictions. Anything else, be it a bug, a watcher that raises
or an interrupt, may leave half of an operation behind, and nobody can say which half. So the cache gives itself to
no thread: the check that every call begins with then refuses it, at no cost to a sound cache. Only `reset` works.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import get_ident
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar, cast

from cache_core.errors import CacheBrokenError, CacheError, CacheIntegrityError, WrongThreadError

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache

BROKEN = -1
"""No thread has this number: who a broken cache belongs to."""


class Fault:
    """The operation that was broken off, by what, and the thread that the cache belonged to."""

    __slots__ = ("error", "operation", "thread")

    def __init__(self, operation: str, error: BaseException, thread: int) -> None:
        self.operation = operation
        self.error = error
        self.thread = thread

    def refusal(self) -> CacheBrokenError:
        """Return the error for a call of the broken cache."""
        refusal = CacheBrokenError(
            f"the cache is broken: {self.operation!r} was broken off by {self.error!r}; "
            "reset() forgets everything and starts clean"
        )
        refusal.__cause__ = self.error
        return refusal


def is_refusal(error: BaseException) -> bool:
    """Say whether an error says that nothing was done, rather than that something went wrong on the way."""
    return isinstance(error, CacheError) and not isinstance(error, CacheIntegrityError)


def abandon(cache: PrefixCache, fault: Fault) -> None:
    """End what lives on a broken cache, as it is: its slots and locks go with the tree. Raises WrongThreadError."""
    if get_ident() != fault.thread:
        raise WrongThreadError("a broken cache is reset by the thread that it belonged to")
    for request in cache.requests.values():
        request.receipt = None
    cache.requests.clear()
    for receipt in cache.receipts:
        receipt.held = False
    cache.receipts.clear()


S = TypeVar("S")
P = ParamSpec("P")
T = TypeVar("T")


def guarded(operation: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Let what breaks off an operation of a cache, or of something that has a `cache`, break that.

    Frequent operations, and those that check what they are given, do the same in line.
    """

    @wraps(operation)
    def whole(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return operation(self, *args, **kwargs)
        except BaseException as error:
            cast("PrefixCache", getattr(self, "cache", self)).break_off(operation.__name__, error)
            raise

    return whole
