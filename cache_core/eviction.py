"""Evicting: each component frees what it is asked for, base first, and one leaf goes with all its state."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cache_core.emission import emit_cause, emit_evict
from cache_core.node import Node
from cache_core.results import EvictResult
from cache_core.tally import EvictTally

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.request import Request

SHARE = 4
"""A node copies its slots out of an array of which it and those before it use less than one part in so many."""


def make_room(cache: PrefixCache, tokens: int, states: int = 0, asker: Request | None = None) -> None:
    """Evict what each pool lacks for `tokens` more tokens and `states` more states, as far as locks allow.

    `asker` is the request that needs them, if one does.
    """
    shortfalls = None
    for component in cache.components:
        pool = component.pool
        lacking = (tokens if component.per_token else states) - len(pool.bases) * pool.page
        if lacking > 0:
            if shortfalls is None:
                shortfalls = [0] * len(cache.components)
            shortfalls[component.number] = lacking
    if shortfalls is not None:
        evict_each(cache, shortfalls, asker)


def evict_each(cache: PrefixCache, asked: Sequence[int], asker: Request | None = None) -> EvictResult:
    """Evict per component, for a request if one asks; what went along with an earlier component counts."""
    freed = [0] * len(cache.components)
    victims = cascades = considered = build_ns = 0
    for component, wanted in zip(cache.components, asked, strict=False):
        if wanted <= freed[component.number]:
            continue
        before = freed[:]
        began = cache.clock() if cache.times is not None else 0
        tally = EvictTally(freed)
        component.evict(wanted, tally)
        victims += tally.victims
        cascades += tally.cascades
        considered += tally.leaves_considered
        build_ns += tally.queue_build_ns
        if cache.sink is not None:
            if asker is not None and tally.victims:
                emit_cause(cache, asker)
            emit_evict(cache, began, component.number, wanted, before, tally)
    if cache.host is not None:
        cache.host.release_stuck()
    windows = 0 if cache.window is None else freed[cache.window.number]
    states = 0 if cache.mamba is None else freed[cache.mamba.number]
    return EvictResult(freed[0], windows, victims, cascades, considered, build_ns, states)


def give_up(cache: PrefixCache, node: Node, trigger: int, tally: EvictTally) -> None:
    """Free the state of component `trigger` on the node that its order says goes next; a free leaf goes whole."""
    tally.leaves_considered += 1
    if cache.full.may_go(node):
        remove_leaf(cache, node, trigger, tally)
    else:
        drop_auxiliary(cache, node, trigger, tally)


def remove_leaf(cache: PrefixCache, node: Node, trigger: int, tally: EvictTally) -> None:
    """Delete an evictable leaf, or leave it to the host, and free its slots; its parent may become such a leaf."""
    host = cache.host
    if host is not None and host.holds_back(node):
        return
    tally.victims += 1
    freed = tally.freed
    for component in cache.components:
        dropped = component.drop(node)
        if dropped:
            freed[component.number] += dropped
            if component.number != trigger:
                tally.cascades += 1
    parent = cache.tree.detach(node)
    if node.access > parent.access and not cache.stamps_paths:
        parent.access = node.access
    if 0 < SHARE * node.offset < len(node.values):
        _stop_sharing(parent, node.values)
    for hook in cache.detach_hooks:
        hook(node, parent)
    if (host is None or not host.keep(node, parent)) and cache.watcher is not None:
        cache.watcher.removed(node)
    if parent.is_evictable:
        cache.full.evictor.offer(parent)


def drop_auxiliary(cache: PrefixCache, node: Node, trigger: int, tally: EvictTally) -> None:
    """Take the state of component `trigger` off a node that stays, and of those whose state is of no use alone."""
    tally.victims += 1
    for component in cache.components[trigger:]:
        dropped = component.drop(node)
        if dropped:
            tally.freed[component.number] += dropped
            tally.cascades += component.number != trigger
            if cache.host is not None:
                cache.host.left(node, component.number)
            if cache.watcher is not None:
                cache.watcher.tombstoned(node, component.number)


def _stop_sharing(node: Node, values: array[int]) -> None:
    """Let go of an array most of which was a leaf's that is gone."""
    while node.values is values:
        node.own_slots()
        assert node.parent is not None
        node = node.parent
