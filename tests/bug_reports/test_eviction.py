"""Reports B21 to B28: how much eviction frees, what it takes first, what it costs, and how deep a tree may be."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import thread_time_ns

import pytest

from cache_core import PrefixCache, RadixKey, check_integrity, pretty_print
from cache_core.evictor import Incremental
from cache_core.kv_events import KVEvents
from cache_core.policy import POLICIES
from probes.adapters.embedded import EmbeddedAdapter
from tests.support.caches import admit, chain, full_cache, hits, insert, key, swa_cache
from tests.support.checked_cache import checked_full, checked_swa
from tests.support.observe import free, ledger, rows

EVICTORS = ("incremental", "rebuild")

# ---- B21: no more than needed


@pytest.mark.parametrize("evictor", EVICTORS)
@pytest.mark.parametrize("policy", POLICIES.names)
def test_b21_a_shortfall_is_freed_and_no_more(policy: str, evictor: str) -> None:
    cache = checked_full(slots=160, policy=policy, evictor=evictor)
    for leaf in range(10):
        insert(cache, f"{'ABCDEFGHIJ'[leaf]}10")
    assert free(cache) == (60,)
    gone = cache.evict(full_tokens=100 - 60)
    assert (gone.full_tokens, gone.victims, free(cache)) == (40, 4, (100,))


@pytest.mark.parametrize("evictor", EVICTORS)
def test_b21_an_allocation_evicts_its_shortfall(evictor: str) -> None:
    cache = checked_full(slots=160, evictor=evictor)
    for letter in "ABCDEFGHIJ":
        insert(cache, f"{letter}10")
    assert len(cache.allocate(100)) == 100
    assert (ledger(cache)["full"].evictable, free(cache)) == (60, (0,))


@pytest.mark.parametrize("evictor", EVICTORS)
def test_b21_one_large_leaf_goes_whole(evictor: str) -> None:
    cache = checked_full(evictor=evictor)
    insert(cache, "A64")
    assert cache.evict(full_tokens=40).full_tokens == 64


@pytest.mark.parametrize("evictor", EVICTORS)
def test_b21_with_nothing_evictable_eviction_ends_at_once(evictor: str) -> None:
    cache = checked_swa(evictor=evictor)
    assert cache.evict(full_tokens=40, swa_tokens=40).full_tokens == 0
    request = admit(cache, "A40")
    gone = cache.evict(full_tokens=40, swa_tokens=4)
    assert (gone.full_tokens, gone.victims) == (0, 1)  # the token behind the locked window
    request.retract()


@pytest.mark.parametrize("asked", [1, 7, 8, 9, 23, 24, 25, 79, 80, 81, 500])
@pytest.mark.parametrize("page", [1, 8])
def test_b21_eviction_stops_within_one_node_of_what_was_asked(page: int, asked: int) -> None:
    cache = checked_full(page=page)
    for letter in "ABCDEFGHIJ":
        insert(cache, f"{letter}8")
    assert cache.evict(full_tokens=asked).full_tokens == min(80, pages_of(asked, 8))


def pages_of(tokens_: int, page: int) -> int:
    """Round up to whole pages."""
    return -(-tokens_ // page) * page


# ---- B22: the price of one victim among many


def filled(leaves: int, evictor: str = "incremental", page: int = 4, policy: str = "lru") -> PrefixCache:
    """Return a full pool of one-page leaves, the leaf of number n of the tokens (n, n, ...)."""
    cache = full_cache(page=page, slots=leaves * page, evictor=evictor, policy=policy)
    for number in range(leaves):
        put(cache, number)
    assert free(cache) == (0,)
    return cache


def put(cache: PrefixCache, number: int) -> None:
    """Insert a leaf of one page; a full pool gives up another one for it."""
    page = cache.config.page_size
    cache.insert(RadixKey([number] * page), cache.allocate(page))


def best_step_ns(cache: PrefixCache, number: int, batches: int = 20, steps: int = 50) -> float:
    """Return the time of one eviction with the insert that takes its place: the best of some batches."""
    best = float("inf")
    for _ in range(batches):
        began = thread_time_ns()
        for _ in range(steps):
            cache.evict(full_tokens=1)
            put(cache, number)
            number += 1
        best = min(best, (thread_time_ns() - began) / steps)
    return best


@pytest.mark.one_backend("cost")
def test_b22_a_victim_costs_about_the_same_among_any_number_of_leaves() -> None:
    few, many = (best_step_ns(filled(leaves), number=leaves) for leaves in (1_000, 41_000))
    assert many <= 5 * few, f"{few:.0f} ns among 1,000 leaves, {many:.0f} ns among 41,000"


@pytest.mark.one_backend("evictor")
@pytest.mark.parametrize("policy", POLICIES.names)
def test_b22_the_victims_are_those_of_a_full_sort(policy: str) -> None:
    leaves = 60
    caches = [filled(leaves, evictor, page=1, policy=policy) for evictor in EVICTORS]
    dice = random.Random(7)
    for step in range(2 * leaves):
        touched = dice.randrange(leaves + step)
        for cache in caches:
            cache.match(RadixKey([touched]))
            cache.evict(full_tokens=1)
            put(cache, leaves + step)
        assert [row.key for row in rows(caches[0])] == [row.key for row in rows(caches[1])]


@pytest.mark.one_backend("cost")
@pytest.mark.parametrize("policy", POLICIES.names)
def test_b22_stale_entries_are_bounded(policy: str) -> None:
    cache = filled(200, page=1, policy=policy)
    dice = random.Random(3)
    for step in range(3_000):
        cache.match(RadixKey([dice.randrange(200 + step)]))
        cache.unlock(cache.lock(cache.match(RadixKey([200 + step - 1])).node))
        put(cache, 200 + step)
    evictor = cache.full.evictor
    assert isinstance(evictor, Incremental)
    assert len(evictor._heap) <= 2 * 200 + Incremental.SLACK


# ---- B24: hits count


@pytest.mark.parametrize("evictor", EVICTORS)
@pytest.mark.parametrize("policy", ["lfu", "slru"])
def test_b24_what_requests_asked_for_more_often_stays(policy: str, evictor: str) -> None:
    cache = checked_full(policy=policy, evictor=evictor)
    for text in ("A4", "B4") if policy == "lfu" else ("B4", "A4"):
        served(cache, text)
    for _ in range(3):
        served(cache, "A4")
    if policy == "lfu":
        served(cache, "B4")  # the last to be used, and yet the one to go
    assert cache.evict(full_tokens=4).full_tokens == 4
    assert (hits(cache, "A4")[0], hits(cache, "B4")[0]) == (4, 0)


def served(cache: object, text: str) -> None:
    """Admit a request and finish it."""
    admit(cache, text).finish()


def test_b24_a_bare_match_counts_nothing() -> None:
    cache = checked_full(policy="lfu")
    served(cache, "A4")
    served(cache, "B4")
    served(cache, "B4")
    for _ in range(50):
        hits(cache, "A4")
    cache.evict(full_tokens=4)
    assert (hits(cache, "A4")[0], hits(cache, "B4")[0]) == (0, 4)


@pytest.mark.parametrize("cut", [1, 4, 7])
def test_b24_after_a_split_both_halves_keep_the_count_of_what_was_hit(cut: int) -> None:
    cache = checked_full(policy="lfu")
    for _ in range(3):
        insert(cache, "A8")
    served(cache, f"A{cut} B4")
    assert [(row.start, row.length, row.hits) for row in rows(cache)] == [
        (0, cut, 4), (cut, 8 - cut, 3), (cut, 4, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("chunk", [1, 3, 12])
def test_b24_a_burst_of_chunks_of_one_request_is_one_hit(chunk: int) -> None:
    cache = checked_full(policy="slru")
    request = admit(cache, "A12", prefilled=False)
    for upto in range(chunk, 13, chunk):
        request.prefill(upto)
    request.finish()
    assert {row.hits for row in rows(cache)} == {1}


# ---- B28: depth

DEPTH = 2_500


@contextmanager
def default_recursion_limit() -> Iterator[None]:
    """Run with the limit that Python starts with, whatever a test runner set."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def use_and_empty(cache: PrefixCache, depth: int = DEPTH) -> None:
    """Do everything that walks a tree on a chain of so many levels, and evict it."""
    assert (ledger(cache)["full"].evictable, cache.stats()["depth"]) == (depth, depth)
    found = cache.match(key(f"A{depth}"))
    assert (found.full_hit_tokens, len(found.slots())) == (depth, found.hit_tokens)
    cache.unlock(cache.lock(found.node))
    assert len(pretty_print(cache).splitlines()) == depth
    check_integrity(cache)
    assert cache.evict(full_tokens=depth).full_tokens == depth
    assert cache.stats()["nodes"] == 0


