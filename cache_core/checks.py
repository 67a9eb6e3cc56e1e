"""What the cache asks of its callers, checked before anything changes."""

from __future__ import annotations

from array import array
from operator import index
from typing import TYPE_CHECKING

from cache_core.errors import DoubleFreeError, KeyRangeError, LockError, OutOfSlotsError, StaleNodeError
from cache_core.key import TOKEN_BYTES, RadixKey
from cache_core.lock import LockReceipt
from cache_core.node import Node
from cache_core.results import gather

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache

_LARGEST = 2**62
"""A number in a record is a signed word; one more than this still fits."""


def checked_priority(priority: int) -> int:
    """Return a priority as a plain integer; raises KeyRangeError for one that records cannot carry."""
    return _checked_integer("priority", priority, -_LARGEST)


def checked_request_id(number: int) -> int:
    """Return a request's number as a plain integer; raises KeyRangeError for one that records cannot carry."""
    return _checked_integer("request_id", number, 0)


def _checked_integer(name: str, value: int, least: int) -> int:
    try:
        checked = index(value)
    except TypeError:
        raise KeyRangeError(f"{name} is {value!r}, an integer is needed") from None
    if not least <= checked <= _LARGEST:
        raise KeyRangeError(f"{name} is {checked}, an integer of {least}..{_LARGEST} is needed")
    return checked


def require_present(cache: PrefixCache, node: Node) -> None:
    """Raise StaleNodeError unless the node is in the tree now, LockError if it never was."""
    top = node
    while top.parent is not None:
        top = top.parent
    if top is cache.tree.root:
        return
    if isinstance(node, cache.node_type):
        raise StaleNodeError(f"node {node.id} has left the tree; match the key again")
    raise LockError(f"node {node.id} is of another cache")


def require_held(cache: PrefixCache, receipt: LockReceipt) -> None:
    """Raise LockError unless the receipt is this cache's and was not given back."""
    if receipt.cache is not cache:
        raise LockError("the receipt is from another cache; give it back to the cache that issued it")
    if not receipt.held or receipt not in cache.receipts:
        raise LockError(f"the receipt for node {receipt.node.id} was given back already; a lock is undone once")


def require_lent(cache: PrefixCache, slots: array[int]) -> None:
    """Raise DoubleFreeError unless the slots are whole pages of `allocate` that the caller still owns."""
    lent = cache.lent
    if not lent.issuperset(slots) or len(set(slots)) < len(slots):
        bad = next((slot for slot in slots if slot not in lent), None)
        why = "one is named twice" if bad is None else f"slot {bad} is not the caller's"
        raise DoubleFreeError(f"{len(slots)} slots given, {why}; only slots of allocate, each once, can be given")
    cache.pool.require_whole(slots)


def require_range(cache: PrefixCache, end: int, slots: int, owned: int, swa_from: int) -> None:
    """Raise KeyRangeError unless there is a slot per token and the positions are whole pages inside the key."""
    page = cache.page
    if slots < end:
        raise KeyRangeError(f"{slots} slots for {end} tokens; one slot per token of every whole page is needed")
    if not 0 <= owned <= end or owned % page:
        raise KeyRangeError(f"owned_tokens {owned} is no whole number of pages of {page} within 0..{end}")
    if swa_from < 0 or swa_from % page:
        raise KeyRangeError(f"swa_from {swa_from} is no whole number of pages of {page}")


def require_owned(cache: PrefixCache, key: RadixKey, slots: array[int], owned: int) -> None:
    """Raise DoubleFreeError unless the tree holds the first `owned` tokens of the key in these slots."""
    if not owned:
        return
    path, _, inside, agreed = cache.tree.walk(key.tokens, key.namespace, owned * TOKEN_BYTES)
    held = gather(path[-1]) if path else array("i")
    if inside is not None:
        held.extend(inside.slots()[: agreed // TOKEN_BYTES])
    if held != slots[:owned]:
        raise DoubleFreeError(
            f"owned_tokens {owned}: these are not the slots of the tree, which has {len(held)} of these tokens; "
            "match the key and lock its node before the slots are read"
        )


def require_windows(cache: PrefixCache, slots: array[int], begin: int, end: int) -> None:
    """Raise DoubleFreeError unless the slots of positions [begin, end) have their window peers."""
    if cache.window is None or begin >= end:
        return
    peers = cache.window.pool.window_slots(slots[begin:end])
    if 0 in peers:
        gone = begin + peers.index(0)
        raise DoubleFreeError(
            f"swa_from {begin}: position {gone} has no window slot any more; raise swa_from past it"
        )


def require_room(cache: PrefixCache, tokens: int) -> None:
    """Raise OutOfSlotsError unless every pool can have that many slots free by evicting."""
    for number, component in enumerate(cache.components):
        free = cache.pool.free_tokens(number)
        if tokens > free + component.evictable:
            raise OutOfSlotsError(
                f"{component.name} pool: {tokens} slots wanted, {free} free and {component.evictable} evictable of "
                f"{cache.pool.totals[number]}; unlock or finish something, or make the pool larger"
            )
