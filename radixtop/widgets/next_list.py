"""The list of what goes next on screen, with a cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Size

from radixtop.eviction.page import NextPage
from radixtop.keymap import ROWS, bindings
from radixtop.messages import NodeChosen
from radixtop.render.lines import Line
from radixtop.render.next_lines import HEAD_LINES, next_lines, next_note, next_title
from radixtop.widgets.line_view import LineView, Styles


class NextList(LineView, can_focus=True):
    """Shows the newest page; the cursor stays on its place, whatever node is there."""

    ALLOW_MAXIMIZE = True
    BINDINGS: ClassVar[list[BindingType]] = bindings(ROWS)

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(styles, pinned=HEAD_LINES, id=id, classes="panel")
        self._page: NextPage | None = None
        self._now = 0
        self._cursor = 0
        self._entitle()

    def show(self, page: NextPage | None, now: int) -> None:
        """Show a page as of a time."""
        self._page, self._now = page, now
        self._entitle()
        self.repaint()

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return the lines of the page, the cursor on one that there is."""
        self._cursor = max(0, min(self._cursor, self._count - 1))
        return next_lines(self._page, self._now, self._cursor if self.has_focus else -1, room.width)

    def action_move(self, rows: int) -> None:
        """Move the cursor, and scroll so that it stays in sight."""
        self._cursor = max(0, min(self._cursor + rows, self._count - 1))
        top, seen = self.scroll_offset.y, self.room.height - HEAD_LINES
        if self._cursor < top or self._cursor >= top + seen:
            self.scroll_to(y=self._cursor if self._cursor < top else self._cursor - seen + 1, animate=False)
        self.repaint()

    def action_page(self, pages: int) -> None:
        """Move the cursor by screens."""
        self.action_move(pages * max(1, self.room.height - HEAD_LINES - 1))

    def action_edge(self, last: int) -> None:
        """Go to the first row, or to the last one."""
        self.action_move(self._count if last else -self._count)

    def open_row(self) -> bool:
        """Post the node under the cursor; say whether there is one."""
        if not self._count or self._page is None:
            return False
        self.app.post_message(NodeChosen(self._page.rows[self._cursor].node))
        return True

    def on_focus(self) -> None:
        """Show the cursor."""
        self.repaint()

    def on_blur(self) -> None:
        """Hide the cursor."""
        self.repaint()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on a row; a second click opens it."""
        offset = event.get_content_offset(self)
        if offset is not None and offset.y >= HEAD_LINES:
            self.action_move(offset.y - HEAD_LINES + self.scroll_offset.y - self._cursor)
            if event.chain > 1:
                self.open_row()

    @property
    def _count(self) -> int:
        return 0 if self._page is None else len(self._page.rows)

    def _entitle(self) -> None:
        title, note = next_title(self._page), next_note(self._page)
        if (title, note) != (self.border_title, self.border_subtitle):
            self.border_title, self.border_subtitle = title, note
