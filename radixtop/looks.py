"""What the app looks like now: styles for lines, a theme of Textual for frames, filters for the last step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter, NoColor
from textual.theme import BUILTIN_THEMES
from textual.theme import Theme as TextualTheme

from radixtop.render.glyphs import ascii_of
from radixtop.render.palette import Depth, Palette
from radixtop.theme import THEMES, Theme


class AsciiFilter(LineFilter):
    """Writes every strip in ASCII: lines, frames, titles, scrollbars, whatever a widget draws."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in ASCII."""
        return [
            segment if segment.control or segment.text.isascii() else segment._replace(text=ascii_of(segment.text))
            for segment in segments
        ]


class Looks:
    """The theme in use and what follows from it, on a terminal of one depth."""

    def __init__(self, depth: Depth, theme: str, *, is_ascii: bool = False, no_color: bool = False) -> None:
        self.palette = Palette(depth, theme)
        self._is_always_ascii = is_ascii
        self._ascii = AsciiFilter()
        self._no_color = NoColor() if no_color else None

    @property
    def name(self) -> str:
        """The theme in use."""
        return self.palette.theme

    @property
    def is_ascii(self) -> bool:
        """Whether nothing outside ASCII is written."""
        return self._is_always_ascii or self._theme.is_ascii

    @property
    def next_name(self) -> str:
        """The theme after the one in use."""
        return THEMES.names[(THEMES.names.index(self.name) + 1) % len(THEMES)]

    @property
    def filters(self) -> Sequence[LineFilter]:
        """What every strip goes through."""
        ours: list[LineFilter | None] = [self._ascii if self.is_ascii else None, self._no_color]
        return [each for each in ours if each is not None]

    @property
    def _theme(self) -> Theme:
        return THEMES.load(self.name)

    def use(self, name: str) -> TextualTheme:
        """Take a theme into use and return what Textual needs to know of it."""
        self.palette.use(name)
        return _textual_theme(f"radixtop-{name}", self._theme, self.palette.depth)


def _textual_theme(name: str, theme: Theme, depth: Depth) -> TextualTheme:
    frame = theme.frame
    if frame is None or depth == "ansi":
        return replace(BUILTIN_THEMES["ansi-dark" if theme.is_dark else "ansi-light"], name=name)
    return TextualTheme(
        name=name,
        primary=frame.focus,
        secondary=frame.secondary,
        foreground=frame.text,
        background=frame.background,
        surface=frame.surface,
        panel=frame.border,
        dark=theme.is_dark,
    )
