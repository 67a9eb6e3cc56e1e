"""Scenarios S-11 to S-29 of the specification: the sliding window under direct inserts, page 1 and window 4
unless said."""

from __future__ import annotations

from array import array

import pytest

from tests.support.caches import fresh_slots, hits, insert, key, swa_cache
from tests.support.observe import free, ledger, rows, shape


def chain(cache: object, letter: str, *ends: int) -> None:
    """Insert growing prefixes of one stream."""
    for end in ends:
        insert(cache, f"{letter}{end}")


def test_s11_an_insert_recovers_the_tombstone_with_its_own_slots() -> None:
    cache = swa_cache()
    insert(cache, "A12", swa_from=8)
    assert (shape(cache), free(cache)) == ("0+8t 8+4S", (244, 252))
    assert hits(cache, "A8") == (0, 8)
    slots = cache.allocate(8)
    done = cache.insert(key("A8"), slots)
    assert done.present_tokens == 8
    assert done.adopted == {"full": [[0, 8]], "swa": [[0, 8]]}
    assert (shape(cache), free(cache)) == ("0+8S 8+4S", (244, 244))
    assert hits(cache, "A8") == (8, None)
    assert cache.match(key("A8")).slots() == slots


def test_s12_a_locked_tombstone_keeps_its_full_slots_and_takes_the_window() -> None:
    cache = swa_cache()
    insert(cache, "A12", swa_from=8)
    found = cache.match(key("A12"))
    held = found.slots()
    receipt = cache.lock(found.node)
    assert [(row.full_lock, row.swa_lock) for row in rows(cache)] == [(1, 0), (1, 1)]
    assert (ledger(cache)["full"].protected, ledger(cache)["swa"].protected) == (12, 4)
    done = cache.insert(key("A8"), cache.allocate(8))
    assert done.adopted == {"swa": [[0, 8]]}
    assert cache.match(key("A12")).slots() == held
    assert (shape(cache), free(cache)) == ("0+8S 8+4S", (244, 244))
    assert (ledger(cache)["swa"].evictable, ledger(cache)["swa"].protected) == (8, 4)
    cache.unlock(receipt)
    assert (ledger(cache)["full"].evictable, ledger(cache)["swa"].evictable) == (12, 12)


@pytest.mark.parametrize(
    ("swa_from", "tree", "queries"),
    [
        (5, "0+5t 5+3S 8+4S", {"A8": (0, 8)}),
        (4, "0+4t 4+4S 8+4S", {"A8": (8, None), "A7": (0, 7)}),
        (0, "0+8S 8+4S", {"A8": (8, None), "A7": (7, None)}),
    ],
)
def test_s13_recovery_starts_at_the_callers_frontier(swa_from: int, tree: str, queries: dict[str, object]) -> None:
    cache = swa_cache()
    insert(cache, "A12", swa_from=8)
    insert(cache, "A8", swa_from=swa_from)
    assert shape(cache) == tree
    assert {text: hits(cache, text) for text in queries} == queries


def test_s14_an_insert_without_window_slots_recovers_nothing() -> None:
    cache = swa_cache()
    insert(cache, "A12", swa_from=8)
    assert insert(cache, "A12", swa_from=8).present_tokens == 12
    assert (shape(cache), free(cache)) == ("0+8t 8+4S", (244, 252))


def test_s15_the_trees_own_slots_are_no_duplicates() -> None:
    cache = swa_cache()
    insert(cache, "A12", swa_from=8)
    found = cache.match(key("A12"))
    cache.insert(key("A12"), found.slots(), owned_tokens=12)
    assert (shape(cache), free(cache)) == ("0+8t 8+4S", (244, 252))


def test_s16_the_window_pool_gives_up_the_oldest_node_first() -> None:
    cache = swa_cache()
    chain(cache, "A", 2, 4, 6, 8, 10)
    trees = []
    for _ in range(4):
        gone = cache.evict(swa_tokens=1)
        assert (gone.full_tokens, gone.swa_tokens) == (0, 2)
        trees.append(shape(cache))
    assert trees == [
        "0+2t 2+2S 4+2S 6+2S 8+2S",
        "0+2t 2+2t 4+2S 6+2S 8+2S",
        "0+2t 2+2t 4+2t 6+2S 8+2S",
        "0+2t 2+2t 4+2t 6+2t 8+2S",
    ]
    gone = cache.evict(swa_tokens=1)
    assert (gone.full_tokens, gone.swa_tokens) == (2, 2)
    gone = cache.evict(swa_tokens=1)
    assert (gone.full_tokens, gone.swa_tokens) == (0, 0)


