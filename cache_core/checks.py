"""What the cache asks of its callers, checked before anything changes."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

from cache_core.errors import DoubleFreeError, KeyRangeError, LockError, OutOfSlotsError, StaleNodeError
from cache_core.events import REASONS
from cache_core.loans import Loan
from cache_core.lock import LockReceipt
from cache_core.node import Node

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache

MOST = 2**62
"""A number in a record is a signed word; one more than this still fits."""


def checked_priority(priority: int) -> int:
    """Return a priority as a plain integer; raises KeyRangeError for one that records cannot carry."""
    return _checked_integer("priority", priority, -MOST)


def checked_request_id(number: int) -> int:
    """Return a request's number as a plain integer; raises KeyRangeError for one that records cannot carry."""
    return _checked_integer("request_id", number, 0)


def checked_count(name: str, count: int) -> int:
    """Return a number from 0 on as a plain integer; raises KeyRangeError for anything else."""
    return _checked_integer(name, count, 0)


def checked_reason(reason: int) -> int:
    """Return why a request is retracted; raises KeyRangeError for what `events.REASONS` does not name."""
    number = _checked_integer("reason", reason, 0)
    if not number or number not in REASONS:
        named = ", ".join(f"{known} ({text})" for known, text in REASONS.items() if known)
        raise KeyRangeError(f"reason {number} is none of a retraction; choose from {named}")
    return number


def _checked_integer(name: str, value: int, least: int) -> int:
    try:
        checked = index(value)
    except TypeError:
        raise KeyRangeError(f"{name} is {value!r}, an integer is needed") from None
    if not least <= checked <= MOST:
        raise KeyRangeError(f"{name} is {checked}, an integer of {least}..{MOST} is needed")
    return checked


def absent(cache: PrefixCache, node: Node) -> StaleNodeError | LockError:
    """Return the error for a node that is not in the tree: it left, or it is of another cache."""
    if isinstance(node, cache.node_family):
        return StaleNodeError(f"node {node.id} has left the tree; match the key again")
    return LockError(f"node {node.id} is of another cache")


def require_held(cache: PrefixCache, receipt: LockReceipt) -> None:
    """Raise LockError unless the receipt is this cache's and was not given back."""
    if receipt.cache is not cache:
        raise LockError("the receipt is from another cache; give it back to the cache that issued it")
    if not receipt.held or receipt not in cache.receipts:
        raise LockError(f"the receipt for node {receipt.node.id} was given back already; a lock is undone once")


def require_unused(cache: PrefixCache) -> None:
    """Raise LockError while requests, receipts or transfers are alive."""
    if cache.requests or cache.receipts:
        raise LockError(
            f"{len(cache.requests)} requests and {len(cache.receipts)} receipts are alive; end them before a reset"
        )
    if cache.host is not None:
        cache.host.require_settled()


def require_range(cache: PrefixCache, end: int, slots: int, owned: int, swa_from: int) -> None:
    """Raise KeyRangeError unless there is a slot per token and the positions are whole pages inside the key."""
    page = cache.page
    if slots < end:
        raise KeyRangeError(f"{slots} slots for {end} tokens; one slot per token of every whole page is needed")
    if not 0 <= owned <= end or owned % page:
        raise KeyRangeError(f"owned_tokens {owned} is no whole number of pages of {page} within 0..{end}")
    if swa_from < 0 or swa_from % page:
        raise KeyRangeError(f"swa_from {swa_from} is no whole number of pages of {page}")


def not_owned(owned: int, present: int) -> DoubleFreeError:
    """Return the error for an insert whose caller relies on tokens that the tree has no more."""
    return DoubleFreeError(
        f"owned_tokens {owned}: the tree has {present} of these tokens, so these slots are not its own; "
        "match the key and lock its node before the slots are read"
    )


def require_windows(loan: Loan, begin: int, first: int) -> None:
    """Raise DoubleFreeError unless a loan that starts at `first` has window peers from position `begin` on."""
    if loan.pierced and loan.peers is not None and 0 in loan.peers[max(0, begin - first) :]:
        gone = begin + loan.peers[max(0, begin - first) :].index(0)
        raise DoubleFreeError(
            f"swa_from {begin}: position {gone} has no window slot any more; raise swa_from past it"
        )


def require_room(cache: PrefixCache, tokens: int) -> None:
    """Raise OutOfSlotsError unless every pool can have that many slots free by evicting."""
    for component in cache.components:
        free = component.pool.free_slots
        if component.per_token and tokens > free + component.evictable:
            raise OutOfSlotsError(
                f"{component.name} pool: {tokens} slots wanted, {free} free and {component.evictable} evictable of "
                f"{component.pool.total}; unlock or finish something, or make the pool larger"
            )
