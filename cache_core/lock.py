"""Locks: a receipt for each, given back once, and the move of a lock down its own path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cache_core.emission import emit
from cache_core.node import Node

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache


class LockReceipt:
    """Proof of a lock on the path to `node`, and what it takes to undo exactly that one.

    `marks` has one entry per component: where its segment ends. It is given back once, to the same cache.
    """

    __slots__ = ("cache", "held", "marks", "node", "window_held")

    def __init__(self, cache: PrefixCache, node: Node, marks: tuple[int, ...]) -> None:
        self.cache = cache
        self.node = node
        self.marks = marks
        self.held = True
        self.window_held = True


def hold(cache: PrefixCache, node: Node) -> LockReceipt:
    """Lock a node that is known to be in the tree."""
    marks, moved = [], []
    for component in cache.components:
        mark, tokens = component.lock(node)
        marks.append(mark)
        moved.append(tokens)
    if cache.sink is not None:
        emit(cache, (cache.lock_head, cache.clock(), node.id, *moved))
    return LockReceipt(cache, node, tuple(marks))


def let_go(cache: PrefixCache, receipt: LockReceipt) -> None:
    """Undo a lock whose receipt is known to be good; the window half only if it is still held."""
    node = receipt.node
    receipt.held = False
    moved = [0] * len(cache.components)
    for number in range(len(cache.components) - 1, -1, -1):
        if number == 0 or receipt.window_held:
            moved[number] = cache.components[number].unlock(node, receipt.marks[number])
    if cache.sink is not None:
        emit(cache, (cache.unlock_head, cache.clock(), node.id, *moved))


def move_lock(cache: PrefixCache, old: LockReceipt, node: Node) -> LockReceipt:
    """Lock `node` instead of the node of `old`, which is it or above it, and return the receipt.

    The same node is locked anew too: a split may have made its last window end on fewer nodes.
    """
    old.held = False
    marks = [0]
    locked = [cache.full.lock_below(node, old.node)]
    unlocked = [0]
    for component in cache.auxiliary:
        unlocked.append(component.unlock(old.node, old.marks[component.number]) if old.window_held else 0)
        mark, moved = component.lock(node)
        marks.append(mark)
        locked.append(moved)
    if cache.sink is not None:
        at = cache.clock()
        # Both at once: a flush in between would show a snapshot the new lock before its record comes.
        cache.sink.records.append((cache.unlock_head, at, old.node.id, *unlocked))
        emit(cache, (cache.lock_head, at, node.id, *locked))
    return LockReceipt(cache, node, tuple(marks))
