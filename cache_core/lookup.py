"""Looking without touching: what a key would hit, and nothing splits, ages or is recorded.

A match splits the edge that a key leaves, because who matches is about to lock. Who only wants to know, such as a
schedule that orders a queue at every step, asks here: the tree stays as it is, and a key that was looked up before
goes on from where it was found.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from cache_core.key import TOKEN_BYTES, RadixKey
from cache_core.node import Node

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache


class QueueHit(NamedTuple):
    """What the cache has of one key: on the device, more on the host, and the last node of which it has all.

    The device hit may end inside an edge below `node`.
    """

    device_hit_tokens: int
    host_hit_tokens: int
    node: Node


def peek_each(cache: PrefixCache, keys: Iterable[RadixKey]) -> list[QueueHit]:
    """Return what the cache has of each key, whole pages; changes nothing."""
    tree = cache.tree
    root, unit_bytes, page_bytes = tree.root, tree.unit_bytes, tree.page_bytes
    paired = cache.unit_overlap
    hits = []
    for key in keys:
        units = key.pairs() if paired else key.tokens
        limit = len(units) - len(units) % page_bytes
        node, at, inside, agreed = tree.walk(units, key.namespace, limit, key.place, key.parting)
        if node is not root:
            key.place = node
        key.parting = None if inside is None else (inside.edge, at, limit, page_bytes, agreed)
        if cache.auxiliary:
            hits.append(_usable(cache, node, at, inside, agreed))
        else:
            hits.append(QueueHit((at + agreed) // unit_bytes, 0, node))
    return hits


def _usable(cache: PrefixCache, node: Node, at: int, inside: Node | None, agreed: int) -> QueueHit:
    """Return the hit that every component accepts: inside the last edge, or at the end of a node."""
    unit_bytes = cache.tree.unit_bytes
    if inside is not None and all(part.accepts_inside(inside, agreed) for part in cache.auxiliary):
        return QueueHit((at + agreed) // unit_bytes, 0, node)
    node = cache.deepest_usable(node)
    return QueueHit(node.end, 0, node)


def match_each(cache: PrefixCache, keys: Iterable[RadixKey]) -> list[QueueHit]:
    """Return what the cache has of each key by matching it: that splits, renews recency and is recorded."""
    hits = []
    for key in keys:
        found = cache.match_prefix(key, len(key.tokens) // TOKEN_BYTES, -1)
        hits.append(QueueHit(found.hit_tokens, found.host_hit_tokens, found.node))
    return hits
