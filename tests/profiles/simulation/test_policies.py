"""Every policy against a cache with a node for every block, and what the policies are to each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core.errors import ConfigError
from cache_core.registry import UnknownNameError
from profiles.simulation import BLOCK_POLICIES, simulate
from profiles.trace import TraceRequest
from tests.support.drawn_traces import REQUESTS, request
from tests.support.naive_block_caches import hits_of, order_blind_hits

CAPACITIES = st.integers(0, 24)
NAIVE = ("lru", "fifo", "leaf_fifo", "lfu", "slru", "optimal")


def served(requests: list[TraceRequest], policy: str, capacity: int) -> list[int]:
    return list(BLOCK_POLICIES.load(policy)(capacity).serve(requests))


@given(requests=REQUESTS, capacity=CAPACITIES)
def test_every_request_hits_what_a_node_for_every_block_hits(requests: list[TraceRequest], capacity: int) -> None:
    for policy in NAIVE:
        assert served(requests, policy, capacity) == hits_of(requests, policy, capacity), policy


@given(requests=REQUESTS)
def test_with_room_for_everything_every_policy_reaches_the_ceiling(requests: list[TraceRequest]) -> None:
    ceiling = served(requests, "infinite", 0)
    for policy in NAIVE:
        assert served(requests, policy, 1_000) == ceiling, policy


@given(requests=REQUESTS, capacity=CAPACITIES)
def test_no_policy_hits_more_blocks_than_the_optimum(requests: list[TraceRequest], capacity: int) -> None:
    best = simulate(requests, "optimal", capacity)
    for policy in BLOCK_POLICIES:
        if policy not in ("optimal", "infinite"):
            assert simulate(requests, policy, capacity).hit_blocks <= best.hit_blocks, policy


@given(requests=REQUESTS, capacity=CAPACITIES)
def test_what_is_dropped_is_what_came_in_and_is_not_there(requests: list[TraceRequest], capacity: int) -> None:
    for policy in ("lru", "fifo", "leaf_fifo", "lfu", "slru"):
        found = simulate(requests, policy, capacity)
        assert 0 <= found.dropped_blocks <= found.queried_blocks
        if capacity >= found.queried_blocks:
            assert found.dropped_blocks == 0


def test_without_a_tree_nothing_is_hit() -> None:
    assert simulate([request([1, 2])] * 3, "chunk", 10).hit_tokens == 0


def test_the_block_hash_control_hits_whole_blocks_only_and_never_the_last_token() -> None:
    whole, broken = request([1, 2]), request([1, 2, 3], rest=1)
    assert served([whole, whole, broken, broken], "block_hash", 10) == [0, 1, 2, 2]
    assert served([whole, whole, broken, broken], "lru", 10) == [0, 2, 2, 3]


def test_a_fifo_loses_the_root_that_a_tree_would_keep() -> None:
    requests = [request([1, 2]), request([1, 3]), request([1, 4])]
    assert served(requests, "fifo", 2) == [0, 1, 0]
    assert served(requests, "leaf_fifo", 2) == [0, 1, 1]


def test_the_first_requests_warm_up_and_are_not_counted() -> None:
    requests = [request([1, 2, 3], rest=1), request([1, 2, 3], rest=1), request([9])]
    found = simulate(requests, "lru", 10, warm_up_requests=1)
    assert (found.requests, found.queried_tokens, found.hit_tokens) == (2, 13, 9)
    assert (found.queried_blocks, found.hit_blocks) == (4, 3)


def test_a_trace_that_is_all_warm_up_has_no_hit_rate() -> None:
    assert simulate([request([1])], "lru", 10, warm_up_requests=5).hit_rate is None


def test_requests_may_come_from_a_generator() -> None:
    assert simulate((request([1]) for _ in range(4)), "optimal", 1).hit_blocks == 3


def test_an_unknown_policy_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown policy 'belady'.*optimal"):
        simulate([], "belady", 1)


@pytest.mark.parametrize("policy", BLOCK_POLICIES)
def test_a_capacity_below_nothing_is_refused(policy: str) -> None:
    with pytest.raises(ConfigError, match="capacity_blocks is -1"):
        simulate([], policy, -1)


def test_an_order_blind_cache_says_more_than_a_prefix_cache_can_hit() -> None:
    requests = [request([first, 7, 8, 9]) for first in range(1, 11)]
    found = simulate(requests, "infinite", 0)
    assert found.hit_blocks == 0, "no two prompts begin alike"
    assert sum(order_blind_hits(requests)) / found.queried_blocks > 0.6
