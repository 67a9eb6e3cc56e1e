"""The help screen says all it says in any width."""

from __future__ import annotations

import pytest

from radixtop.keymap import KEYS
from radixtop.render.flow import hanging
from radixtop.render.help_lines import help_lines
from radixtop.render.lines import plain, width_of

TOLD = [(key.place, key.sign, key.help) for key in KEYS]


@pytest.mark.parametrize("width", [36, 76, 104])
def test_help_is_broken_and_never_cut(width: int) -> None:
    lines = help_lines(TOLD, ["anywhere"], width)
    assert max(width_of(line) for line in lines) <= width
    text = " ".join(" ".join(plain(lines)).split())
    assert all(" ".join(key.help.split()) in text for key in KEYS)


def test_a_text_goes_on_below_where_it_began() -> None:
    lines = hanging((("  m  ", "key"),), ("mark this moment", "text"), 16)
    assert plain(lines) == ["  m  mark this", "     moment"]
    assert plain(hanging((("  m  ", "key"),), ("", "text"), 16)) == ["  m"]
