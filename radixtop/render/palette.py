"""What a role looks like: one palette for terminals with 256 colours or more, one for the 16 basic ones.

The 16-colour palette keeps to the terminal's own colours and says bold, dim and reverse as well, so that it
still works when NO_COLOR takes its colours away.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from rich.style import Style

from radixtop.render.lines import Role

Depth = Literal["rgb", "ansi"]

BACKGROUND = "#10141b"
SURFACE = "#161b24"
BORDER = "#38445a"
FOCUS = "#6cb6ff"
TEXT = "#c3ccdb"

_RGB: Mapping[Role, str] = {
    "text": TEXT,
    "dim": "#66738a",
    "label": "#8b98ae",
    "value": "bold #edf2fa",
    "head": "#7d8ba3",
    "accent": "bold #6cb6ff",
    "key": "bold #ffd479",
    "rule": "#4a586e",
    "cursor": "on #24405f",
    "title": "bold #10141b on #6cb6ff",
    "tab": "bold #edf2fa on #24405f",
    "good": "#5fd7a7",
    "warn": "bold #ffc66d",
    "bad": "bold #ff7b86",
    "device": "#4fd0a5",
    "host": "#b5cc5f",
    "full": "#e8b45a",
    "miss": "#46536a",
    "track": "#364156",
    "protected": "#6cb6ff",
    "held": "#e8a05a",
    "evictable": "#a88bf0",
    "free": "#46536a",
    "tombstone": "#ff9aa2",
    "ramp0": "#2f8f79",
    "ramp1": "#3bb08f",
    "ramp2": "#4fd0a5",
    "ramp3": "#7ff0c6",
    "flow0": "#3f74b8",
    "flow1": "#7cc0ff",
    "cost0": "#8a6fd6",
    "cost1": "#c9b2ff",
}

_ANSI: Mapping[Role, str] = {
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


@cache
def palette(depth: Depth) -> Mapping[Role, Style]:
    """Return the ready-made style of every role, so that no line is parsed while drawing."""
    source = _RGB if depth == "rgb" else _ANSI
    return {role: Style.parse(definition) for role, definition in source.items()}


def depth_of(color_system: str | None, no_color: bool) -> Depth:
    """Return the palette that a terminal can show; `color_system` is rich's name for what it detected."""
    return "rgb" if color_system in ("256", "truecolor") and not no_color else "ansi"
