"""Recomputes everything a host tier counts from its nodes and its transfers, and compares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cache_core.host.copies import Copies
from cache_core.host.node import TieredNode

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.component import Component
    from cache_core.host.transfer import Flight
    from cache_core.host_tier import HostTier
    from cache_core.node import Node


def check_tier(cache: PrefixCache) -> Iterator[str]:
    """Yield what is wrong with the host tier, if there is one."""
    tier = cache.host
    if tier is None:
        return
    nodes = list(tier.nodes())
    for check in (_places, _copies, _holds):
        yield from check(tier, nodes)
    for copies in tier.copies:
        claims = ((f"node {node.id}", node.copies[copies.number] or ()) for node in nodes)
        yield from copies.pool.complaints(claims)
        yield from _alone(copies, nodes)
    yield from _victims(tier, nodes)


def held_full(cache: PrefixCache) -> list[Node]:
    """Return the ends of the paths that transfers hold on the device, one for each."""
    return [flight.anchor for flight in _flights(cache) if flight.anchor is not None]


def held_auxiliary(cache: PrefixCache, component: Component[Node]) -> Counter[int]:
    """Return how often transfers hold an auxiliary component's state, by node."""
    held: Counter[int] = Counter()
    for flight in _flights(cache):
        if flight.anchor is not None:
            for node, mask in flight.nodes.items():
                held[node.id] += component.per_token or mask >> component.number & 1
    return held


def _flights(cache: PrefixCache) -> list[Flight]:
    return [] if cache.host is None else list(cache.host.under_way.values())


def _places(tier: HostTier, nodes: list[TieredNode]) -> Iterator[str]:
    """A node without Full slots on the device has a copy and hangs on the host, and so does all below it."""
    away = 0
    for node in nodes:
        if not node.is_away:
            if node.parent is not tier.cache.tree.root and node.parent.is_away:
                yield f"node {node.id}: on the device, below node {node.parent.id}, which is not"
            continue
        away += 1
        if node.children or node.lock or tier.cache.live_mask(node):
            yield f"node {node.id}: on the host alone, with children, a lock or state on the device"
        if node.copies[0] is None:
            yield f"node {node.id}: its Full data is on neither tier"
    if away != tier.away_nodes:
        yield f"host tier: counts {tier.away_nodes} nodes on the host alone, the tree has {away}"


def _copies(tier: HostTier, nodes: list[TieredNode]) -> Iterator[str]:
    """Copies are as long as what they copy, none is there without Full, and paths are whole when writing through."""
    for node in nodes:
        for number, slots in enumerate(node.copies):
            size = tier.cache.components[number].size(node)
            if slots is not None and len(slots) != size:
                yield f"node {node.id}: a copy of {len(slots)} slots for {size} of component {number}"
        if node.copies[0] is None and any(slots is not None for slots in node.copies):
            yield f"node {node.id}: a copy on the host without one of its Full data"
        parent = node.parent
        if tier.writes_back or node.copies[0] is None or parent is tier.cache.tree.root:
            continue
        if parent.copies[0] is None:
            yield f"node {node.id}: on the host, its parent {parent.id} is not"


def _holds(tier: HostTier, nodes: list[TieredNode]) -> Iterator[str]:
    """What transfers under way hold, and which node waits for which."""
    held = Counter(node.id for flight in tier.under_way.values() for node in flight.nodes)
    backups = {
        (node.id, number)
        for number, flight in tier.under_way.items()
        if flight.transfer.direction == "backup"
        for node in flight.nodes
    }
    for node in nodes:
        if node.host_lock != held[node.id]:
            yield f"node {node.id}: host lock {node.host_lock}, the transfers hold {held[node.id]}"
        if node.pending and (node.id, node.pending) not in backups:
            yield f"node {node.id}: waits for transfer {node.pending}, which is no backup of it under way"
        if not node.pending and any(number == node.id for number, _ in backups):
            yield f"node {node.id}: a backup of it is under way, and it does not wait for one"
    lost = set(held) - {node.id for node in nodes}
    if lost:
        yield f"transfers: hold nodes that have left the tree: {sorted(lost)[:8]}"


def _alone(copies: Copies, nodes: list[TieredNode]) -> Iterator[str]:
    """The recency list has the nodes with lone copies, each once."""
    lone = {
        node.id
        for node in nodes
        if copies.number and node.copies[copies.number] is not None and not copies.component.is_live(node)
    }
    listed = [node.id for node in copies.alone]
    if len(listed) != len(lone) or set(listed) != lone or len(copies.alone) != len(lone):
        yield f"{copies.pool.name} recency list: {len(listed)} entries, {len(lone)} nodes with a lone copy"


def _victims(tier: HostTier, nodes: list[TieredNode]) -> Iterator[str]:
    """Every node that may be dropped from the host is queued for it."""
    for node in nodes:
        if not tier.room.is_queued(node):
            yield f"host victim queue: node {node.id} may go and is not queued"
