"""The help screen: every key, and what the signs mean."""

from __future__ import annotations

from collections.abc import Sequence

from radixtop.keymap import Key, places_of
from radixtop.render.help_lines import help_lines
from radixtop.screens.overlay import Overlay
from radixtop.widgets.line_view import Styles


class HelpScreen(Overlay):
    """Every key of the key map, those of the view in sight first."""

    def __init__(self, styles: Styles, view: str, keys: Sequence[Key]) -> None:
        told = [(key.place, key.sign, key.help) for key in keys]
        super().__init__(styles, "help", lambda width: help_lines(told, places_of(view), width))
