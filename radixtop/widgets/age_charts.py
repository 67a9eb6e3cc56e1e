"""Charts of ages in titled frames: of what was evicted, and of what is there now."""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Size

from probes.builtin.ages import AgesSample
from radixtop.ages.page import ResidentPage
from radixtop.render.age_lines import evicted_lines, resident_lines, resident_note
from radixtop.render.lines import Line, clean
from radixtop.widgets.line_view import LineView, Styles


class EvictedChart(LineView, can_focus=True):
    """Idle times when evicted against reuse gaps, of one component."""

    ALLOW_MAXIMIZE = True

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(styles, id=id, classes="panel")
        self._sample: AgesSample | None = None
        self._component = ""
        self.border_title = "when evicted, when reused"
        self.border_subtitle = "figures are p50"

    def show(self, sample: AgesSample | None, component: str) -> None:
        """Show a sample."""
        self._sample, self._component = sample, component
        self.border_title = f"when evicted, when reused: {clean(component)}"
        self.repaint()

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return the legend and the chart."""
        return evicted_lines(self._sample, self._component, room.width, room.height)


class ResidentChart(LineView, can_focus=True):
    """Ages of what is there now, by tokens."""

    ALLOW_MAXIMIZE = True

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(styles, id=id, classes="panel")
        self._page: ResidentPage | None = None
        self.border_title = "what is cached now, by tokens"

    def show(self, page: ResidentPage | None) -> None:
        """Show a page."""
        self._page = page
        self.border_subtitle = resident_note(page)
        self.repaint()

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return the legend and the chart."""
        return resident_lines(self._page, room.width, room.height)
