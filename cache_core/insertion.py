"""Writing a key into the tree: who gets whose slots, what is counted, and the new leaf.

        0          owned            present             end
        |--tree's---|--duplicates-----|-----new leaf------|

Below `owned` the slots are the tree's own. In [owned, present) the tree has the tokens already: the newcomer's
slots are given back, except where they bring a tombstone back to life. Below `live_from` the newcomer has no
window slots any more.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from cache_core.checks import not_owned
from cache_core.emission import emit_insert
from cache_core.key import RadixKey
from cache_core.node import Node

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache

Adopted = dict[str, list[list[int]]]
"""Per component, the ranges for which a node took the newcomer's slots."""


class Write:
    """One insert: the first `end` positions of a key, whole pages, with `slots[i - base]` holding position i.

    `peers` are the window slots, likewise. `counted` is up to where the request's hits were counted before, or None
    to count none. `branch` is 1 or 0 for a request with a branching point that this insert keeps or not, else -1.
    `state_slot` holds the recurrent state at `end`, 0 for none; whoever takes it sets it to 0. `units` are what the
    tree knows the key by, set by the write.
    """

    __slots__ = (
        "adopted", "base", "branch", "counted", "end", "key", "live_from", "new_peers", "owned", "peers", "priority",
        "request", "slots", "state_slot", "units",
    )  # fmt: skip

    units: bytes

    def __init__(self, key: RadixKey, end: int, slots: array[int], peers: array[int] | None) -> None:
        self.key = key
        self.end = end
        self.slots = slots
        self.peers = peers
        self.base = self.owned = self.live_from = self.priority = self.state_slot = 0
        self.counted: int | None = 0
        self.branch = self.request = -1
        self.new_peers: array[int] | None = None
        self.adopted: Adopted | None = None

    def adopt(self, component: str, start: int, end: int) -> None:
        """Note that a node took the newcomer's slots of [start, end), joined to the range before it."""
        if self.adopted is None:
            self.adopted = {}
        ranges = self.adopted.setdefault(component, [])
        if ranges and ranges[-1][1] == start:
            ranges[-1][1] = end
        else:
            ranges.append([start, end])


def write(cache: PrefixCache, job: Write) -> tuple[Node, int]:
    """Insert; returns the node the key ends on, and how many tokens were present.

    Raises DoubleFreeError, changing nothing, when the tree does not have what the newcomer says it owns.
    """
    sink = cache.sink
    began = cache.clock() if cache.times is not None else 0
    tree = cache.tree
    unit_bytes = tree.unit_bytes
    key = job.key
    units = job.units = key.pairs() if cache.unit_overlap else key.tokens  # `cache.units_of`, without the call
    node, at, inside, agreed = tree.walk(units, key.namespace, job.end * unit_bytes, key.place)
    present = (at + agreed) // unit_bytes
    if present < job.owned:
        raise not_owned(job.owned, present)
    if inside is not None:
        node = cache.split(inside, agreed)
    elif cache.host is not None:
        node = cache.host.walk_on(job, node)
        present = node.end
    cache.tick += 1
    cache.touch(node)
    if node.priority < job.priority:
        _raise_priority(cache, node, job.priority)
    hit = _behind(node, job.counted) if job.counted is not None else ()  # an overlap may split some of them
    if present > job.owned:
        _settle_overlap(cache, node, job)
    for each in hit:
        each.hits += 1
        if cache.watcher is not None:
            cache.watcher.touched(each)
    if present < job.end:
        node = _grow(cache, node, present, job)
    elif cache.touch_advances:
        cache.note_touch(node)
    if cache.host is None:  # what is on the device now may be on the host then
        key.place = node
    if job.state_slot:
        for component in cache.auxiliary:
            component.settle(node, job)
    for component in cache.auxiliary:
        component.refresh(node)
    if sink is not None:
        emit_insert(cache, job, began, present, node)
    if cache.host is not None:
        cache.host.inserted(node, present < job.end)
    return node, present


def _raise_priority(cache: PrefixCache, node: Node, priority: int) -> None:
    """A parent's priority is never below its child's, so the first node that has enough ends the climb."""
    climbing: Node | None = node
    while climbing is not None and climbing.priority < priority:
        climbing.priority = priority
        if cache.watcher is not None and climbing.parent is not None:
            cache.watcher.touched(climbing)
        climbing = climbing.parent


def _behind(node: Node, position: int) -> list[Node]:
    """Return `node` and what is above it, as far as it ends behind a position; the last of them first."""
    behind = []
    parent = node.parent
    while parent is not None:
        if position and node.end <= position:
            break
        behind.append(node)
        node = parent
        parent = node.parent
    return behind


def _settle_overlap(cache: PrefixCache, last: Node, job: Write) -> None:
    """Give the newcomer's duplicates back, or let nodes take them over, from the root down to `last`."""
    for node in reversed(_behind(last, job.owned)):
        if cache.host is not None and node.is_away:
            cache.host.restore(node, job)
            continue
        begin, end = max(node.start, job.owned), node.end
        consumed = end
        for component in cache.auxiliary:
            consumed = min(consumed, component.overlap(node, begin, end, job))
        if begin < consumed:
            for component in cache.components:
                component.give_back(job, begin, consumed)


def _grow(cache: PrefixCache, parent: Node, start: int, job: Write) -> Node:
    """Hang positions [start, end) below `parent`, cut as the components ask, and return the last node."""
    full, tree, watcher = cache.full, cache.tree, cache.watcher
    evictor = full.evictor
    if not parent.children and not parent.lock:
        evictor.withdraw(parent)
    unit = tree.unit_bytes
    units, namespace = job.units, job.key.namespace
    first, last = start - job.base, job.end - job.base
    whole = not first and last == len(job.slots)
    values = job.slots if whole else job.slots[first:last]
    if job.peers is not None:
        job.new_peers = job.peers if whole else job.peers[first:last]
    full.evictable += last - first
    created = cache.tick = cache.tick + 2
    begin = start
    node = parent
    for stop in _stops(cache, start, job) if cache.auxiliary else (job.end,):
        node = tree.attach(node, units[begin * unit : stop * unit], values, begin - start, namespace)
        node.access = created - 1
        node.created = created
        node.priority = job.priority
        for component in cache.auxiliary:
            component.commit(node, job)
        for hook in cache.attach_hooks:
            hook(node)
        if watcher is not None:
            watcher.added(node)
        begin = stop
    if job.counted is not None:
        node.hits = 1
    evictor.offer(node)
    return node


def _stops(cache: PrefixCache, start: int, job: Write) -> tuple[int, ...]:
    """Return where each node of a new leaf ends."""
    cuts: tuple[int, ...] = ()
    for component in cache.auxiliary:
        wanted = component.cuts(start, job.end, job.live_from)
        cuts = tuple(sorted({*cuts, *wanted})) if cuts else wanted
    return (*cuts, job.end)
