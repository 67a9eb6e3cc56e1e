"""Tokens of paths: what two prompts have in common is their common blocks, to the token."""

from __future__ import annotations

from array import array
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core import CacheConfig, PrefixCache, RadixKey
from cache_core.key import common_tokens
from profiles.trace import TraceError, TraceRequest
from profiles.trace_format import open_trace
from profiles.trace_tokens import OWN_TOKENS, TraceTokens
from tests.support.made_traces import ids_of, public_trace

IDS = st.sampled_from([0, 1, 2, OWN_TOKENS - 1, OWN_TOKENS, OWN_TOKENS + 1, 1 << 40, -1, -(1 << 63), (1 << 63) - 1])


def request(ids: list[int], block_tokens: int = 8, short_by: int = 0) -> TraceRequest:
    tokens = len(ids) * block_tokens - short_by
    return TraceRequest(0, array("q", ids).tobytes(), block_tokens, tokens)


def common_blocks(one: TraceRequest, other: TraceRequest) -> int:
    pairs = list(zip(ids_of(one), ids_of(other), strict=False))
    return next((place for place, (a, b) in enumerate(pairs) if a != b), len(pairs))


def shared(one: bytes, other: bytes) -> int:
    return common_tokens(RadixKey(one), RadixKey(other)) if one and other else 0


@given(st.lists(st.lists(IDS, min_size=1, max_size=6), min_size=2, max_size=6), st.sampled_from([1, 2, 3, 16, 512]))
def test_prompts_share_the_tokens_of_their_common_blocks(paths: list[list[int]], block_tokens: int) -> None:
    made = TraceTokens()
    requests = [request(path, block_tokens) for path in paths]
    tokens = [made.tokens(each) for each in requests]
    for (one, first), (other, second) in combinations(zip(requests, tokens, strict=True), 2):
        assert shared(first, second) == one.tokens_of(common_blocks(one, other))


@given(st.lists(IDS, min_size=1, max_size=6), st.integers(0, 7))
def test_a_last_block_in_part_begins_as_the_whole_block_does(ids: list[int], short_by: int) -> None:
    made = TraceTokens()
    short, whole = made.tokens(request(ids, short_by=short_by)), made.tokens(request(ids))
    assert len(short) == 4 * (8 * len(ids) - short_by)
    assert whole.startswith(short)


@given(st.lists(IDS, min_size=1, max_size=6))
def test_every_token_is_one_that_a_key_takes(ids: list[int]) -> None:
    made = TraceTokens()
    tokens = array("i", made.tokens(request(ids))), array("i", made.ids(request(ids))), array("i", made.fresh(5))
    assert all(min(some) >= 0 for some in tokens)


@given(st.lists(st.lists(IDS, min_size=1, max_size=6), min_size=2, max_size=6))
def test_one_token_for_each_id_tells_as_much(paths: list[list[int]]) -> None:
    made = TraceTokens()
    requests = [request(path) for path in paths]
    for one, other in combinations(requests, 2):
        assert shared(made.ids(one), made.ids(other)) == common_blocks(one, other)


def test_tokens_of_a_trace_of_tokens_stay_as_they_are() -> None:
    ids = [151_644, 8_948, 198, 0]
    assert array("i", TraceTokens().tokens(request(ids, block_tokens=1))).tolist() == ids


def test_what_has_no_id_is_shared_with_nothing() -> None:
    made = TraceTokens()
    longer = TraceRequest(0, array("q", [1]).tobytes(), 8, 11)
    first, second = made.tokens(longer), made.tokens(longer)
    assert len(first) == len(second) == 44
    assert shared(first, second) == 8
    assert shared(made.fresh(9), made.fresh(9)) == 0
    assert made.fresh(0) == b""


def test_blocks_that_are_longer_in_another_prompt_are_shared_as_far_as_both_go() -> None:
    made = TraceTokens()
    short, long = made.tokens(request([5, 6], block_tokens=300)), made.tokens(request([5, 6], block_tokens=420))
    assert shared(short, long) == 300


@pytest.mark.parametrize("page", [1, 16, 48, 64, 512])
def test_a_cache_finds_the_common_blocks_down_to_its_page(page: int) -> None:
    cache = PrefixCache(CacheConfig(page_size=page, components=("full",), full_slots=512 * 48))
    made = TraceTokens()
    first, second = request([1, 2, 1 << 50, 4], 512, short_by=100), request([1, 2, 1 << 50, 5, 6], 512)
    admitted = cache.admit(RadixKey(made.tokens(first)))
    admitted.prefill(first.prompt_tokens)
    admitted.finish()
    hit = cache.match(RadixKey(made.tokens(second))).hit_tokens
    assert hit == 3 * 512 // page * page


def test_more_ids_than_there_are_tokens_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    made = TraceTokens()
    made._fresh = OWN_TOKENS + 3
    made.tokens(request([-1, -2]))
    made.fresh(1)
    with pytest.raises(TraceError, match="the trace has more than 536,870,912 different ids and outputs"):
        made.tokens(request([-3]))
    with pytest.raises(TraceError, match="replay a part of it"):
        made.fresh(1)


@pytest.mark.needs("traces")
def test_a_cache_of_public_prompts_finds_what_their_paths_share() -> None:
    cache = PrefixCache(CacheConfig(page_size=64, components=("full",), full_slots=1 << 23))
    made, known, expected = TraceTokens(), set[tuple[int, ...]](), []
    hits = []
    for each, _ in zip(
        open_trace(public_trace("mooncake_fast25_conversation_dev6000.jsonl.gz")), range(200), strict=False
    ):
        ids = ids_of(each)
        prefixes = [tuple(ids[:length]) for length in range(1, len(ids) + 1)]
        found = sum(prefix in known for prefix in prefixes)
        expected.append(min(each.tokens_of(found), each.prompt_tokens - 1) // 64 * 64)
        known.update(prefixes)
        admitted = cache.admit(RadixKey(made.tokens(each)))
        hits.append(admitted.hit_tokens)
        admitted.prefill(each.prompt_tokens)
        admitted.finish()
    assert hits == expected
    assert sum(hits) > 10_000
