"""Charts of windows in titled frames: where the newest requests ended, and what lacks its window by depth."""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Size

from probes.builtin.branching import BranchingSample, Kind
from radixtop.render.boundary_lines import boundary_lines
from radixtop.render.lines import Line
from radixtop.render.tombstone_lines import tombstone_lines
from radixtop.requestlog.page import RequestsPage
from radixtop.swa.page import Tombstones
from radixtop.widgets.line_view import LineView, Styles


class BoundaryChart(LineView, can_focus=False):
    """Both hit boundaries of the newest requests."""

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(styles, pinned=1, id=id, classes="panel")
        self._page: RequestsPage | None = None
        self._fates: dict[int, Kind] = {}
        self.border_title = "both boundaries of the newest requests"
        self.border_subtitle = "█ usable  ▒ known, not usable  ◇ branching point  · the rest"

    def show(self, page: RequestsPage | None, branching: BranchingSample | None) -> None:
        """Show requests and what became of their branching points; those that were shown stay until others come."""
        self._page = page or self._page
        self._fates = {event.request: event.kind for event in reversed(branching.recent if branching else ())}
        self.repaint()

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return a head and a line for each."""
        rows = () if self._page is None else self._page.rows
        return boundary_lines(rows, self._fates, room.width)[: room.height]


class DepthChart(LineView, can_focus=False):
    """Tombstones by depth."""

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(styles, id=id, classes="panel")
        self._found: Tombstones | None = None
        self.border_title = "windows by depth"
        self.border_subtitle = "tokens, by where in the key their node starts"

    def show(self, found: Tombstones | None) -> None:
        """Show a count; the one that was shown stays until another comes."""
        self._found = found or self._found
        self.repaint()

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return a bar for each depth."""
        return tombstone_lines(self._found, room.width, room.height)
