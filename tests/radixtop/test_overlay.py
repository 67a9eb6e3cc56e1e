"""Distributions over one another, and logarithmic graphs: worked examples."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.log_shape import PER_DECADE, LogShape, shape_of_bins
from radixtop.render.lines import plain, width_of
from radixtop.render.log_graph import LogPlot, bounds, log_graph
from radixtop.render.overlay import Overlaid, overlay
from radixtop.render.units import duration

NONE = LogShape()


def shape(first: int, *counts: int) -> LogShape:
    return shape_of_bins([0] * first + list(counts), 1.0)


def chart(first: LogShape, second: LogShape, third: LogShape = NONE, width: int = 8, rows: int = 4) -> list[str]:
    return plain(overlay(Overlaid(first, second, third), width, rows))


def test_what_two_have_in_common_has_a_sign_of_its_own() -> None:
    a, b = shape(72, 4, 4, 0, 0), shape(72, 0, 4, 4, 4)
    assert chart(a, b)[:4] == ["░░░░", "░░▓▓████", "░░▓▓████", "░░▓▓████"]


def test_a_third_is_drawn_as_a_line_over_both() -> None:
    assert chart(shape(72, 4), shape(72, 2, 2), shape(72, 1, 3))[:4] == ["░░░░", "░░░░○○○○", "▓▓▓▓████", "○○○○████"]


def test_the_axis_says_which_times_the_columns_are() -> None:
    axis = chart(shape(6 * PER_DECADE, *[1] * (4 * PER_DECADE)), NONE, width=40)[-2:]
    assert axis == ["┬─────────┬─────────┬─────────┬─────────", "1ms     10ms      0.1s       1s"]


def test_nothing_known_or_no_room_is_no_chart() -> None:
    assert chart(NONE, NONE) == [] == chart(shape(72, 1), NONE, width=7) == chart(shape(72, 1), NONE, rows=0)


@given(
    st.lists(st.lists(st.integers(0, 99), min_size=1, max_size=120), min_size=3, max_size=3),
    st.integers(8, 200),
    st.integers(1, 30),
)
def test_a_chart_keeps_to_its_room(counts: list[list[int]], width: int, rows: int) -> None:
    shapes = [shape_of_bins(held, 1.0) for held in counts]
    lines = overlay(Overlaid(*shapes), width, rows)
    assert len(lines) == (rows + 2 if any(each.count for each in shapes) else 0)
    assert all(width_of(line) <= width for line in lines)


@pytest.mark.parametrize(
    ("values", "found"),
    [((), (1.0, 10.0)), ((3.0, 70.0), (2.0, 100.0)), ((5.0,), (5.0, 10.0)), ((0.0, 1.2), (1.0, 2.0))],
)
def test_a_scale_runs_between_round_numbers(values: tuple[float, ...], found: tuple[float, float]) -> None:
    assert bounds(values) == pytest.approx(found)


@given(st.lists(st.floats(1e-3, 1e12), min_size=1, max_size=60))
def test_a_scale_holds_all_values(values: list[float]) -> None:
    low, high = bounds(values)
    assert low <= min(values) * (1 + 1e-9) and high >= max(values) * (1 - 1e-9) and high >= 2 * low * (1 - 1e-9)


def test_a_graph_has_its_bounds_and_powers_of_ten_at_the_left() -> None:
    lines = plain(log_graph((1e3, 1e6), (), LogPlot(9, 9, duration, ("cost0",), "warn")))
    assert [line[:6].strip() for line in lines] == ["1.00ms", "", "", "100µs", "", "", "10.0µs", "", "1.00µs"]
    assert lines[0][7:] == " ⣿" and lines[8][7:] == "⣀⣿"
