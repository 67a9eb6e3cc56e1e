"""What must hold of the naive model after every operation, whatever it did."""

from __future__ import annotations

from tests.support.naive_cache import NaiveCache
from tests.support.naive_tree import Node


def check_model(cache: NaiveCache) -> None:
    """Assert every invariant of the tree, the tiers, the locks and the pools."""
    nodes = cache.nodes()
    for node in nodes:
        _check_tiers(cache, node)
        _check_locks(cache, node)
    _check_lists(cache, nodes)
    _check_host_pools(cache, nodes)
    for transfer in cache.transfers:
        assert all(node in nodes for node in transfer.nodes), "a transfer copies a node that has left the tree"


def _check_tiers(cache: NaiveCache, node: Node) -> None:
    parent = node.parent
    assert parent is not None and len(node) and len(node) % cache.page == 0
    assert node.full or node.host_full, "a node that is nowhere"
    assert node.full or not (node.live or node.state), "device data without Full data"
    assert node.host_full or not (node.host_live or node.host_state), "host data without Full data"
    if parent.parent is None:
        return
    assert parent.full or not node.full, "a hole in the device data of a path"
    if cache.config.backup_hits is not None:
        assert parent.host_full or not node.host_full, "a hole in the host data of a path"


def _check_locks(cache: NaiveCache, node: Node) -> None:
    parent = node.parent
    assert parent is not None
    assert node.full_lock >= max(node.state_lock, node.swa_lock if cache.window is not None else 0)
    assert min(node.full_lock, node.swa_lock, node.state_lock, node.host_lock) >= 0
    assert parent.parent is None or parent.full_lock >= node.full_lock
    assert node.full or not node.full_lock, "a lock on what is not on the device"
    assert node.host_lock == sum(node in transfer.nodes for transfer in cache.transfers)
    assert node.host_full or not node.host_lock


def _check_lists(cache: NaiveCache, nodes: list[Node]) -> None:
    for order, members in (
        (cache.swa_list, [n for n in nodes if n.live]),
        (cache.swa_host_list, [n for n in nodes if n.host_live and not n.live]),
        (cache.state_list, [n for n in nodes if n.state]),
        (cache.state_host_list, [n for n in nodes if n.host_state and not n.state]),
    ):
        assert len(order) == len(members) and set(order) == set(members)


def _check_host_pools(cache: NaiveCache, nodes: list[Node]) -> None:
    config = cache.config
    assert cache.host_free + sum(len(n) for n in nodes if n.host_full) == config.host_slots
    assert cache.swa_host_free + sum(len(n) for n in nodes if n.host_live) == config.swa_host_slots
    assert cache.state_host_free + sum(n.host_state for n in nodes) == config.mamba_host_slots
    assert min(cache.host_free, cache.swa_host_free, cache.state_host_free) >= 0
