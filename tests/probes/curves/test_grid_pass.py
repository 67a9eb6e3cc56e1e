"""A pass over some capacities says there what one over all of them says."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from probes.curves.grid_pass import GridPass
from probes.curves.one_pass import OnePass
from probes.curves.prompt import BlockPrompt
from probes.curves.scale import LARGEST, MOST_BLOCKS, block_tokens, capacities
from profiles.trace import TraceRequest
from tests.support.drawn_traces import REQUESTS


@given(requests=REQUESTS, grid=st.sets(st.integers(1, 40), min_size=1))
def test_it_hits_what_a_whole_curve_says(requests: list[TraceRequest], grid: set[int]) -> None:
    at_some, at_all = GridPass(sorted(grid)), OnePass(None)
    for number, each in enumerate(requests):
        at_some.serve(each, is_counted=number > 2)
        at_all.serve(each, is_counted=number > 2)
        if number % 5 == 0:
            at_some.hits()
    curve = at_all.curve()
    assert at_some.hits() == tuple(curve.hit_tokens(capacity) for capacity in sorted(grid))
    assert (at_some.requests, at_some.queried_tokens) == (curve.requests, curve.queried_tokens)
    assert not at_some.has_forgotten or max(grid) <= at_some.known_blocks


def prompt(*ids: int) -> BlockPrompt:
    return BlockPrompt(array("q", ids).tobytes(), 1, len(ids))


def test_too_many_runs_are_forgotten_and_told() -> None:
    grid, most = GridPass((1 << 20,), most_runs=2_000), 0
    for number in range(30_000):
        grid.serve(prompt(number, number), is_counted=True)
        most = max(most, grid._held // 8)
    assert grid.has_forgotten
    assert 0 < grid.known_blocks < most <= 2 * 2 * 2_000 + 2 * 4_096


def test_what_was_forgotten_is_hit_no_more_and_counts_stay() -> None:
    grid = GridPass((8,))
    for _ in range(2):
        grid.serve(prompt(1, 2, 3), is_counted=True)
    grid.forget()
    grid.serve(prompt(1, 2, 3), is_counted=True)
    assert (grid.hits(), grid.requests) == ((3,), 3)


@given(page=st.integers(1, 512), now=st.integers(1, 1 << 31))
def test_blocks_are_pages_until_there_are_too_many(page: int, now: int) -> None:
    tokens = block_tokens(page, now)
    assert tokens % page == 0
    assert LARGEST * now // tokens <= MOST_BLOCKS
    assert tokens == page or LARGEST * now // (tokens // 2) > MOST_BLOCKS


def test_what_there_is_half_and_twice_as_much_are_among_the_capacities() -> None:
    assert {500, 1_000, 2_000, 4_000} <= set(capacities(1_000))
    assert capacities(1) == (1, 2, 3, 4)
