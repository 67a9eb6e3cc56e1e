"""Windows that go last: those before the end of a branch and before a fork, as the tree is at the moment."""

from __future__ import annotations

from array import array
from itertools import count
from time import perf_counter_ns
from typing import Any

import pytest

from cache_core import CacheConfig, CacheIntegrityError, PrefixCache, RadixKey, check_integrity
from tests.support.caches import hits, insert, key
from tests.support.checked_cache import checked_swa
from tests.support.hosted import hosted, settle
from tests.support.observe import shape

TAILS = "tail_window_last"
DEPTH = 10_000
GROWS = 3.0
"""How much more one victim of a chain ten times as long may take."""


def forked(order: str = TAILS, **more: Any) -> Any:
    """Return a cache, window 4, of A12 with two branches below it, each longer than a window."""
    cache = checked_swa(swa_eviction=order, **more)
    for text in ("A12", "A12 B8", "A12 C8"):
        insert(cache, text)
    return cache


def chain(depth: int, window: int = 4) -> PrefixCache:
    """Return a cache with one path of `depth` nodes of one token each, made by cutting one edge from its end."""
    cache = PrefixCache(CacheConfig(window=window, full_slots=3 * depth, swa_eviction=TAILS))
    path = RadixKey(array("i", range(depth)))
    cache.insert(path, cache.allocate(depth))
    for end in range(depth - 1, 0, -1):
        cache.match(RadixKey(path.tokens[: 4 * end]))
    return cache


def moved(cache: PrefixCache, text: str) -> set[int]:
    """Insert a key; return the ends of the nodes that are another distance from the next end then."""
    before = {node: node.swa_gap for node in cache.window.nodes()}
    insert(cache, text)
    return {node.end for node, gap in before.items() if node.swa_gap != gap}


# ---- what is needed


@pytest.mark.parametrize(("order", "hit"), [("lru", 0), (TAILS, 12)])
def test_the_window_before_a_fork_outlives_younger_ones_inside_branches(order: str, hit: int) -> None:
    cache = forked(order)
    cache.evict(swa_tokens=16)
    assert hits(cache, "A12 D8")[0] == hit


def test_windows_before_no_end_go_first_and_the_others_by_age() -> None:
    cache = forked()
    cache.evict(swa_tokens=16)
    assert shape(cache) == "0+8t 8+4S 12+4t 16+4S 12+4t 16+4S"
    cache.evict(swa_tokens=1)
    assert shape(cache) == "0+8t 8+4t 12+4t 16+4S 12+4t 16+4S"


def test_what_a_window_before_a_fork_covers_stays_with_all_its_nodes() -> None:
    cache = checked_swa(swa_eviction=TAILS)
    for text in ("A5", "A6", "A7", "A9", "A9 B8", "A9 C8"):
        insert(cache, text)
    cache.evict(swa_tokens=13)
    assert shape(cache) == "0+1t 1+4t 5+1S 6+1S 7+2S 9+4t 13+4S 9+4t 13+4S"


def test_a_third_branch_and_its_end_change_nothing() -> None:
    cache = forked()
    insert(cache, "A12 D8")
    for letter in "BC":
        hits(cache, f"A12 {letter}8")
    cache.evict(full_tokens=8)
    cache.evict(swa_tokens=16)
    assert shape(cache) == "0+8t 8+4S 12+4t 16+4S 12+4t 16+4S"


def test_a_fork_at_the_root_keeps_nothing() -> None:
    cache = checked_swa(swa_eviction=TAILS)
    insert(cache, "A12")
    insert(cache, "B12")
    cache.evict(swa_tokens=16)
    assert shape(cache) == "0+8t 8+4S 0+8t 8+4S"


# ---- what changes it


def test_a_fork_that_lost_a_branch_is_an_inner_node_like_any_other() -> None:
    cache = forked()
    hits(cache, "A12 C8")
    cache.evict(full_tokens=8)
    assert shape(cache) == "0+8S 8+4S 12+4S 16+4S"
    cache.evict(swa_tokens=16)
    assert shape(cache) == "0+8t 8+4t 12+4t 16+4S"


def test_a_branch_that_lost_its_end_keeps_the_window_before_its_new_one() -> None:
    cache = checked_swa(swa_eviction=TAILS)
    for end in (4, 8, 12):
        insert(cache, f"A{end}")
    cache.evict(full_tokens=4)
    cache.evict(swa_tokens=4)
    assert shape(cache) == "0+4t 4+4S"


