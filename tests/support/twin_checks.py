"""The comparison of a real cache with the naive model: nodes, recency, pools, requests, and what slots hold."""

from __future__ import annotations

from array import array

from cache_core import Request, check_integrity
from cache_core.host_tier import HostTier
from cache_core.node import Node
from tests.support.naive_checks import check_model
from tests.support.naive_request import NaiveRequest
from tests.support.naive_tree import Tokens
from tests.support.observe import ledger
from tests.support.twin_base import TwinBase
from tests.support.twin_rows import TwinRow, brief, naive_rows, real_rows


def check(twin: TwinBase) -> None:
    """Compare everything that can be seen, and let both check themselves."""
    check_integrity(twin.real)
    check_model(twin.naive)
    seen = list(real_rows(twin.real))
    ours, models = {row for _, row in seen}, set(naive_rows(twin.naive))
    assert ours == models, f"only in the cache: {brief(ours - models)}; only in the model: {brief(models - ours)}"
    assert twin.fates.seen == twin.naive.fates, "victims, or their order, differ"
    twin.fates.seen.clear()
    twin.naive.fates.clear()
    _check_leaves(twin, seen)
    _check_recency(twin, {node.id: row for node, row in seen})
    _check_pools(twin)
    _check_shape(twin)
    if twin.real.host is not None:
        _check_host(twin, twin.real.host, {node.id: row for node, row in seen})
    for node, row in seen:
        _check_content(twin, node, row)
    for real, naive in twin.requests:
        _check_request(twin, real, naive)


def _check_leaves(twin: TwinBase, seen: list[tuple[Node, TwinRow]]) -> None:
    """Compare the order in which leaves would go."""
    naive, rank = twin.naive, twin.real.full.evictor.policy.rank
    inner = {id(node.parent) for node, row in seen if row.device[0]}
    free = [(node, row) for node, row in seen if row.device[0] and not any(row.locks) and id(node) not in inner]
    ours = [row.key for node, row in sorted(free, key=lambda leaf: rank(leaf[0]))]
    leaves = [node for node in naive.nodes() if node.is_device_leaf]
    assert ours == [node.key for node in sorted(leaves, key=naive.rank)], "leaves in another order"


def _check_recency(twin: TwinBase, row_of: dict[int, TwinRow]) -> None:
    """Compare the orders in which windows and states would go."""
    real, naive = twin.real, twin.naive
    if real.window is not None:
        ours = [row_of[number].key for number in real.window.oldest_first()]
        assert ours == [node.key for node in naive.swa_list], "windows in another order"
    if real.mamba is not None:
        states = [row_of[node.id].key for node in real.mamba.by_use()]
        assert states == [node.key for node in naive.state_list], "states in another order"


def _check_pools(twin: TwinBase) -> None:
    """Compare free, evictable, protected and held slots; the held ones with what this pair holds."""
    naive, pools = twin.naive, ledger(twin.real)
    full_evictable, full_protected, swa_evictable, swa_protected = naive.pool_tokens()
    held = sum(len(lent.slots) for lent in twin.lent)
    held += sum(naive.up(request.length) - request.owned for _, request in twin.requests)
    config = naive.config
    assert pools["full"] == (naive.full_free, full_evictable, full_protected, held, config.full_slots)
    assert sum(pools["full"][:4]) == config.full_slots
    if twin.window is not None:
        held = sum(len(lent.slots) - lent.windowless for lent in twin.lent)
        held += sum(naive.up(r.length) - max(r.owned, r.swa_from) for _, r in twin.requests)
        assert pools["swa"] == (naive.swa_free, swa_evictable, swa_protected, held, config.swa_slots)
        assert sum(pools["swa"][:4]) == config.swa_slots
    if twin.mamba:
        held = len(twin.states) + sum(request.states for _, request in twin.requests)
        assert pools["mamba"] == (naive.state_free, *naive.pool_states(), held, config.mamba_slots)
        assert sum(pools["mamba"][:4]) == config.mamba_slots


