"""The contract of a theme, and the table of themes: a new one is one file in `themes/` and one line here.

A theme says what roles look like and what the frames around them look like, so that both change together. It knows
no widget: `render/palette.py` makes styles of it, `looks.py` a theme of Textual.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cache_core.registry import Registry
from radixtop.render.lines import Role

BASIC: Mapping[Role, str] = {
    "text": "",
    "dim": "dim",
    "label": "",
    "value": "bold",
    "head": "cyan",
    "accent": "bold cyan",
    "key": "bold yellow",
    "rule": "bright_black",
    "cursor": "default on default reverse",
    "title": "bold reverse",
    "tab": "bold reverse",
    "good": "green",
    "warn": "bold yellow",
    "bad": "bold red",
    "device": "green",
    "host": "cyan",
    "full": "yellow",
    "miss": "bright_black",
    "track": "bright_black",
    "protected": "blue",
    "held": "yellow",
    "evictable": "magenta",
    "free": "bright_black",
    "tombstone": "red",
    "ramp0": "green",
    "ramp1": "green",
    "ramp2": "bright_green",
    "ramp3": "bright_green",
    "flow0": "blue",
    "flow1": "bright_blue",
    "cost0": "magenta",
    "cost1": "bright_magenta",
}
"""Roles in the terminal's own colours, which bring no ground of their own."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Colours of what is no line of a panel: backgrounds, frames, the frame that has the focus."""

    background: str
    surface: str
    border: str
    focus: str
    secondary: str
    text: str


@dataclass(frozen=True, slots=True)
class Theme:
    """What the dashboard looks like.

    `roles` are for terminals with 256 colours or more; `basic` names the terminal's own 16, and says bold, dim and
    reverse as well, so that it still works without any colour.
    """

    summary: str
    roles: Mapping[Role, str]
    basic: Mapping[Role, str] = field(default_factory=lambda: BASIC)
    frame: Frame | None = None
    """None for the terminal's own colours, however many it has."""
    is_dark: bool = True
    is_ascii: bool = False
    """Whether nothing outside ASCII reaches the terminal."""


THEMES: Registry[Theme] = Registry(
    "theme",
    {
        "dark": "radixtop.themes.dark:THEME",
        "light": "radixtop.themes.light:THEME",
        "ansi": "radixtop.themes.ansi:THEME",
        "colorblind": "radixtop.themes.colorblind:THEME",
        "ascii": "radixtop.themes.ascii:THEME",
    },
)
"""In the order in which `T` goes through them."""
