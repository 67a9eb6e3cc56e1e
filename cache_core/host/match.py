"""Matching on two tiers: the walk goes on where the device's part of a path ends, and so may the hit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from cache_core.branching import floor_page
from cache_core.host.node import TieredNode
from cache_core.key import Namespace, RadixKey, common_bytes
from cache_core.node import Node
from cache_core.results import MatchResult

if TYPE_CHECKING:
    from cache_core.host_tier import HostTier


class TieredMatch(MatchResult):
    """A match whose hit goes on over host copies up to `best`."""

    __slots__ = ("best",)

    best: Node


def walk_on(tier: HostTier, units: bytes, namespace: Namespace, limit: int, node: Node) -> Node:
    """Follow `units[:limit]` from the end of `node` over nodes on the host; return the node that it ends on.

    A node in which the key ends or parts is split.
    """
    cache = tier.cache
    root, page_bytes = cache.tree.root, cache.tree.page_bytes
    at = node.end * cache.unit_bytes
    while at < limit:
        page = units[at : at + page_bytes]
        child = node.host_children.get(page if node is not root else namespace.prefix + page)  # type: ignore[attr-defined]
        if child is None:
            break
        edge = child.edge
        if at + len(edge) <= limit and units.startswith(edge, at):
            node = child
            at += len(edge)
        else:
            return cache.split(child, common_bytes(edge, units, at, limit, page_bytes))
    return node


def deepest_resident(node: Node) -> Node:
    """Return the deepest node on the path to `node` that is on the device, or the root: the rest is below it."""
    while node.parent is not None and node.is_away:
        node = node.parent
    return node


def match_quietly(tier: HostTier, key: RadixKey, tokens: int) -> TieredMatch:
    """Match the first `tokens` tokens of a key as ever, and say nothing of it."""
    cache = tier.cache
    limit = floor_page(max(0, tokens - cache.unit_overlap), cache.page) * cache.unit_bytes
    node, _, inside, agreed = cache.tree.walk(cache.units_of(key), key.namespace, limit)
    if inside is not None:
        node = cache.split(inside, agreed)
    return match_tiers(tier, walk_on(tier, cache.units_of(key), key.namespace, limit, node))


def match_tiers(tier: HostTier, reached: Node) -> TieredMatch:
    """Say what the wholly walked path to `reached` is good for, and renew its recency."""
    cache = tier.cache
    resident = deepest_resident(reached)
    node = cache.deepest_usable(resident)
    best = node if node is reached else _deepest_usable(tier, reached)
    _renew(tier, best, resident if resident.end < best.end else best)
    full_hit = reached.end
    branch = full_hit if full_hit > best.end and cache.config.branching else None
    found = TieredMatch(cache, node, node.end, full_hit, branch)
    found.best = best
    found.host_hit_tokens = best.end - node.end
    return found


def _renew(tier: HostTier, best: Node, on_device: Node) -> None:
    """Renew the path to `best`, of which the device has what ends with `on_device`."""
    cache = tier.cache
    cache.tick += 1
    cache.touch(best)
    for component in cache.auxiliary:
        component.refresh(best)
    tier.refresh(best)
    cache.note_touch(on_device)


def _deepest_usable(tier: HostTier, reached: Node) -> Node:
    """Return the deepest node on a path that has, on either tier, what every component needs, or the root."""
    node = cast("TieredNode", reached)
    while (gap := _gap_before(tier, node)) is not None:
        node = gap.parent
    return node


def _gap_before(tier: HostTier, end: TieredNode) -> TieredNode | None:
    """Return a node without what a match that ends on `end` needs of it: then none below it can be the end either."""
    for copies in reversed(tier.copies[1:]):  # states come last, and one look is enough to miss one
        for node in cast("Iterator[TieredNode]", copies.component.needs(end)):
            if node.copies[copies.number] is None and not copies.component.is_live(node):
                return node
    return None
