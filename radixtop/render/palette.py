"""What a role looks like: the styles of a theme, for terminals with 256 colours or more and for those with fewer.

The styles for fewer keep to the terminal's own 16 colours and say bold, dim and reverse as well, so that they still
work when NO_COLOR takes the colours away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal

from rich.style import Style

from radixtop.render.lines import Role
from radixtop.theme import THEMES

Depth = Literal["rgb", "ansi"]


@cache
def palette(theme: str, depth: Depth) -> Mapping[Role, Style]:
    """Return the ready-made style of every role, so that no line is parsed while drawing."""
    chosen = THEMES.load(theme)
    source = chosen.roles if depth == "rgb" else chosen.basic
    return {role: Style.parse(definition) for role, definition in source.items()}


def depth_of(color_system: str | None, no_color: bool) -> Depth:
    """Return which styles a terminal can show; `color_system` is rich's name for what it detected."""
    return "rgb" if color_system in ("256", "truecolor") and not no_color else "ansi"


class Palette(Mapping[Role, Style]):
    """The styles of the theme in use. Every widget holds the same one, so that a change reaches them all."""

    def __init__(self, depth: Depth, theme: str = THEMES.names[0]) -> None:
        self.depth = depth
        self.theme = theme
        self._styles = palette(theme, depth)

    def use(self, theme: str) -> None:
        """Take the styles of another theme; what is drawn from now on has them."""
        self._styles = palette(theme, self.depth)
        self.theme = theme

    def __getitem__(self, role: Role) -> Style:
        return self._styles[role]

    def __iter__(self) -> Iterator[Role]:
        return iter(self._styles)

    def __len__(self) -> int:
        return len(self._styles)
