"""The figures of a cache: slots per component, and the shape of its tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache


class PoolStats(TypedDict):
    """One component's slots, in tokens: free + evictable + protected + held = total."""

    free: int
    evictable: int
    protected: int
    held: int
    total: int


class HostPoolStats(TypedDict):
    """One kind of copies in host memory, in slots: free + used = total."""

    free: int
    used: int
    total: int


class TransferStats(TypedDict):
    """Transfers that were not completed or abandoned; `untaken` of them wait for who makes the copies.

    `oldest_ns` is since when the oldest is under way: one that grows without end is stuck, and keeps its locks.
    """

    under_way: int
    untaken: int
    oldest_ns: int | None


class Stats(TypedDict):
    """All figures: nodes, leaves and `depth`, the longest path in nodes, of both tiers, tombstones of the device."""

    components: dict[str, PoolStats]
    nodes: int
    leaves: int
    tombstones: int
    depth: int
    host_nodes: NotRequired[int]
    """How many of the nodes have no slots on the device, where there is a host tier."""
    host: NotRequired[dict[str, HostPoolStats]]
    """By component, where there is a host tier."""
    transfers: NotRequired[TransferStats]


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
    nodes, leaves = cache.tree.nodes, cache.tree.leaves
    tombstones = 0 if cache.window is None else nodes - cache.window.live_nodes
    host = cache.host
    if host is not None:
        nodes += host.away_nodes
        leaves = sum(not cache.tree.children_of(node) for node in cache.tree.descend())
    stats: Stats = {
        "components": pool_stats(cache),
        "nodes": nodes,
        "leaves": leaves,
        "tombstones": tombstones,
        "depth": _depth(cache),
    }
    if host is not None:
        stats["host_nodes"] = host.away_nodes
        stats["host"] = host.stats()
        stats["transfers"] = host.flights.stats()
    return stats


def _depth(cache: PrefixCache) -> int:
    depth = 0
    level = cache.tree.children_of(cache.tree.root)
    while level:
        depth += 1
        level = [child for node in level for child in cache.tree.children_of(node)]
    return depth
