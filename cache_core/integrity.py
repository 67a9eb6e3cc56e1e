"""Recomputes everything a cache counts from its tree, its requests and its pools, and compares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cache_core.components.mamba import Mamba
from cache_core.components.swa import SlidingWindow
from cache_core.errors import CacheIntegrityError
from cache_core.host.integrity import check_tier, held_auxiliary, held_full
from cache_core.pool import Claim
from cache_core.results import gather

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.lock import LockReceipt


def check_integrity(cache: PrefixCache) -> None:
    """Raise CacheIntegrityError, naming node, slot and difference, unless the cache agrees with itself."""
    for check in CHECKS:
        for complaint in check(cache):
            raise CacheIntegrityError(complaint)


def _structure(cache: PrefixCache) -> Iterator[str]:
    nodes = leaves = 0
    for node in cache.tree.descend():
        resident = cache.full.is_live(node)
        nodes += resident
        leaves += resident and not node.children
        parent = node.parent
        if parent is None or not cache.tree.finds(node):
            yield f"node {node.id}: its parent does not find it under its first page"
            return
        if not node.edge or len(node.edge) % cache.tree.page_bytes:
            yield f"node {node.id}: an edge of {len(node.edge)} bytes is no whole number of pages"
        if node.start != parent.end:
            yield f"node {node.id}: starts at {node.start}, its parent {parent.id} ends at {parent.end}"
        if parent is not cache.tree.root and parent.namespace is not node.namespace:
            yield f"node {node.id}: namespace {node.namespace} below namespace {parent.namespace}"
        if node.priority > parent.priority:
            yield f"node {node.id}: priority {node.priority} above its parent's {parent.priority}"
        if resident and len(node.slots()) != node.length:
            yield f"node {node.id}: {len(node.slots())} slots for {node.length} tokens"
    if (nodes, leaves) != (cache.tree.nodes, cache.tree.leaves):
        yield f"tree: counts {cache.tree.nodes} nodes, {cache.tree.leaves} leaves, has {nodes} and {leaves}"


def _locks(cache: PrefixCache) -> Iterator[str]:
    """Replay every receipt that is out."""
    receipts = [*cache.receipts, *(request.receipt for request in cache.requests.values() if request.receipt)]
    ends = [*(receipt.node for receipt in receipts), *held_full(cache)]
    held = Counter(node.id for end in ends for node in end.upward())
    for node in cache.tree.descend():
        if node.lock != held[node.id]:
            yield f"node {node.id}: full lock {node.lock}, the receipts hold {held[node.id]}"
    if cache.window is not None:
        yield from _window_locks(cache, cache.window, receipts)
    if cache.mamba is not None:
        yield from _state_locks(cache, cache.mamba, receipts)


def _window_locks(cache: PrefixCache, window: SlidingWindow, receipts: list[LockReceipt]) -> Iterator[str]:
    held = held_auxiliary(cache, window)  # type: ignore[arg-type]
    held.update(node.id for receipt in receipts for node in window.held_by(receipt))
    for node in window.nodes():
        if node.swa_lock != held[node.id]:
            yield f"node {node.id}: swa lock {node.swa_lock}, the receipts hold {held[node.id]}"


def _state_locks(cache: PrefixCache, mamba: Mamba, receipts: list[LockReceipt]) -> Iterator[str]:
    held = held_auxiliary(cache, mamba)  # type: ignore[arg-type]
    held.update(receipt.node.id for receipt in receipts if receipt.auxiliary_held)
    for node in cache.tree.descend():
        if mamba.locks(node) != held[node.id]:  # type: ignore[arg-type]
            yield f"node {node.id}: mamba lock {mamba.locks(node)}, the receipts hold {held[node.id]}"  # type: ignore[arg-type]


def _ledgers(cache: PrefixCache) -> Iterator[str]:
    for component in cache.components:
        evictable = protected = 0
        for node in cache.tree.descend():
            if component.is_live(node):
                if component.locks(node):
                    protected += component.size(node)
                else:
                    evictable += component.size(node)
        if (evictable, protected) != (component.evictable, component.protected):
            yield (
                f"{component.name}: counts {component.evictable} evictable and {component.protected} protected "
                f"slots, the nodes hold {evictable} and {protected}"
            )


def _components(cache: PrefixCache) -> Iterator[str]:
    for component in cache.components:
        yield from component.complaints()


def _leaf_queue(cache: PrefixCache) -> Iterator[str]:
    evictor = cache.full.evictor
    leaves = [node for node in cache.tree.descend() if cache.full.may_go(node)]
    if evictor.leaves != len(leaves):
        yield f"victim queue: counts {evictor.leaves} evictable leaves, the tree has {len(leaves)}"
    for node in leaves:
        if not evictor.holds(node):
            yield f"victim queue: node {node.id} is an evictable leaf and not queued"


def _rank_fields(cache: PrefixCache) -> Iterator[str]:
    yield from cache.full.policy.complaints(cache.tree.descend())


def _full_slots(cache: PrefixCache) -> Iterator[str]:
    """Every Full slot has one owner: a node, a request, a caller of allocate, or the free list."""
    claims: list[Claim] = [(f"node {node.id}", node.slots()) for node in cache.tree.descend()]
    claims += [(f"request {r.request_id}", r.slots[r.protected_tokens :]) for r in cache.requests.values()]
    claims.append(("a caller of allocate", [slot for slot, _ in cache.loans.pairs()]))
    yield from cache.full.pool.complaints(claims)


def _window_slots(cache: PrefixCache) -> Iterator[str]:
    """Every window slot has one owner, and requests have those from their frontier on and no others."""
    window = cache.window
    if window is None:
        return
    live_nodes = [node for node in window.nodes() if window.is_live(node)]
    claims: list[Claim] = [(f"node {node.id}", window.window_slots(node)) for node in live_nodes]
    for request in cache.requests.values():
        assert request.peers is not None
        owned, live = request.protected_tokens, max(request.protected_tokens, request.window_from)
        if any(request.peers[owned:live]) or len(request.peers) != len(request.slots):
            yield f"request {request.request_id}: window slots behind its frontier {request.window_from}"
        claims.append((f"request {request.request_id}", request.peers[live:]))
    claims.append(("a caller of allocate", [peer for _, peer in cache.loans.pairs() if peer]))
    yield from window.pool.complaints(claims)


def _states(cache: PrefixCache) -> Iterator[str]:
    """Every state slot has one owner."""
    mamba = cache.mamba
    if mamba is None:
        return
    claims: list[Claim] = [(f"node {node.id}", [node.mamba_slot]) for node in mamba.by_use()]
    for request in cache.requests.values():
        held = [slot for slot in (request.state_slot, request.checkpoint_slot) if slot]
        claims.append((f"request {request.request_id}", held))
    claims.append(("a caller of allocate_state", cache.state_loans))
    yield from mamba.pool.complaints(claims)


def _rows(cache: PrefixCache) -> Iterator[str]:
    """What a request's row says of the tree's part is what the tree says."""
    for request in cache.requests.values():
        assert request.receipt is not None
        owned = gather(request.receipt.node)
        if len(owned) != request.protected_tokens or request.slots[: len(owned)] != owned:
            yield f"request {request.request_id}: its row is not that of node {request.receipt.node.id}"


CHECKS = (
    _structure,
    _locks,
    _ledgers,
    _components,
    _leaf_queue,
    _rank_fields,
    _full_slots,
    _window_slots,
    _states,
    _rows,
    check_tier,
)
"""What is checked, in order: later ones rely on what earlier ones found in order."""
