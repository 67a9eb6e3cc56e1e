"""Scenarios S-01 to S-10 of the specification: the tree with the Full component alone."""

from __future__ import annotations

import pytest

from tests.support.caches import admit, full_cache, hits, insert, key, run, tokens
from tests.support.observe import free, ledger, rows, shape


def test_s01_match_splits_and_insert_adds_only_what_is_new() -> None:
    cache = full_cache()
    assert insert(cache, "A8").present_tokens == 0
    assert hits(cache, "A8")[0] == 8
    assert hits(cache, "A5 X1")[0] == 5
    assert shape(cache) == "0+5 5+3"
    assert insert(cache, "A5 Y2").present_tokens == 5
    assert shape(cache) == "0+5 5+3 5+2"
    assert ledger(cache)["full"].evictable == 10


def test_s01_a_repeated_insert_frees_its_duplicates() -> None:
    cache = full_cache()
    insert(cache, "A5 Y2")
    before = free(cache)
    assert insert(cache, "A5 Y2").present_tokens == 7
    assert free(cache) == before


def test_s01_an_evicted_leaf_goes_whole() -> None:
    cache = full_cache()
    insert(cache, "A8")
    hits(cache, "A5 X1")
    insert(cache, "A5 Y2")
    assert cache.evict(full_tokens=1).full_tokens == 3
    assert shape(cache) == "0+5 5+2"
    assert ledger(cache)["full"].evictable == 7


def test_s02_lengths_are_whole_pages() -> None:
    cache = full_cache(page=4)
    insert(cache, "A8")
    assert [hits(cache, text)[0] for text in ("A8", "A7", "A3", "A6 X4")] == [8, 4, 0, 4]
    assert shape(cache) == "0+4 4+4"
    assert insert(cache, "A6 Y2").present_tokens == 4
    assert len(rows(cache)) == 3
    assert ledger(cache)["full"].evictable == 12


def test_s03_namespaces_share_nothing() -> None:
    cache = full_cache()
    insert(cache, "A4")
    insert(cache, "A4", extra_key="lora")
    insert(cache, "A4", cache_salt="s1")
    insert(cache, "A4", cache_salt="")
    assert len(rows(cache)) == 3
    assert ledger(cache)["full"].evictable == 12
    assert cache.match(key("A4", extra_key="unknown")).hit_tokens == 0


def test_s04_edges_that_part_within_a_page_are_siblings() -> None:
    cache = full_cache(page=4)
    insert(cache, "A3 X1")
    insert(cache, "A3 Y1")
    assert shape(cache) == "0+4 0+4"
    assert hits(cache, "A3 Z1")[0] == 0


def test_s05_less_than_a_page_leaves_no_trace() -> None:
    cache = full_cache(page=4)
    assert insert(cache, "A3").present_tokens == 0
    assert insert(cache, "").present_tokens == 0
    assert hits(cache, "")[0] == 0
    assert rows(cache) == []
    assert free(cache) == (256,)


def test_s06_inserts_count_hits_and_raise_priorities() -> None:
    cache = full_cache()
    for text in ("A4", "A4", "A2 B2"):
        insert(cache, text)
    assert [(row.start, row.length, row.hits) for row in rows(cache)] == [(0, 2, 3), (2, 2, 2), (2, 2, 1)]
    insert(cache, "A4", priority=3)
    assert [(row.hits, row.priority) for row in rows(cache)] == [(4, 3), (3, 3), (1, 0)]


@pytest.mark.parametrize("hit_rule", ["request", "insert"])
def test_s06_a_prompt_in_chunks_counts_one_hit(hit_rule: str) -> None:
    cache = full_cache(hit_rule=hit_rule, split_recency="reference")
    insert(cache, "A4")
    request = cache.admit(key("A12"))
    for upto in (6, 9, 12):
        request.prefill(upto)
    assert rows(cache)[0].hits == 2


@pytest.mark.parametrize(
    ("split_recency", "left"),
    [
        ("reference", "0+4 4+4"),  # the unmatched suffix is stamped by the split, so B is the older one
        ("keep", "0+4 0+8"),  # the suffix keeps its age, so it goes before B
    ],
)
@pytest.mark.parametrize("query", ["A4", "A4 X1"])
def test_s07_what_a_read_split_does_to_the_age_of_the_suffix(split_recency: str, left: str, query: str) -> None:
    cache = full_cache(split_recency=split_recency)
    insert(cache, "A8")
    insert(cache, "B8")
    hits(cache, query)
    cache.evict(full_tokens=1)
    assert shape(cache) == left


def test_s08_prompt_and_output_are_separate_nodes_and_the_prompt_ranks_higher() -> None:
    cache = full_cache()
    request = admit(cache, "A10", prefilled=False)
    request.prefill(10, cache=False)
    for token in tokens("B4"):
        request.decode(token)
    request.finish()
    assert [(row.start, row.length, row.priority, row.hits) for row in rows(cache)] == [(0, 10, 1, 1), (10, 4, 0, 1)]


def test_s08_a_repeated_prompt_is_matched_up_to_its_last_token() -> None:
    cache = full_cache()
    run(cache, "A10", "B4")
    request = admit(cache, "A10", prefilled=False)
    assert request.hit_tokens == 9
    assert shape(cache) == "0+9 9+1 10+4"
    request.prefill(10)
    for token in tokens("B4"):
        request.decode(token)
    request.finish()
    # one hit per request and node: the count of the first request was copied by the splits
    assert [row.hits for row in rows(cache)] == [2, 2, 2]


def test_s09_the_partial_tail_page_stays_with_the_request() -> None:
    cache = full_cache(page=4, slots=128)
    request = cache.admit(key("A10"))
    request.prefill(10, cache=False)
    assert free(cache) == (116,)
    request.retract()
    request = admit(cache, "A10")
    assert shape(cache) == "0+8"
    assert len(request.row()) == 10
    for token in tokens("B3"):
        request.decode(token)
    assert free(cache) == (112,)
    request.finish()
    assert [(row.start, row.length, row.priority) for row in rows(cache)] == [(0, 8, 1), (8, 4, 0)]
    assert (ledger(cache)["full"].evictable, free(cache)) == (12, (116,))


def test_s10_two_identical_prompts_end_on_one_node() -> None:
    cache = full_cache(slots=128)
    first, second = cache.admit(key("A10")), cache.admit(key("A10"))
    first.prefill(10, cache=False)
    second.prefill(10, cache=False)
    assert free(cache) == (108,)
    first.retract()
    second.retract()
    first, second = cache.admit(key("A10")), cache.admit(key("A10"))
    first.prefill(10)
    second.prefill(10)
    assert free(cache) == (118,)
    assert first.row() == second.row()
    assert [(row.length, row.full_lock) for row in rows(cache)] == [(10, 2)]
    first.finish()
    second.finish()
    assert (ledger(cache)["full"].evictable, free(cache)) == (10, (118,))
