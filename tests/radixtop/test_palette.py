"""What a terminal can show decides which styles it gets; every theme is in test_themes.py."""

from __future__ import annotations

import pytest

from radixtop.render.palette import depth_of, palette


@pytest.mark.parametrize(
    ("color_system", "no_color", "depth"),
    [("truecolor", False, "rgb"), ("256", False, "rgb"), ("standard", False, "ansi"), (None, False, "ansi"),
     ("truecolor", True, "ansi")],
)  # fmt: skip
def test_the_palette_follows_the_terminal(color_system: str | None, no_color: bool, depth: str) -> None:
    assert depth_of(color_system, no_color) == depth


def test_the_cursor_is_seen_without_colour() -> None:
    assert palette("dark", "ansi")["cursor"].reverse and palette("dark", "ansi")["tab"].reverse
