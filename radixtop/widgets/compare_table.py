"""A marked moment against now, as a table on screen."""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Size

from radixtop.comparison.page import Comparison
from radixtop.render.compare_lines import PINNED, compare_lines
from radixtop.render.lines import Line
from radixtop.widgets.line_view import LineView, Styles


class CompareTable(LineView, can_focus=True):
    """Shows a comparison; it scrolls where there is no room for all of it."""

    def __init__(self, styles: Styles) -> None:
        super().__init__(styles, pinned=PINNED, id="compare-table", classes="panel")
        self._comparison: Comparison | None = None
        self.border_title = "compare   A before the mark, B since"

    def show(self, comparison: Comparison | None) -> None:
        """Show a comparison; None before there is one."""
        self._comparison = comparison
        self.repaint()

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return the lines of the newest comparison."""
        return compare_lines(self._comparison, room.width)
