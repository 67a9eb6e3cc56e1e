"""The findings on screen: a ranked list with a cursor, and everything about the one under it."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from profiles.finding import Finding
from radixtop.render.lines import Line
from radixtop.render.why_lines import SORTS, chosen, detail_lines, finding_row, nothing_in, quiet_lines, rows_head
from radixtop.why.page import WhyPage
from radixtop.why.trial import Trial
from radixtop.widgets.line_view import LineView, Styles, strip_of
from radixtop.widgets.rows_window import RowsWindow

_HEAD_LINES = 1


class WhyList(RowsWindow):
    """Rows of findings. The cursor stays on its finding whatever comes, and on the first one until it was moved."""

    class Moved(Message):
        """The cursor is on another finding, or what is known of it changed."""

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(styles, pinned=_HEAD_LINES, id=id, classes="panel")
        self._page: WhyPage | None = None
        self._rows: tuple[Finding, ...] = ()
        self._cursor: str | None = None
        self._sort = 0
        self.pattern = ""
        self.border_title = "findings"

    @property
    def page(self) -> WhyPage | None:
        """What is shown."""
        return self._page

    @property
    def chosen(self) -> Finding | None:
        """The finding under the cursor."""
        return self._rows[self._place] if self._rows else None

    @property
    def _place(self) -> int:
        names = [finding.name for finding in self._rows]
        return names.index(self._cursor) if self._cursor in names else 0

    def show(self, page: WhyPage | None) -> None:
        """Show a page."""
        self._page = page
        self._arrange()

    def filter_by(self, pattern: str) -> None:
        """Show only findings that have a text."""
        self.pattern = pattern
        self._arrange()

    def _arrange(self) -> None:
        findings = () if self._page is None else self._page.findings
        self._rows = chosen(findings, self.pattern, SORTS[self._sort])
        number = f"{len(self._rows)} of {len(findings)}" if self.pattern else str(len(findings))
        self.border_title = f"findings: {number}, by {SORTS[self._sort]}"
        self.repaint()
        self._scroll()
        self.post_message(self.Moved())

    def _scroll(self) -> None:
        """Keep the cursor in sight."""
        rows = max(1, self.room.height - _HEAD_LINES)
        first = min(self.scroll_offset.y, self._place)
        self.scroll_to(y=max(first, self._place - rows + 1), animate=False, force=True)

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        super().on_resize()
        self._scroll()

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return the titles and the rows."""
        lines = [rows_head(room.width)]
        if self._page is not None:
            lines += [finding_row(self._page, finding, room.width) for finding in self._rows]
        if not self._rows:
            lines.append(nothing_in(self._page, self.pattern))
        return lines

    def render_line(self, y: int) -> Strip:
        """Return the strip of one row of the view, that of the cursor marked."""
        strip = super().render_line(y)
        place = y + self.scroll_offset.y
        if not self._rows or y < _HEAD_LINES or place != _HEAD_LINES + self._place or place >= len(self._lines):
            return strip
        return strip_of(self._lines[place], self._roles, self.room.width, self.rich_style, self._roles["cursor"])

    # ---- the cursor

    def action_move(self, rows: int) -> None:
        """Move the cursor by rows."""
        if self._rows:
            place = max(0, min(self._place + rows, len(self._rows) - 1))
            self._cursor = self._rows[place].name
            self._arrange()

    def action_page(self, pages: int) -> None:
        """Move the cursor by screens."""
        self.action_move(pages * max(1, self.room.height - _HEAD_LINES - 1))

    def action_edge(self, last: int) -> None:
        """Go to the first row, or to the last one."""
        self.action_move(len(self._rows) if last else -len(self._rows))

    def order(self) -> None:
        """Order them by what comes next."""
        self._sort = (self._sort + 1) % len(SORTS)
        self._arrange()

    def undo(self) -> bool:
        """Drop the filter, or go back to the first row; say whether there was anything to undo."""
        if self.pattern:
            self.filter_by("")
        elif self._cursor is not None:
            self._cursor = None
            self._arrange()
        else:
            return False
        return True

    async def on_click(self, event: events.Click) -> None:
        """Put the cursor on the row; a second click opens it."""
        offset = event.get_content_offset(self)
        place = -1 if offset is None else offset.y - _HEAD_LINES + self.scroll_offset.y
        if offset is None or offset.y < _HEAD_LINES or not 0 <= place < len(self._rows):
            return
        if place == self._place:
            await self.run_action("screen.open")
        else:
            self.action_move(place - self._place)


class WhyDetail(LineView, can_focus=True):
    """Everything about one finding; it scrolls."""

    ALLOW_MAXIMIZE = True

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(styles, id=id, classes="panel")
        self._page: WhyPage | None = None
        self._finding: Finding | None = None
        self._trial: Trial | None = None
        self.border_title = "finding"

    def show(self, page: WhyPage | None, finding: Finding | None, trial: Trial | None = None) -> None:
        """Show a finding of a page and what is known of its change, from the first line on if it is another one."""
        if finding is None or self._finding is None or finding.name != self._finding.name:
            self.scroll_to(y=0, animate=False)
        self._page, self._finding, self._trial = page, finding, trial
        self.border_title = "what was looked at" if finding is None else finding.name
        self.repaint()

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return what is told of the finding."""
        if self._page is None:
            return ()
        if self._finding is None:
            return quiet_lines(self._page, room.width)
        return detail_lines(self._page, self._finding, room.width, self._trial)
