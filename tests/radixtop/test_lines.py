"""Lines keep their width, whatever text goes in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from radixtop.render.lines import beside, clean, ends, fit, left, plain, right, width_of
from radixtop.render.table import Column, arrange, head, row


def test_a_label_cannot_drive_the_terminal() -> None:
    assert clean("a\x1b[2Jb\n\x9b\u202ec") == "a·[2Jb···c"


def test_what_was_cut_is_marked() -> None:
    assert (left("abcdef", 4), right("abcdef", 4), right("ab", 4)) == ("abc…", "abc…", "  ab")


def test_the_end_of_a_line_wins_over_its_start() -> None:
    assert plain([ends((("abcdef", "text"),), (("xyz", "value"),), 6)]) == ["ab…xyz"]


@given(st.text(max_size=30), st.integers(0, 40))
def test_a_fitted_line_has_exactly_its_width(text: str, width: int) -> None:
    assert width_of(fit(((clean(text), "text"), ("漢字", "dim")), width)) == width


def test_blocks_stand_side_by_side() -> None:
    lines = beside([(("a", "text"),)], [(("b", "text"),), (("c", "text"),)], 3, "|")
    assert plain(lines) == ["a  |b", "   |c"]


def test_a_table_aligns_figures_at_the_right_and_drops_columns() -> None:
    columns = (Column("name", 0, at_left=True), Column("n", 3), Column("wide", 4, drop_below=20))
    narrow = arrange(columns, 10)
    assert plain([head(narrow), row(narrow, ["abc", "7", "x"])]) == ["name     n", "abc      7"]
    assert plain([head(arrange(columns, 20))]) == ["name          n wide"]
