"""Matching on two tiers: the walk goes on where the device's part of a path ends, and so may the hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cache_core.branching import floor_page
from cache_core.host.node import TieredNode, is_away
from cache_core.key import Namespace, RadixKey, common_bytes
from cache_core.node import Node
from cache_core.results import MatchResult

if TYPE_CHECKING:
    from cache_core.host_tier import HostTier


class TieredMatch(MatchResult):
    """A match whose hit goes on over host copies up to `best`."""

    __slots__ = ("best",)

    best: Node


def walk_on(tier: HostTier, units: bytes, namespace: Namespace, limit: int, path: list[Node], at: int) -> int:
    """Follow `units[:limit]` from the end of `path`, at byte `at`, over nodes on the host; return where that ends.

    Extends the path. A node in which the key ends or parts is split.
    """
    cache = tier.cache
    page_bytes = cache.tree.page_bytes
    node: Node = path[-1] if path else cache.tree.root
    while at < limit:
        page = units[at : at + page_bytes]
        child = node.host_children.get(page if path else namespace.prefix + page)  # type: ignore[attr-defined]
        if child is None:
            break
        edge = child.edge
        if at + len(edge) <= limit and units.startswith(edge, at):
            node = child
            path.append(node)
            at += len(edge)
        else:
            agreed = common_bytes(edge, units, at, limit, page_bytes)
            path.append(cache.split(child, agreed))
            return at + agreed
    return at


def resident_nodes(path: list[Node]) -> int:
    """Return how many nodes of a path are on the device; the rest is below them."""
    count = len(path)
    while count and is_away(path[count - 1]):
        count -= 1
    return count


def match_quietly(tier: HostTier, key: RadixKey, tokens: int) -> TieredMatch:
    """Match the first `tokens` tokens of a key as ever, and say nothing of it."""
    cache = tier.cache
    limit = floor_page(max(0, tokens - cache.unit_overlap), cache.page) * cache.unit_bytes
    path, at, inside, agreed = cache.tree.walk(cache.units_of(key), key.namespace, limit)
    if inside is not None:
        path.append(cache.split(inside, agreed))
        at += agreed
    return match_tiers(tier, path, walk_on(tier, cache.units_of(key), key.namespace, limit, path, at))


def match_tiers(tier: HostTier, path: list[Node], at: int) -> TieredMatch:
    """Say what a wholly walked path, `at` bytes long, is good for, and renew its recency."""
    cache = tier.cache
    resident = resident_nodes(path)
    on_device = cache.deepest_usable(path, resident - 1) if cache.auxiliary else resident - 1
    best = on_device if on_device == len(path) - 1 else _deepest_usable(tier, path)
    node = path[on_device] if on_device >= 0 else cache.tree.root
    best_node = path[best] if best >= 0 else cache.tree.root
    _renew(tier, path[: best + 1], best_node, resident)
    full_hit = at // cache.unit_bytes
    branch = full_hit if full_hit > best_node.end and cache.config.branching else None
    found = TieredMatch(cache, node, node.end, full_hit, branch)
    found.best = best_node
    found.host_hit_tokens = best_node.end - node.end
    return found


def _renew(tier: HostTier, path: list[Node], best: Node, resident: int) -> None:
    cache = tier.cache
    cache.tick += 1
    for node in path:
        node.access = cache.tick
    for component in cache.auxiliary:
        component.refresh(best)
    tier.refresh(best)
    at_end = min(len(path), resident)
    if at_end:
        cache.note_touch(path[at_end - 1])


def _deepest_usable(tier: HostTier, path: list[Node]) -> int:
    """Return the largest index of a path whose node has, on either tier, what every component needs; or -1."""
    upto = len(path) - 1
    mamba, window = tier.cache.mamba, tier.cache.window
    while upto >= 0:
        node: TieredNode = path[upto]  # type: ignore[assignment]
        if mamba is not None and not mamba.is_live(node) and node.copies[mamba.number] is None:  # type: ignore[arg-type]
            upto -= 1
        elif window is None:
            break
        else:
            gap = _gap_before(tier, path, upto)
            if gap < 0:
                break
            upto = gap - 1
    return upto


def _gap_before(tier: HostTier, path: list[Node], upto: int) -> int:
    """Return the index of the node without a window within the last window before the end of `path[upto]`, or -1."""
    window, reach = tier.cache.window, tier.cache.config.window
    assert window is not None and reach is not None
    covered = 0
    while upto >= 0 and covered < reach:
        node: TieredNode = path[upto]  # type: ignore[assignment]
        if not window.is_live(node) and node.copies[window.number] is None:  # type: ignore[arg-type]
            return upto
        covered += node.length
        upto -= 1
    return -1
