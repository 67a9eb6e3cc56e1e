"""The figures of a cache: slots per component, and the shape of its tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache


class PoolStats(TypedDict):
    """One component's slots, in tokens: free + evictable + protected + held = total."""

    free: int
    evictable: int
    protected: int
    held: int
    total: int


class Stats(TypedDict):
    """All figures; `depth` is the number of nodes on the longest path."""

    components: dict[str, PoolStats]
    nodes: int
    leaves: int
    tombstones: int
    depth: int


def pool_stats(cache: PrefixCache) -> dict[str, PoolStats]:
    """Return the slots of each component as they are now, by its name."""
    pools: dict[str, PoolStats] = {}
    for component in cache.components:
        free, total = component.pool.free_slots, component.pool.total
        evictable, protected = component.evictable, component.protected
        pools[component.name] = {
            "free": free,
            "evictable": evictable,
            "protected": protected,
            "held": total - free - evictable - protected,
            "total": total,
        }
    return pools


def stats_of(cache: PrefixCache) -> Stats:
    """Return the figures of a cache as they are now."""
    tombstones = 0 if cache.window is None else cache.tree.nodes - cache.window.live_nodes
    return {
        "components": pool_stats(cache),
        "nodes": cache.tree.nodes,
        "leaves": cache.tree.leaves,
        "tombstones": tombstones,
        "depth": _depth(cache),
    }


def _depth(cache: PrefixCache) -> int:
    depth = 0
    level = list(cache.tree.root.children.values())
    while level:
        depth += 1
        level = [child for node in level for child in node.children.values()]
    return depth
