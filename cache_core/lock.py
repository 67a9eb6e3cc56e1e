"""Locks: a receipt for each, given back once, and the move of a lock down its own path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cache_core.emission import emit
from cache_core.node import Node

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache


class LockReceipt:
    """Proof of a lock on the path to `node`, and what it takes to undo exactly that one.

    `marks` has one entry per component but the base: where its segment ends. It is given back once, to its cache.
    """

    __slots__ = ("auxiliary_held", "cache", "held", "marks", "node")

    def __init__(self, cache: PrefixCache, node: Node, marks: tuple[int, ...]) -> None:
        self.cache = cache
        self.node = node
        self.marks = marks
        self.held = True
        self.auxiliary_held = True


def hold(cache: PrefixCache, node: Node) -> LockReceipt:
    """Lock a node that is known to be in the tree."""
    times = cache.times
    began = cache.clock() if times is not None else 0
    moved = cache.full.lock_below(node, cache.tree.root)
    if not cache.auxiliary and cache.sink is None:
        return LockReceipt(cache, node, ())
    held = [component.lock(node) for component in cache.auxiliary]
    if cache.sink is not None:
        at = cache.clock()
        if times is not None:
            times.locks += 1
            times.lock_ns += at - began
        emit(cache, (cache.lock_head, at, node.id, moved, *(tokens for _, tokens in held)))
    return LockReceipt(cache, node, tuple([mark for mark, _ in held]))


def let_go(cache: PrefixCache, receipt: LockReceipt) -> None:
    """Undo a lock whose receipt is known to be good; of the auxiliary locks only what is still held."""
    times = cache.times
    began = cache.clock() if times is not None else 0
    node = receipt.node
    receipt.held = False
    moved = _release(cache, receipt) if cache.auxiliary else ()
    from_full = cache.full.unlock(node, 0)
    if cache.sink is not None:
        at = cache.clock()
        if times is not None:
            times.unlocks += 1
            times.unlock_ns += at - began
        emit(cache, (cache.unlock_head, at, node.id, from_full, *moved))


def move_lock(cache: PrefixCache, old: LockReceipt, node: Node) -> LockReceipt:
    """Lock `node` instead of the node of `old`, which is it or above it, and return the receipt.

    The same node is locked anew too: a split may have made its last window end on fewer nodes.
    """
    times = cache.times
    began = cache.clock() if times is not None else 0
    old.held = False
    moved = cache.full.lock_below(node, old.node)
    if not cache.auxiliary and cache.sink is None:
        return LockReceipt(cache, node, ())
    released = _release(cache, old)
    held = [component.lock(node) for component in cache.auxiliary]
    if cache.sink is not None:
        at = cache.clock()
        if times is not None:
            times.locks += 1
            times.lock_ns += at - began
        # Both at once: a flush in between would show a snapshot the new lock before its record comes.
        cache.sink.records.append((cache.unlock_head, at, old.node.id, 0, *released))
        emit(cache, (cache.lock_head, at, node.id, moved, *(tokens for _, tokens in held)))
    return LockReceipt(cache, node, tuple([mark for mark, _ in held]))


def release_auxiliary(cache: PrefixCache, receipt: LockReceipt) -> bool:
    """Give up the auxiliary locks of a receipt early, if one of them ends inside the path; say whether it did."""
    if not receipt.auxiliary_held or not any(receipt.marks):
        return False
    _release(cache, receipt)
    receipt.auxiliary_held = False
    return True


def _release(cache: PrefixCache, receipt: LockReceipt) -> list[int]:
    """Undo the auxiliary locks that are still held, last component first; return the slots moved, in order."""
    moved = [0] * len(cache.auxiliary)
    if receipt.auxiliary_held:
        for component in reversed(cache.auxiliary):
            index = component.number - 1
            moved[index] = component.unlock(receipt.node, receipt.marks[index])
    return moved