@pytest.mark.parametrize("make", [full_cache, swa_cache], ids=["full", "full+swa"])
def test_b28_a_tree_of_2500_levels_is_used_shown_and_evicted(make: object) -> None:
    with default_recursion_limit():
        cache = make(slots=DEPTH)
        chain(cache, DEPTH)
        use_and_empty(cache)


def test_b28_a_prompt_in_chunks_of_one_token_is_as_deep() -> None:
    depth = 1_200
    with default_recursion_limit():
        cache = full_cache(slots=depth)
        request = admit(cache, f"A{depth}", prefilled=False)
        for upto in range(1, depth + 1):
            request.prefill(upto)
        request.retract()
        assert ledger(cache)["full"].held == 0
        use_and_empty(cache, depth)


def test_b28_names_of_blocks_content_keys_and_a_snapshot_reach_the_deepest_node() -> None:
    with default_recursion_limit():
        cache = full_cache(slots=DEPTH)
        chain(cache, DEPTH)
        cache.attach_sink(EmbeddedAdapter())
        found = cache.match(key(f"A{DEPTH}"))
        assert len(list(cache.snapshot_records())) >= DEPTH
        assert found.node.content_key
        assert len(set(block_names(KVEvents(cache)))) == DEPTH


def block_names(events: KVEvents) -> list[int]:
    """Return the hashes of all blocks of a cache, each made from that of the block above."""
    return [name for event in events.take() for name in getattr(event, "block_hashes", ())]


@pytest.mark.one_backend("cost")
def test_b28_matching_costs_its_path_once() -> None:
    """Eight times the depth costs about eight times as much, not sixty-four: nothing is copied per level."""
    shallow, deeper = (match_ns(depth) for depth in (1_000, 8_000))
    assert deeper <= 30 * shallow, f"{shallow} ns at 1,000 levels, {deeper} ns at 8,000"


def match_ns(depth: int, tries: int = 30) -> int:
    """Return the time of a match of a chain of so many nodes: the best of some tries."""
    cache = full_cache(slots=depth)
    chain(cache, depth)
    wanted = key(f"A{depth}")
    best = sys.maxsize
    for _ in range(tries):
        began = thread_time_ns()
        assert cache.match(wanted).hit_tokens == depth
        best = min(best, thread_time_ns() - began)
    return best
