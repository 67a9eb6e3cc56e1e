"""`check_integrity` finds each kind of damage and names the node, the slot and the difference."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cache_core import CacheIntegrityError, PrefixCache, check_integrity, pretty_print
from cache_core.node import Node
from tests.support.caches import admit, insert, key, swa_cache


@pytest.fixture
def cache() -> PrefixCache:
    """A tree A0+17t 17+5S with two forks, one leaf of them locked by a live request that owns slots of its own."""
    made = swa_cache(slots=128)
    admit(made, "A41").finish()
    admit(made, "A22 B19").finish()
    request = admit(made, "A22 C9")
    request.decode(7)
    made.allocate(3)
    insert(made, "D4")
    check_integrity(made)
    return made


def node_at(cache: PrefixCache, start: int, length: int) -> Node:
    """Return the one node that covers a range."""
    (found,) = (node for node in cache.tree.descend() if (node.start, node.length) == (start, length))
    return found


def root_child(cache: PrefixCache) -> Node:
    """Return the first node of the forks: a tombstone of 17 tokens."""
    return node_at(cache, 0, 17)


def miscount_lock(cache: PrefixCache) -> None:
    root_child(cache).lock += 1


def miscount_window_lock(cache: PrefixCache) -> None:
    root_child(cache).swa_lock += 1


def miscount_full(cache: PrefixCache) -> None:
    cache.full.evictable += 1


def miscount_window(cache: PrefixCache) -> None:
    cache.window.protected -= 1


def miscount_nodes(cache: PrefixCache) -> None:
    say_of_the_tree(cache, nodes=cache.tree.nodes + 1)


def miscount_leaves(cache: PrefixCache) -> None:
    say_of_the_tree(cache, leaves=cache.tree.leaves - 1)


def say_of_the_tree(cache: PrefixCache, **counts: int) -> None:
    """Let the tree of a cache say other counts, whether it keeps or takes them."""
    backend = type(cache.tree)
    cache.tree.__class__ = type("Miscounting", (backend,), {"__slots__": (), **counts})


def miscount_queue(cache: PrefixCache) -> None:
    cache.full.evictor.leaves += 1


def revive_a_tombstone(cache: PrefixCache) -> None:
    node = root_child(cache)
    node.swa_values = node.slots()
    cache.window.evictable += node.length


def own_a_slot_twice(cache: PrefixCache) -> None:
    first, second = root_child(cache), node_at(cache, 0, 4)
    second.values[second.offset] = first.values[first.offset]


def lose_a_slot(cache: PrefixCache) -> None:
    cache.loans.clear()


def lose_a_free_slot(cache: PrefixCache) -> None:
    cache.full.pool.bases.pop()


def share_a_window_slot(cache: PrefixCache) -> None:
    node = node_at(cache, 0, 4)
    node.swa_values[node.offset] = node.swa_values[node.offset + 1]


def keep_a_window_slot_behind_the_frontier(cache: PrefixCache) -> None:
    (request,) = cache.requests.values()
    request.peers[request.protected_tokens] = 7
    request.window_from = request.protected_tokens + 1


def forget_recency(cache: PrefixCache) -> None:
    node = node_at(cache, 0, 4)
    node.swa_older.swa_newer, node.swa_newer.swa_older = node.swa_newer, node.swa_older


def break_a_child_key(cache: PrefixCache) -> None:
    children = cache.tree.root.children
    children[b"\x00\x00\x00\x7f"] = children.pop(next(iter(children)))


def move_a_node(cache: PrefixCache) -> None:
    node_at(cache, 17, 5).start = 18


def outrank_the_parent(cache: PrefixCache) -> None:
    node_at(cache, 17, 5).priority = 9


def change_a_row(cache: PrefixCache) -> None:
    (request,) = cache.requests.values()
    request.slots[0], request.slots[1] = request.slots[1], request.slots[0]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (miscount_lock, r"node \d+: full lock 2, the receipts hold 1"),
        (miscount_window_lock, r"node \d+: swa lock 1, the receipts hold 0"),
        (miscount_full, r"full: counts \d+ evictable and \d+ protected slots, the nodes hold \d+ and \d+"),
        (miscount_window, r"swa: counts \d+ evictable and \d+ protected slots, the nodes hold \d+ and \d+"),
        (miscount_nodes, r"tree: counts \d+ nodes, \d+ leaves, has \d+ and \d+"),
        (miscount_leaves, r"tree: counts \d+ nodes, \d+ leaves, has \d+ and \d+"),
        (miscount_queue, r"victim queue: counts \d+ evictable leaves, the tree has \d+"),
        (revive_a_tombstone, r"swa recency list: \d+ entries"),
        (own_a_slot_twice, r"full slot \d+: owned by node \d+ and by node \d+"),
        (lose_a_slot, r"full slots: 125 owned of 128, lost: \[\d+, \d+, \d+\]"),
        (lose_a_free_slot, r"full slots: 127 owned of 128, lost: \[\d+\]"),
        (share_a_window_slot, r"swa slot \d+: owned by node \d+ and by node \d+"),
        (keep_a_window_slot_behind_the_frontier, r"request \d+: window slots behind its frontier \d+"),
        (forget_recency, r"swa recency list: \d+ entries, \d+ counted, \d+ live nodes"),
        (break_a_child_key, r"node \d+: its parent does not find it under its first page"),
        (move_a_node, r"node \d+: starts at 18, its parent \d+ ends at 17"),
        (outrank_the_parent, r"node \d+: priority 9 above its parent's 0"),
        (change_a_row, r"request \d+: its row is not that of node \d+"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_damage_is_found_and_named(cache: PrefixCache, damage: Callable[[PrefixCache], None], message: str) -> None:
    damage(cache)
    with pytest.raises(CacheIntegrityError, match=message):
        check_integrity(cache)


def test_a_printed_tree_shows_positions_state_locks_and_hits(cache: PrefixCache) -> None:
    lines = pretty_print(cache).splitlines()
    assert len(lines) == cache.stats()["nodes"]
    assert lines[0].startswith("0..17  F-  first 0  hits 1 lock 1/0")
    assert lines[1].startswith("  17..22  FS  first 17  hits 2 lock 1/0")


def test_a_printed_tree_checks_its_child_keys(cache: PrefixCache) -> None:
    break_a_child_key(cache)
    with pytest.raises(CacheIntegrityError, match="not where its first page says"):
        pretty_print(cache)


def test_an_empty_tree_prints_as_such() -> None:
    assert pretty_print(swa_cache()) == "(empty)"


def test_namespaces_are_named_on_their_first_node() -> None:
    cache = swa_cache()
    insert(cache, "A4", extra_key="lora")
    assert cache.match(key("A4", extra_key="lora")).hit_tokens == 4
    assert "[lora]" in pretty_print(cache)
