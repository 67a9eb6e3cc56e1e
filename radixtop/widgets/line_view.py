"""A widget that shows lines of spans, and repaints only those that changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from radixtop.render.lines import BLANK, Line, Role, fit

Styles = Mapping[Role, Style]


def strip_of(line: Line, styles: Styles, width: int, base: Style, over: Style | None = None) -> Strip:
    """Return a line as a strip of `width` cells; roles are laid over `base`, and `over` over everything."""
    segments = [Segment(text, base + styles[role] + over) for text, role in fit(line, width)]
    return Strip(segments, width)


class LineView(ScrollView):
    """Lines on screen: the first `pinned` stay, the rest scrolls. Who owns the view calls `set_lines`."""

    DEFAULT_CSS = """
    LineView { scrollbar-size-vertical: 1; overflow-x: hidden; }
    """

    def __init__(self, styles: Styles, *, pinned: int = 0, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._roles = styles
        self._pinned = pinned
        self._lines: list[Line] = []
        self._strips: dict[int, tuple[int, Strip]] = {}

    @property
    def lines(self) -> list[Line]:
        """The lines as they are now."""
        return self._lines

    def set_lines(self, lines: Sequence[Line]) -> None:
        """Show `lines`; only the rows that differ are repainted."""
        old, self._lines = self._lines, list(lines)
        changed = [y for y in range(max(len(old), len(lines))) if old[y : y + 1] != self._lines[y : y + 1]]
        for y in changed:
            self._strips.pop(y, None)
        if len(old) != len(self._lines):
            self.virtual_size = Size(self.scrollable_content_region.width, len(self._lines))
        self._repaint(changed)

    def _repaint(self, changed: Sequence[int]) -> None:
        if not changed:
            return
        regions = [self._region_of(y) for y in changed]
        self.refresh(*regions)

    def _region_of(self, y: int) -> Region:
        shown_y = y if y < self._pinned else y - self.scroll_offset.y
        return Region(0, shown_y, self.size.width, 1)

    def render_line(self, y: int) -> Strip:
        """Return the strip of one row of the view."""
        width = self.scrollable_content_region.width
        place = y if y < self._pinned else y + self.scroll_offset.y
        known = self._strips.get(place)
        if known is not None and known[0] == width:
            return known[1]
        strip = strip_of(
            self._lines[place] if place < len(self._lines) else BLANK, self._roles, width, self.rich_style
        )
        self._strips[place] = (width, strip)
        return strip
