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
    """Lines on screen: the first `pinned` stay, the rest scrolls.

    A subclass says in `lines_for` what it shows in a room; who has nothing to compute calls `set_lines`.
    """

    DEFAULT_CSS = """
    LineView { scrollbar-size-vertical: 1; overflow-x: hidden; }
    """

    def __init__(self, styles: Styles, *, pinned: int = 0, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._roles = styles
        self._pinned = pinned
        self._lines: list[Line] = []
        self._strips: dict[int, Strip] = {}
        self._painted_room = Size(0, 0)

    @property
    def room(self) -> Size:
        """The cells that lines have."""
        return self.scrollable_content_region.size

    def pin(self, lines: int) -> None:
        """Let so many lines at the top stay when the rest scrolls."""
        self._pinned = lines

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return the lines to show in a room; here those that are shown already."""
        return self._lines

    def set_lines(self, lines: Sequence[Line]) -> None:
        """Show `lines`; only the rows that differ are refreshed."""
        old, self._lines = self._lines, list(lines)
        changed = [y for y in range(max(len(old), len(lines))) if old[y : y + 1] != self._lines[y : y + 1]]
        for y in changed:
            self._strips.pop(y, None)
        if len(old) != len(self._lines):
            self._fit_scrolling()
        if changed:
            self.refresh(*(self._region_of(y) for y in changed))

    def repaint(self) -> None:
        """Show what `lines_for` returns now."""
        room = self.room
        if room:
            if room.width != self._painted_room.width:
                self._strips.clear()
            self._painted_room = room
            self.set_lines(self.lines_for(room))

    def notify_style_update(self) -> None:
        """Draw every line anew: the theme has changed, or what the styles say of this widget."""
        super().notify_style_update()
        self._strips.clear()

    def on_resize(self) -> None:
        """Repaint for the new room, and scroll as far as there are lines."""
        self.repaint()
        self._fit_scrolling()

    def _fit_scrolling(self) -> None:
        self.virtual_size = Size(self.room.width, len(self._lines))

    def _region_of(self, y: int) -> Region:
        shown_y = y if y < self._pinned else y - self.scroll_offset.y
        return Region(0, shown_y, self.size.width, 1)

    def render_line(self, y: int) -> Strip:
        """Return the strip of one row of the view.

        The first frame is drawn before the event that tells of the size, so lines are made here for a new room.
        """
        room = self.room
        if room != self._painted_room:
            self._painted_room = room
            self._lines = list(self.lines_for(room))
            self._strips.clear()
        place = y if y < self._pinned else y + self.scroll_offset.y
        strip = self._strips.get(place)
        if strip is None:
            line = self._lines[place] if place < len(self._lines) else BLANK
            strip = self._strips[place] = strip_of(line, self._roles, room.width, self.rich_style)
        return strip
