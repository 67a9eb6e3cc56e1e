"""The requests on screen: a window of rows with a cursor, and the questions for other windows.

It never sees the log. It says which rows it wants, around which request, and shows the page that comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.strip import Strip

from radixtop.keymap import bindings
from radixtop.render.lines import Line
from radixtop.render.request_lines import columns_for, legend, nothing_in, request_line, rows_head, tabs
from radixtop.requestlog.page import BOTTOM, TOP, RequestRow, RequestsPage, RequestsQuestion
from radixtop.widgets.line_view import Styles, strip_of
from radixtop.widgets.rows_window import RowsWindow

_LEGEND_FROM = 16
"""With so many rows there is one for the legend."""


class RequestsList(RowsWindow):
    """Rows of requests; keys move the cursor, choose and order."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("requests")

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(styles, id=id, classes="panel")
        self._question = RequestsQuestion(count=50)
        self._page: RequestsPage | None = None
        self._remembers_all = True
        self._lacking = "window"
        self.border_title = "requests one by one"

    @property
    def question(self) -> RequestsQuestion:
        """Which rows it wants."""
        return replace(self._question, count=max(1, self.room.height - len(self._above(self.room))))

    @property
    def chosen(self) -> RequestRow | None:
        """The row under the cursor."""
        page = self._page
        place = -1 if page is None else page.place - page.first
        return page.rows[place] if page is not None and 0 <= place < len(page.rows) else None

    def show(self, page: RequestsPage | None, remembers_all: bool, lacking: str) -> None:
        """Show a page; one of other rows than are wanted now is left out. For the rest see `request_line`."""
        self._remembers_all, self._lacking = remembers_all, lacking
        wanted = self._question
        if page is not None and (page.question.choice, page.question.order) == (wanted.choice, wanted.order):
            self._page = page
            self._question = replace(wanted, first=page.first)
        self.repaint()

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return the choices and the rows."""
        lines = self._above(room)
        page = self._page
        if page is None:
            return [*lines, (("-", "dim"),)]
        columns = columns_for(room.width)
        lines += [request_line(columns, row, self._remembers_all, self._lacking) for row in page.rows]
        if not page.rows:
            lines.append(nothing_in(page))
        return lines[: room.height]

    def _above(self, room: Size) -> list[Line]:
        """Return the lines over the rows."""
        lines = [tabs(self._page, room.width)]
        if room.height >= _LEGEND_FROM:
            lines.append(legend(room.width, self._remembers_all, self._lacking))
        return [*lines, rows_head(room.width)]

    def render_line(self, y: int) -> Strip:
        """Return the strip of one row of the view, that of the cursor marked."""
        page = self._page
        if page is None or y != len(self._above(self.room)) + page.place - page.first or not page.rows:
            return super().render_line(y)
        super().render_line(y)
        line = self._lines[y] if y < len(self._lines) else ()
        return strip_of(line, self._roles, self.room.width, self.rich_style, self._roles["cursor"])

    # ---- the cursor

    def action_move(self, rows: int) -> None:
        """Move the cursor by rows."""
        page = self._page
        if page is None or not page.rows:
            return
        place = page.place + rows
        if place <= 0:
            self._go_to(TOP)
        elif place >= page.total - 1:
            self._go_to(BOTTOM if self._question.order != "newest" else self._number(page, page.total - 1))
        else:
            self._go_to(self._number(page, place))

    def _number(self, page: RequestsPage, place: int) -> int:
        """Return the request on a row, or the nearest one that the page tells of."""
        numbers = [*page.before, *(row.request for row in page.rows), *page.after]
        return numbers[max(0, min(place - page.first + len(page.before), len(numbers) - 1))]

    def action_page(self, pages: int) -> None:
        """Move the cursor by screens."""
        self.action_move(pages * max(1, self.question.count - 1))

    def action_edge(self, last: int) -> None:
        """Go to the first row, or to the last one."""
        self._go_to(BOTTOM if last else TOP)

    def _go_to(self, cursor: int) -> None:
        self._want(replace(self._question, cursor=cursor))

    def _want(self, question: RequestsQuestion) -> None:
        self._question = question
        self.ask()

    # ---- what is shown

    def action_choice(self) -> None:
        """Show the next choice of requests."""
        self._want(self._question.next_choice())

    def action_order(self) -> None:
        """Order them by the next figure."""
        self._want(self._question.next_order())

    def undo(self) -> bool:
        """Show all requests again, or go back to the first row; say whether there was anything to undo."""
        if self._question.choice != "all":
            self._want(self._question.choosing("all"))
        elif self._question.cursor != TOP:
            self._go_to(TOP)
        else:
            return False
        return True

    async def on_click(self, event: events.Click) -> None:
        """Put the cursor on the row; a second click explains it."""
        offset, page = event.get_content_offset(self), self._page
        if offset is None or page is None:
            return
        place = offset.y - len(self._above(self.room))
        if 0 <= place < len(page.rows):
            if page.first + place == page.place:
                await self.run_action("screen.open")
            else:
                self._go_to(page.rows[place].request)