def test_s17_eviction_takes_whole_nodes() -> None:
    cache = swa_cache()
    chain(cache, "A", 2, 4, 6, 8, 10)
    assert cache.evict(swa_tokens=3).swa_tokens == 4
    assert shape(cache) == "0+2t 2+2t 4+2S 6+2S 8+2S"


@pytest.mark.parametrize(
    ("queries", "order"),
    [
        (["A12"], "A0 A2 A4 B0 B2 B4 A6 A8 A10"),
        (["A12", "B6"], "A0 A2 A4 A6 A8 A10 B0 B2 B4"),
        (["A12", "B6", "A4"], "A4 A6 A8 A10 B0 B2 B4 A0 A2"),
    ],
)
def test_s18_a_match_refreshes_one_window_and_a_page(queries: list[str], order: str) -> None:
    cache = swa_cache()
    chain(cache, "A", 2, 4, 6, 8, 10, 12)
    chain(cache, "B", 2, 4, 6)
    for text in queries:
        hits(cache, text)
    assert window_order(cache) == order


def window_order(cache: object) -> str:
    """Evict the window pool node by node and return in which order the nodes of streams A and B went."""
    gone = []
    live = live_windows(cache)
    while cache.evict(swa_tokens=1).swa_tokens:
        left = live_windows(cache)
        gone += [name for name in live if name not in left]
        live = left
    return " ".join(gone)


def live_windows(cache: object) -> list[str]:
    """Name each node with live window data by its stream and start."""
    return [f"{'A' if row.key[0] < 100_000 else 'B'}{row.start}" for row in rows(cache) if row.live]


def test_s19_an_idle_branch_loses_its_window_before_a_busy_one() -> None:
    cache = swa_cache()
    chain(cache, "B", 4, 8, 12, 16)
    chain(cache, "A", 4, 8, 12, 16)
    hits(cache, "A16")
    gone = cache.evict(swa_tokens=16)
    assert (gone.full_tokens, gone.swa_tokens) == (4, 16)
    assert hits(cache, "B16") == (0, 12)
    assert hits(cache, "A16") == (16, None)


@pytest.mark.parametrize(
    ("swa_from", "leaf", "hit"),
    [
        (0, "8+4S", (12, None)),
        (4, "8+4S", (12, None)),
        (8, "8+4S", (12, None)),
        (10, "8+2t 10+2S", (8, 12)),
        (12, "8+4t", (8, 12)),
    ],
)
def test_s20_a_leaf_is_live_from_the_frontier_on(swa_from: int, leaf: str, hit: tuple[int, int | None]) -> None:
    cache = swa_cache()
    insert(cache, "A8")
    insert(cache, "A8 B4", swa_from=swa_from)
    assert shape(cache) == f"0+4S 4+4S {leaf}"
    assert hits(cache, "A8 B4") == hit


@pytest.mark.parametrize(
    ("page", "window", "length", "swa_from", "tree"),
    [
        (1, 4, 4, 0, "0+4S"),
        (1, 4, 5, 0, "0+1S 1+4S"),
        (1, 4, 12, 0, "0+8S 8+4S"),
        (1, 4, 12, 2, "0+2t 2+6S 8+4S"),
        (4, 6, 24, 0, "0+16S 16+8S"),
        (4, 6, 16, 0, "0+8S 8+8S"),
    ],
)
def test_s21_a_live_leaf_ends_in_one_window(page: int, window: int, length: int, swa_from: int, tree: str) -> None:
    cache = swa_cache(page=page, window=window)
    insert(cache, f"A{length}", swa_from=swa_from)
    assert shape(cache) == tree


def test_s22_a_leaf_behind_the_frontier_is_a_tombstone() -> None:
    cache = swa_cache()
    insert(cache, "A12", swa_from=12)
    assert (shape(cache), free(cache)) == ("0+12t", (244, 256))
    assert hits(cache, "A12") == (0, 12)