def test_a_branch_that_grew_keeps_its_new_end_only() -> None:
    cache = checked_swa(swa_eviction=TAILS)
    insert(cache, "A8")
    insert(cache, "A8 B8")
    cache.evict(swa_tokens=12)
    assert shape(cache) == "0+4t 4+4t 8+4t 12+4S"


def test_a_leaf_below_an_inner_node_makes_it_a_fork() -> None:
    cache = checked_swa(swa_eviction=TAILS)
    for end in (4, 8, 12, 16):
        insert(cache, f"A{end}")
    insert(cache, "A8 B8")
    cache.evict(swa_tokens=12)
    assert shape(cache) == "0+4t 4+4S 8+4t 12+4S 8+4t 12+4S"


def test_a_branch_on_the_host_alone_makes_no_fork_until_it_is_back() -> None:
    cache = hosted("swa", slots=256, host=256, swa_eviction=TAILS)
    for text in ("A8", "A8 B4", "A8 C4"):
        insert(cache, text)
        settle(cache)
    fork = cache.match(key("A8")).node
    assert fork.swa_gap == 0
    cache.evict(full_tokens=4)
    assert (shape(cache).count("-"), fork.swa_gap) == (1, 16)
    insert(cache, "A8 B4")
    assert (shape(cache).count("-"), fork.swa_gap) == (0, 0)


# ---- locks


def test_a_window_that_was_held_goes_first_once_it_is_let_go() -> None:
    cache = checked_swa(swa_eviction=TAILS)
    for end in (4, 8, 12, 16):
        insert(cache, f"A{end}")
    receipt = cache.lock(cache.match(key("A8")).node)
    insert(cache, "B16")
    cache.evict(swa_tokens=20)
    assert shape(cache) == "0+4t 4+4S 8+4t 12+4S 0+12t 12+4S"
    cache.unlock(receipt)
    cache.evict(swa_tokens=1)
    assert shape(cache) == "0+4t 4+4t 8+4t 12+4S 0+12t 12+4S"


def test_all_windows_that_nobody_holds_can_go() -> None:
    cache = forked()
    receipt = cache.lock(cache.match(key("A12 B8")).node)
    assert cache.evict(swa_tokens=256).swa_tokens == 24
    assert shape(cache) == "0+8t 8+4t 12+4t 16+4S 12+4t"
    cache.unlock(receipt)
    assert cache.evict(swa_tokens=256).swa_tokens == 4


# ---- long chains


@pytest.mark.one_backend("cost")
def test_a_leaf_on_a_long_chain_changes_what_is_within_a_window_of_it() -> None:
    cache = chain(DEPTH, window=64)
    assert moved(cache, f"A{DEPTH} B1") == {*range(DEPTH - 63, DEPTH + 1)}
    assert moved(cache, f"A{DEPTH // 2} C1") == {*range(DEPTH // 2 - 63, DEPTH // 2 + 1)}
    check_integrity(cache)


def per_victim_ns(depth: int, **asked: int) -> float:
    """Return what one victim takes of so many tokens asked for, of a chain."""
    cache = chain(depth)
    began = perf_counter_ns()
    evicted = cache.evict(**asked)
    took = perf_counter_ns() - began
    assert evicted.victims == depth
    return took / depth


@pytest.mark.one_backend("cost")
@pytest.mark.parametrize("kind", ["full_tokens", "swa_tokens"])
def test_a_victim_of_a_long_chain_takes_no_longer(kind: str) -> None:
    for tried in count(1):
        short, long = (min(per_victim_ns(depth, **{kind: depth}) for _ in range(2)) for depth in (1_000, DEPTH))
        if long < GROWS * short or tried == 3:
            break
    assert long < GROWS * short


def test_entries_of_windows_that_left_do_not_pile_up() -> None:
    cache = checked_swa(swa_eviction=TAILS)
    for round_ in range(200):
        insert(cache, f"A{round_}:{round_ + 20}")
        cache.evict(full_tokens=20)
    assert len(cache.window._heap) < 100


# ---- the checks


def test_a_wrong_distance_is_found() -> None:
    cache = forked()._target
    node = cache.match(key("A12")).node
    node.swa_gap = 8
    found = f"node {node.id}: the next end of a branch or fork is 0 bytes away, it says 8"
    with pytest.raises(CacheIntegrityError, match=found):
        check_integrity(cache)


def test_a_window_that_nobody_queued_is_found() -> None:
    cache = forked()._target
    cache.window._heap.clear()
    with pytest.raises(CacheIntegrityError, match="says True of being queued"):
        check_integrity(cache)
