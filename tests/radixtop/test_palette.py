"""Every role has a look on every kind of terminal."""

from __future__ import annotations

from typing import get_args

import pytest

from radixtop.render.lines import Role
from radixtop.render.palette import Depth, depth_of, palette


@pytest.mark.parametrize("depth", get_args(Depth))
def test_every_role_has_a_style(depth: Depth) -> None:
    assert set(palette(depth)) == set(get_args(Role))


def test_no_background_of_16_colours_is_forced_on_the_terminal() -> None:
    assert all(style.bgcolor is None or style.bgcolor.is_default for style in palette("ansi").values())


@pytest.mark.parametrize(
    ("color_system", "no_color", "depth"),
    [("truecolor", False, "rgb"), ("256", False, "rgb"), ("standard", False, "ansi"), (None, False, "ansi"),
     ("truecolor", True, "ansi")],
)  # fmt: skip
def test_the_palette_follows_the_terminal(color_system: str | None, no_color: bool, depth: str) -> None:
    assert depth_of(color_system, no_color) == depth


def test_the_cursor_is_seen_without_colour() -> None:
    assert palette("ansi")["cursor"].reverse and palette("ansi")["tab"].reverse
