"""Evicting: each component frees what it is asked for, base first, and one leaf goes with all its state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cache_core.emission import emit_evict
from cache_core.node import Node
from cache_core.results import EvictResult
from cache_core.tally import EvictTally

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache


def make_room(cache: PrefixCache, tokens: int) -> None:
    """Evict what each pool lacks for `tokens` more slots, as far as locks allow."""
    shortfalls = [max(0, tokens - cache.pool.free_tokens(number)) for number in range(len(cache.components))]
    if any(shortfalls):
        evict_each(cache, shortfalls)


def evict_each(cache: PrefixCache, asked: Iterable[int]) -> EvictResult:
    """Evict per component; what went along with an earlier component counts."""
    freed = [0] * len(cache.components)
    victims = cascades = considered = build_ns = 0
    for component, wanted in zip(cache.components, asked, strict=False):
        if wanted <= freed[component.number]:
            continue
        before = freed[:]
        began = cache.clock() if cache.sink is not None else 0
        tally = EvictTally(freed)
        component.evict(wanted, tally)
        victims += tally.victims
        cascades += tally.cascades
        considered += tally.leaves_considered
        build_ns += tally.queue_build_ns
        if cache.sink is not None:
            emit_evict(cache, began, component.number, wanted, before, tally)
    return EvictResult(freed[0], sum(freed[1:2]), victims, cascades, considered, build_ns)


def remove_leaf(cache: PrefixCache, node: Node, trigger: int, tally: EvictTally) -> None:
    """Delete an evictable leaf and give its slots back; its parent may become an evictable leaf."""
    slots = node.slots()
    window = cache.window
    if window is None or window.is_live(node):  # type: ignore[arg-type]
        cache.pool.release(slots)
    else:
        window.pool.release_full(slots)
    for component in cache.components:
        dropped = component.drop(node)
        tally.freed[component.number] += dropped
        tally.cascades += dropped > 0 and component.number != trigger
    parent = cache.tree.detach(node)
    if cache.changes is not None:
        cache.changes.removed(node)
    if not parent.children and not parent.lock:
        cache.full.evictor.offer(parent)