def test_s23_a_hit_needs_a_window_of_live_tokens_or_no_gap_at_all() -> None:
    cache = swa_cache()
    insert(cache, "A8")
    insert(cache, "A20", swa_from=14)
    assert shape(cache) == "0+4S 4+4S 8+6t 14+2S 16+4S"
    expected = {8: (8, None), 10: (8, 10), 14: (8, 14), 17: (8, 17), 18: (18, None), 20: (20, None)}
    assert {length: hits(cache, f"A{length}") for length in expected} == expected


def test_s24_a_tombstone_in_front_rejects_what_is_shorter_than_a_window() -> None:
    cache = swa_cache(window=8)
    chain(cache, "A", 3, 6, 9, 12, 15)
    assert [hits(cache, f"A{length}")[0] for length in (3, 6, 9, 12, 15)] == [3, 6, 9, 12, 15]
    assert cache.evict(swa_tokens=6).swa_tokens == 6
    expected = {3: (0, 3), 6: (0, 6), 9: (0, 9), 12: (0, 12), 14: (14, None), 15: (15, None)}
    assert {length: hits(cache, f"A{length}") for length in expected} == expected


@pytest.mark.parametrize(
    ("window", "length", "swa_from", "expected"),
    [
        (5, 16, 8, {16: (16, None), 12: (0, 12)}),
        (6, 16, 8, {16: (16, None), 12: (0, 12)}),
        (8, 16, 8, {16: (16, None), 12: (0, 12)}),
        (5, 16, 12, {16: (0, 16)}),
        (6, 16, 12, {16: (0, 16)}),
        (8, 16, 12, {16: (0, 16)}),
        (4, 16, 12, {16: (16, None), 12: (0, 12)}),
        (6, 24, 12, {24: (24, None), 20: (20, None), 16: (0, 16)}),
    ],
)
def test_s25_windows_that_are_no_multiple_of_the_page(
    window: int, length: int, swa_from: int, expected: dict[int, object]
) -> None:
    cache = swa_cache(page=4, window=window)
    insert(cache, f"A{length}", swa_from=swa_from)
    assert {size: hits(cache, f"A{size}") for size in expected} == expected


@pytest.mark.parametrize(
    ("page", "inserts", "tree", "broken", "mended"),
    [
        (1, [("A4", 0), ("A6", 6)], "0+4S 4+2t", (4, 6), (6, None)),
        (4, [("A4", 0), ("A8", 0), ("A12", 12)], "0+4S 4+4S 8+4t", (8, 12), (12, None)),
    ],
)
def test_s26_a_leaf_without_window_is_recovered_by_the_next_insert(
    page: int, inserts: list[tuple[str, int]], tree: str, broken: tuple[int, int], mended: tuple[int, None]
) -> None:
    cache = swa_cache(page=page)
    for text, swa_from in inserts:
        insert(cache, text, swa_from=swa_from)
    whole = inserts[-1][0]
    assert (shape(cache), hits(cache, whole)) == (tree, broken)
    insert(cache, whole)
    assert hits(cache, whole) == mended


def test_s27_a_short_window_pool_gives_up_windows_and_keeps_the_tree() -> None:
    cache = swa_cache(slots=64, swa_slots=16)
    insert(cache, "A16")
    assert free(cache) == (48, 0)
    slots = cache.allocate(4)
    assert (shape(cache), free(cache)) == ("0+12t 12+4S", (44, 8))
    cache.free(slots)
    assert free(cache) == (48, 12)


def test_s28_an_unlocked_leaf_goes_whole_even_for_the_window_pool() -> None:
    cache = swa_cache()
    insert(cache, "A4")
    insert(cache, "B4")
    hits(cache, "A4")
    gone = cache.evict(swa_tokens=1)
    assert (gone.full_tokens, gone.swa_tokens) == (4, 4)
    assert hits(cache, "A4") == (4, None)


def test_s29_what_a_deleted_leaf_frees_counts_for_both_pools() -> None:
    cache = swa_cache()
    insert(cache, "A8")
    insert(cache, "B8")
    gone = cache.evict(full_tokens=8, swa_tokens=8)
    assert (gone.full_tokens, gone.swa_tokens) == (8, 8)
    assert (hits(cache, "A8")[0], hits(cache, "B8")[0]) == (0, 8)


def test_allocated_slots_come_with_their_peers() -> None:
    cache = swa_cache()
    slots = fresh_slots(cache, 4)
    assert isinstance(slots, array)
    assert free(cache) == (252, 252)
    cache.free(slots)
    assert free(cache) == (256, 256)
