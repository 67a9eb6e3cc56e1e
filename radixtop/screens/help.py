"""The help screen: every key, and what the signs mean."""

from __future__ import annotations

from radixtop.keymap import KEYS
from radixtop.render.help_lines import help_lines
from radixtop.screens.overlay import Overlay
from radixtop.widgets.line_view import Styles


class HelpScreen(Overlay):
    """Every key of the key map, those of the view in sight first."""

    def __init__(self, styles: Styles, view: str) -> None:
        super().__init__(styles, "help")
        self._near = view

    def on_mount(self) -> None:
        """Show the lines."""
        self._view.set_lines(help_lines([(key.place, key.sign, key.help) for key in KEYS], self._near))
