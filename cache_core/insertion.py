"""Writing a key into the tree: who gets whose slots, what is counted, and the new leaf.

        0          owned            present             end
        |--tree's---|--duplicates-----|-----new leaf------|

Below `owned` the slots are the tree's own. In [owned, present) the tree has the tokens already: the newcomer's
slots are given back, except where they bring a tombstone back to life. Below `live_from` the newcomer has no
window slots any more.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cache_core.emission import emit_insert
from cache_core.key import TOKEN_BYTES, RadixKey
from cache_core.node import Node

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache


@dataclass(slots=True)
class Write:
    """One insert: the first `end` tokens of a key, whole pages, with `slots[i]` holding position i.

    `counted` is up to where the request's hits were counted before, or None to count none. `branch` is 1 or 0
    for a request with a branching point that this insert keeps or not, else -1. `adopted` collects, per
    component, the ranges for which a node took the newcomer's slots.
    """

    key: RadixKey
    end: int
    slots: array[int]
    owned: int
    live_from: int
    priority: int = 0
    counted: int | None = 0
    branch: int = -1
    request: int = -1
    adopted: dict[str, list[list[int]]] = field(default_factory=dict)


def write(cache: PrefixCache, job: Write) -> tuple[Node, int]:
    """Insert; returns the node the key ends on, and how many tokens were present."""
    sink = cache.sink
    began = cache.clock() if sink is not None else 0
    limit = job.end * TOKEN_BYTES
    path, at, inside, agreed = cache.tree.walk(job.key.tokens, job.key.namespace, limit)
    if inside is not None:
        path.append(cache.split(inside, agreed))
        at += agreed
    cache.tick += 1
    tick = cache.tick
    for step in path:
        step.access = tick
    _raise_priority(cache, path, job.priority)
    present = at // TOKEN_BYTES
    if present > job.owned:
        _settle_overlap(cache, path, job)
    if job.counted is not None:
        _count_hits(cache, path, job.counted)
    node = path[-1] if path else cache.tree.root
    if at < limit:
        node = _grow(cache, node, present, job)
    else:
        cache.note_touch(node)
    for component in cache.auxiliary:
        component.refresh(node)
    if sink is not None:
        emit_insert(cache, job, began, present, node)
    return node, present


def _raise_priority(cache: PrefixCache, path: list[Node], priority: int) -> None:
    """A parent's priority is never below its child's, so the first node that has enough ends the climb."""
    root = cache.tree.root
    if priority > root.priority:
        root.priority = priority
    for node in reversed(path):
        if node.priority >= priority:
            break
        node.priority = priority
        if cache.changes is not None:
            cache.changes.touched(node)


def _count_hits(cache: PrefixCache, path: list[Node], counted: int) -> None:
    for node in reversed(path):
        if node.end <= counted:
            break
        node.hits += 1
        if cache.changes is not None:
            cache.changes.touched(node)


def _settle_overlap(cache: PrefixCache, path: list[Node], job: Write) -> None:
    """Give the newcomer's duplicates back, or let nodes take them over, from the root downward."""
    first = len(path)
    while first and path[first - 1].end > job.owned:
        first -= 1
    for node in path[first:]:
        begin, end = max(node.start, job.owned), node.end
        consumed = end
        for component in cache.auxiliary:
            consumed = min(consumed, component.overlap(node, begin, end, job))
        windowless = min(max(begin, job.live_from), consumed)
        if cache.window is None:
            cache.pool.release(job.slots[begin:consumed])
        else:
            cache.window.pool.release_full(job.slots[begin:windowless])
            cache.pool.release(job.slots[windowless:consumed])


def _grow(cache: PrefixCache, parent: Node, start: int, job: Write) -> Node:
    """Hang tokens [start, end) below `parent`, cut as the components ask, and return the last node."""
    evictor = cache.full.evictor
    if not parent.children and not parent.lock:
        evictor.withdraw(parent)
    stops = {cut for component in cache.auxiliary for cut in component.cuts(start, job.end, job.live_from)}
    values = job.slots[start : job.end]
    tokens, namespace = job.key.tokens, job.key.namespace
    cache.tick += 2
    begin = start
    node = parent
    for stop in (*sorted(stops), job.end):
        edge = tokens[begin * TOKEN_BYTES : stop * TOKEN_BYTES]
        node = cache.tree.attach(node, edge, values, begin - start, namespace)
        node.access = cache.tick - 1
        node.created = cache.tick
        node.priority = job.priority
        for component in cache.components:
            component.commit(node, job.live_from)
        if cache.changes is not None:
            cache.changes.added(node)
        begin = stop
    node.hits = int(job.counted is not None)
    evictor.offer(node)
    return node
