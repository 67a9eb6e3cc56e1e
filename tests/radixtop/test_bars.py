"""Bars fill exactly their cells, and say by glyph what they say by colour."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixtop.render.bars import Part, cells_of, gauge, stacked
from radixtop.render.lines import plain


@pytest.mark.parametrize(
    ("fraction", "text"),
    [(0.0, "········"), (0.5, "████····"), (0.45, "███▋····"), (0.001, "▏·······"), (2.0, "████████")],
)
def test_a_gauge_fills_by_eighths(fraction: float, text: str) -> None:
    assert plain([gauge(fraction, 8)]) == [text]


def test_an_unknown_gauge_is_not_an_empty_one() -> None:
    assert plain([gauge(None, 4)]) == ["----"]


def test_parts_of_a_bar_are_told_apart_by_glyph() -> None:
    parts = (Part(5, "█", "protected"), Part(3, "▒", "evictable"), Part(2, "·", "free"))
    assert plain([stacked(parts, 10)]) == ["█████▒▒▒··"]


def test_a_bar_of_nothing_is_unknown() -> None:
    assert plain([stacked((Part(0, "█", "held"),), 6)]) == ["------"]


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=6), st.integers(6, 200))
def test_cells_are_shared_out_without_rest(amounts: list[int], width: int) -> None:
    cells = cells_of(amounts, width)
    assert sum(cells) == (width if sum(amounts) else 0)
    assert all((n > 0) == (amount > 0) for n, amount in zip(cells, amounts, strict=True))


def test_an_amount_below_zero_gets_no_cell() -> None:
    assert cells_of([10**18, -5 * 10**17, 1], 10) == [9, 0, 1]
