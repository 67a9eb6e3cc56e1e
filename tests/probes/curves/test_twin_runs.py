"""Twins of a pass say the same of what comes next, and leave each other alone."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from probes.curves.grid_pass import GridPass
from probes.curves.prompt import BlockPrompt
from probes.twins import twin_of
from profiles.trace import TraceRequest
from tests.support.drawn_traces import REQUESTS

SIZES = tuple(range(1, 13))


def hits(served: GridPass, requests: list[TraceRequest]) -> tuple[int, ...]:
    for request in requests:
        served.serve(request, is_counted=True)
    return served.hits()


@given(before=REQUESTS, after=REQUESTS, others=REQUESTS, most_runs=st.sampled_from([3, 1_000]))
def test_a_twin_goes_its_own_way(
    before: list[TraceRequest], after: list[TraceRequest], others: list[TraceRequest], most_runs: int
) -> None:
    first, alone = GridPass(SIZES, most_runs), GridPass(SIZES, most_runs)
    hits(first, before)
    twin = twin_of(first)
    hits(twin, others)
    again = twin_of(first)
    expected = hits(alone, before + after)
    assert hits(first, after) == expected
    assert hits(again, after) == expected


def test_paths_that_part_a_thousand_times_have_a_twin() -> None:
    grid = GridPass((1 << 16,))
    for length in range(3_000, 0, -1):
        path = array("q", [*range(length), -length]).tobytes()
        grid.serve(BlockPrompt(path, 1, length + 1), is_counted=True)
    twin = twin_of(grid)
    assert twin.hits() == grid.hits()
    whole = BlockPrompt(array("q", range(3_000)).tobytes(), 1, 3_000)
    before = twin.hits()[0]
    twin.serve(whole, is_counted=True)
    assert twin.hits()[0] - before == 3_000
    assert grid.hits()[0] == before
