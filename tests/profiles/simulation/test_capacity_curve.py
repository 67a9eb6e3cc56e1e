"""The curve of one pass is what LRU hits at each capacity, run on its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core.errors import ConfigError
from probes.curves.depths import Depths
from probes.curves.recency import Run
from profiles.simulation import capacity_curve, simulate
from profiles.trace import TraceRequest
from tests.support.drawn_traces import REQUESTS, request


@given(requests=REQUESTS, warm_up=st.integers(0, 5))
def test_one_pass_says_what_a_run_at_each_capacity_says(requests: list[TraceRequest], warm_up: int) -> None:
    curve = capacity_curve(requests, warm_up)
    for capacity in (*range(30), 200):
        assert curve.hit_tokens(capacity) == simulate(requests, "lru", capacity, warm_up).hit_tokens
    ceiling = simulate(requests, "infinite", 0, warm_up)
    assert (curve.ceiling_hit_tokens, curve.queried_tokens) == (ceiling.hit_tokens, ceiling.queried_tokens)
    assert (curve.requests, curve.queried_blocks) == (ceiling.requests, ceiling.queried_blocks)


@given(requests=REQUESTS, largest=st.integers(0, 12))
def test_a_largest_capacity_changes_nothing_below_it(requests: list[TraceRequest], largest: int) -> None:
    whole, bounded = capacity_curve(requests), capacity_curve(requests, largest_blocks=largest)
    for capacity in range(largest + 1):
        assert bounded.hit_tokens(capacity) == whole.hit_tokens(capacity)
    assert bounded.ceiling_hit_tokens in (None, whole.ceiling_hit_tokens)


@given(requests=REQUESTS)
def test_prompts_may_be_shorter_than_their_blocks(requests: list[TraceRequest]) -> None:
    short = [TraceRequest(0, each.path, 4, each.prompt_tokens // 3) for each in requests]
    curve = capacity_curve(short)
    for capacity in range(20):
        assert curve.hit_tokens(capacity) == simulate(short, "lru", capacity).hit_tokens


def test_beyond_the_largest_capacity_nothing_is_known() -> None:
    curve = capacity_curve([request([1, 2, 3]), request([4, 5, 6])], largest_blocks=3)
    assert curve.ceiling_hit_tokens is None
    with pytest.raises(ValueError, match="beyond"):
        curve.hit_tokens(4)


def test_where_nothing_was_forgotten_the_largest_capacity_bounds_nothing() -> None:
    curve = capacity_curve([request([1, 2, 3])] * 2, largest_blocks=3)
    assert (curve.largest_blocks, curve.ceiling_hit_tokens, curve.hit_tokens(1_000)) == (None, 12, 12)


def test_points_begin_with_nothing_and_end_with_the_most() -> None:
    curve = capacity_curve([request([1, 2, 3], rest=2), request([4, 5]), request([1, 2, 3], rest=2)])
    assert curve.points[0] == (0, 0)
    assert curve.points[-1] == (5, 10)


def test_a_capacity_in_tokens_counts_blocks_of_mean_length() -> None:
    curve = capacity_curve([request([1, 2], rest=2)])
    assert curve.capacity_of(6) == 2
    assert capacity_curve([]).capacity_of(6) == 0


def test_a_largest_capacity_below_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match="largest_blocks is -1"):
        capacity_curve([], largest_blocks=-1)


def test_places_are_given_anew_without_runs_that_are_gone() -> None:
    depths = Depths()
    lasting = Run(bytes(8 * 5), 0, {})
    depths.add(lasting)
    for _ in range(20_000):
        passing = Run(bytes(16), 0, {})
        depths.add(passing)
        depths.sizes[passing.order] -= 16
        depths.groups[passing.order >> depths.bits] -= 16
        passing.ids = b""
    assert len(depths.sizes) <= 4_096
    assert depths.above(lasting) == 0
    depths.add(Run(bytes(24), 0, {}))
    assert depths.above(lasting) == 24