def _check_host(twin: TwinBase, host: HostTier, row_of: dict[int, TwinRow]) -> None:
    """Compare the host's pools, the orders in which its windows and states would go, and what is under way."""
    naive, pools = twin.naive, host.stats()
    for name, free, order in (
        ("full", naive.host_free, []),
        ("swa", naive.swa_host_free, naive.swa_host_list),
        ("mamba", naive.state_host_free, naive.state_host_list),
    ):
        copies = [copies for copies in host.copies if copies.component.name == name]
        assert pools[name]["free"] == free if copies else not order
        for found in copies:
            ours = [row_of[node.id].key for node in found.alone]
            assert ours == [node.key for node in order], f"{name} copies in another order"
    assert len(host.under_way) == len(naive.transfers)


def _check_shape(twin: TwinBase) -> None:
    """Compare the counts of nodes."""
    nodes = twin.naive.nodes()
    stats = twin.real.stats()
    on_device = [node for node in nodes if node.full]
    tombstones = sum(not node.live for node in on_device) if twin.window is not None else 0
    assert (stats["nodes"], stats["tombstones"]) == (len(nodes), tombstones)
    assert stats.get("host_nodes", 0) == len(nodes) - len(on_device)
    assert stats["leaves"] == sum(not node.children for node in nodes)
    assert stats["depth"] == max((len(node.path) for node in nodes), default=0)


def _tokens_of(twin: TwinBase, row: TwinRow) -> Tokens:
    """Return the tokens whose KV the positions up to the end of a node hold."""
    return tuple(pair[0] for pair in row.key) if twin.config.bigram else row.key  # type: ignore[index, return-value]


def _check_content(twin: TwinBase, node: Node, row: TwinRow) -> None:
    """A node's slots hold its positions, its window slots are there if it is live, its state is that of its end."""
    shadow, tokens, space = twin.shadow, _tokens_of(twin, row), row.namespace[0]
    full, live, state = row.device
    window, mamba = twin.real.window, twin.real.mamba
    if any(row.host) and not any(node.key == row.key for queued in twin.naive.queue for node in queued.nodes):
        _check_copies(twin, node.copies, row)  # type: ignore[attr-defined]
    if full:
        shadow.verify(shadow.device["full"], node.slots(), tokens, space, row.start)
    if live:
        assert window is not None
        shadow.verify(shadow.device["swa"], window.window_slots(node), tokens, space, row.start)  # type: ignore[arg-type]
    if state:
        assert mamba is not None
        shadow.verify_state(shadow.device["mamba"], node.mamba_slot, tokens, space)  # type: ignore[attr-defined]


def _check_copies(twin: TwinBase, copies: list[array[int] | None], row: TwinRow) -> None:
    """A node's host slots hold what its device slots did, once the transfer was made."""
    shadow, tokens, space = twin.shadow, _tokens_of(twin, row), row.namespace[0]
    for component, slots in zip(twin.real.components, copies, strict=True):
        memory = shadow.host[component.name]
        if slots is not None and component.per_token:
            shadow.verify(memory, slots, tokens, space, row.start)
        elif slots is not None:
            shadow.verify_state(memory, slots[0], tokens, space)


def _check_request(twin: TwinBase, real: Request, naive: NaiveRequest) -> None:
    """A request's row holds its tokens; its window slots are there from the frontier on; so are its states."""
    shadow, tokens = twin.shadow, naive.prompt + naive.outputs
    assert (real.length, real.branching_point, real.hit_tokens) == (naive.length, naive.branch, naive.hit)
    assert (real.protected_tokens, tuple(real.tokens)) == (naive.owned, tokens)
    shadow.verify(shadow.device["full"], real.row(), tokens, naive.ns)
    if twin.window is not None:
        window_row = real.swa_row()
        shadow.verify_some(shadow.device["swa"], window_row, tokens, naive.ns)
        frontier = max(naive.owned, naive.swa_from)
        assert not any(window_row[naive.owned : frontier]) and all(window_row[frontier:])
    slots = real.state_slot, real.state_source, real.checkpoint_slot
    assert tuple(slot > 0 for slot in slots) == (naive.working, naive.has_source, naive.checkpoint > 0)
    if naive.working:
        shadow.verify_state(shadow.device["mamba"], real.state_slot, tokens[: naive.length], naive.ns)
    if naive.checkpoint:
        shadow.verify_state(shadow.device["mamba"], real.checkpoint_slot, tokens[: naive.checkpoint], naive.ns)
