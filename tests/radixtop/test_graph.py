"""History graphs in braille."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixtop.render.graph import Plot, area_and_line, area_graph, ceiling, resample
from radixtop.render.lines import plain, width_of

SAMPLES = st.lists(st.none() | st.floats(0, 1e12), max_size=130)


def test_an_area_rises_with_its_samples() -> None:
    assert plain(area_graph((0, 1, 2, 3, 4, 5, 6, 8), Plot(4, 2, 8.0), ("flow0",))) == ["  ⢀⣼", "⣀⣴⣿⣿"]


def test_a_known_zero_is_drawn_and_an_unknown_sample_is_not() -> None:
    assert plain(area_graph((None, None, 0, 0), Plot(2, 1, 1.0), ("flow0",))) == [" ⣀"]


def test_a_line_above_an_area_has_its_own_role() -> None:
    graph = area_and_line((0.25, 0.25), (1.0, 1.0), Plot(1, 2, 1.0), ("ramp0",), "full")
    assert graph == [(("⠉", "full"),), (("⣤", "ramp0"),)]


def test_few_samples_are_stretched_and_many_are_averaged() -> None:
    assert resample((1.0, None), 4) == [1.0, 1.0, None, None]
    assert resample((1.0, 3.0, None, None), 2) == [2.0, None]
    assert resample((), 2) == [None, None]


def test_a_scale_ends_at_a_round_number() -> None:
    tops = [ceiling((top,)) for top in (0.0, 0.07, 1.0, 11.0, 1_930.0)]
    assert tops == pytest.approx([0.0, 0.08, 1.0, 12.0, 2_000.0])
    assert ceiling((None,), (3.0, None)) == 3.0


@given(SAMPLES, SAMPLES, st.integers(1, 80), st.integers(1, 12))
def test_a_graph_fills_its_room(area: list[float | None], line: list[float | None], width: int, rows: int) -> None:
    graph = area_and_line(area, line, Plot(width, rows, ceiling(area, line)), ("ramp0", "ramp1"), "full")
    assert [width_of(row) for row in graph] == [width] * rows
