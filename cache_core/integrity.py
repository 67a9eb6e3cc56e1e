"""Recomputes everything a cache counts from its tree, its requests and its pools, and compares."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from cache_core.components.swa import SlidingWindow
from cache_core.errors import CacheIntegrityError
from cache_core.node import Node
from cache_core.results import gather

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.lock import LockReceipt


def check_integrity(cache: PrefixCache) -> None:
    """Raise CacheIntegrityError, naming node, slot and difference, unless the cache agrees with itself."""
    for check in (_structure, _locks, _ledgers, _leaf_queue, _full_slots, _window_slots, _rows):
        for complaint in check(cache):
            raise CacheIntegrityError(complaint)


def _structure(cache: PrefixCache) -> Iterator[str]:
    nodes = leaves = 0
    for node in cache.tree.descend():
        nodes += 1
        leaves += not node.children
        parent = node.parent
        if parent is None or parent.children.get(cache.tree.child_key(node)) is not node:
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
        if len(node.slots()) != node.length:
            yield f"node {node.id}: {len(node.slots())} slots for {node.length} tokens"
    if (nodes, leaves) != (cache.tree.nodes, cache.tree.leaves):
        yield f"tree: counts {cache.tree.nodes} nodes, {cache.tree.leaves} leaves, has {nodes} and {leaves}"


def _locks(cache: PrefixCache) -> Iterator[str]:
    """Replay every receipt that is out."""
    receipts = [*cache.receipts, *(request.receipt for request in cache.requests.values() if request.receipt)]
    held = Counter(node.id for receipt in receipts for node in _upward(cache, receipt.node))
    for node in cache.tree.descend():
        if node.lock != held[node.id]:
            yield f"node {node.id}: full lock {node.lock}, the receipts hold {held[node.id]}"
    if cache.window is not None:
        yield from _window_locks(cache, cache.window, receipts)


def _window_locks(cache: PrefixCache, window: SlidingWindow, receipts: list[LockReceipt]) -> Iterator[str]:
    marks = {node.id: node.swa_mark for node in window.nodes()}
    held: Counter[int] = Counter()
    for receipt in receipts:
        mark = receipt.marks[window.number]
        for node in _upward(cache, receipt.node) if receipt.window_held else ():
            held[node.id] += 1
            if mark and marks[node.id] == mark:
                break
    for node in window.nodes():
        if node.swa_lock != held[node.id]:
            yield f"node {node.id}: swa lock {node.swa_lock}, the receipts hold {held[node.id]}"


def _upward(cache: PrefixCache, node: Node) -> Iterator[Node]:
    while node is not cache.tree.root:
        yield node
        assert node.parent is not None
        node = node.parent


def _ledgers(cache: PrefixCache) -> Iterator[str]:
    for component in cache.components:
        evictable = protected = 0
        for node in cache.tree.descend():
            if component.is_live(node):
                if component.locks(node):
                    protected += node.length
                else:
                    evictable += node.length
        if (evictable, protected) != (component.evictable, component.protected):
            yield (
                f"{component.name}: counts {component.evictable} evictable and {component.protected} protected "
                f"tokens, the nodes hold {evictable} and {protected}"
            )


def _leaf_queue(cache: PrefixCache) -> Iterator[str]:
    evictor = cache.full.evictor
    leaves = [node for node in cache.tree.descend() if not node.children and not node.lock]
    if evictor.leaves != len(leaves):
        yield f"victim queue: counts {evictor.leaves} evictable leaves, the tree has {len(leaves)}"
    for node in leaves:
        if not evictor.holds(node):
            yield f"victim queue: node {node.id} is an evictable leaf and not queued"


def _full_slots(cache: PrefixCache) -> Iterator[str]:
    """Every Full slot has one owner: a node, a request, a caller of allocate, or the free list."""
    owner: dict[int, str] = {}
    claims: list[tuple[str, Iterable[int]]] = [(f"node {node.id}", node.slots()) for node in cache.tree.descend()]
    claims += [(f"request {r.request_id}", r.slots[r.protected_tokens :]) for r in cache.requests.values()]
    claims += [("a caller of allocate", cache.lent), ("the free list", cache.pool.free_slots())]
    for name, slots in claims:
        for slot in slots:
            if slot in owner:
                yield f"full slot {slot}: owned by {owner[slot]} and by {name}"
            owner[slot] = name
    total = cache.pool.totals[0]
    if len(owner) != total:
        missing = [slot for slot in range(cache.page, total + cache.page) if slot not in owner]
        yield f"full slots: {len(owner)} owned of {total}, lost: {missing[:8]}"


def _window_slots(cache: PrefixCache) -> Iterator[str]:
    """A live node's Full slots have window peers, a tombstone's have none, and no two share one."""
    window = cache.window
    if window is None:
        return
    yield from _recency(cache, window)
    owner: dict[int, str] = {}
    claims = [(f"node {node.id}", node.slots(), window.is_live(node)) for node in window.nodes()]
    for request in cache.requests.values():
        dead = max(request.protected_tokens, request.window_from)
        claims.append((f"request {request.request_id}", request.slots[request.protected_tokens : dead], False))
        claims.append((f"request {request.request_id}", request.slots[dead:], True))
    for name, slots, live in claims:
        for slot, peer in zip(slots, window.pool.window_slots(slots), strict=True):
            if bool(peer) != live:
                yield f"{name}: full slot {slot} has swa slot {peer}, which should be {'live' if live else '0'}"
            if peer and peer in owner:
                yield f"swa slot {peer}: owned by {owner[peer]} and by {name}"
            if peer:
                owner[peer] = name
    lent = [peer for peer in window.pool.window_slots(array("i", cache.lent)) if peer]
    free = window.pool.free_tokens(1)
    if len(owner) + len(lent) + free != cache.pool.totals[1]:
        yield f"swa slots: {len(owner)} owned, {len(lent)} lent and {free} free make not {cache.pool.totals[1]}"


def _recency(cache: PrefixCache, window: SlidingWindow) -> Iterator[str]:
    listed = window.oldest_first()
    live = {node.id for node in window.nodes() if window.is_live(node)}
    if len(listed) != len(live) or set(listed) != live or window.live_nodes != len(live):
        yield f"swa recency list: {len(listed)} entries, {window.live_nodes} counted, {len(live)} live nodes"


def _rows(cache: PrefixCache) -> Iterator[str]:
    """What a request's row says of the tree's part is what the tree says."""
    for request in cache.requests.values():
        assert request.receipt is not None
        owned = gather(request.receipt.node)
        if len(owned) != request.protected_tokens or request.slots[: len(owned)] != owned:
            yield f"request {request.request_id}: its row is not that of node {request.receipt.node.id}"
