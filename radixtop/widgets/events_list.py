"""The stream of events on screen: a window of it, a cursor, and the questions for other windows.

It never sees the log. It says which events it wants, by the number of the last one, and shows the page that comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Size

from radixtop.eventlog.page import NEWEST, EventRow, EventsPage, EventsQuestion
from radixtop.keymap import bindings
from radixtop.messages import NodeChosen
from radixtop.render.event_lines import FOOT_LINES, EventsLook, choice_at, event_lines, rows_in
from radixtop.render.lines import Line
from radixtop.widgets.line_view import Styles
from radixtop.widgets.rows_window import RowsWindow


class EventsList(RowsWindow):
    """Follows the newest events until the cursor is moved back, and again when it is told to."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("events")

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(styles, id=id, classes="panel")
        self._look = EventsLook()
        self._anchor = NEWEST
        self._page: EventsPage | None = None
        self.border_title = "events"

    @property
    def question(self) -> EventsQuestion:
        """Which events it wants."""
        return EventsQuestion(rows_in(self.room.height), self._anchor, self._look.choice, self._look.text)

    def offer(self, choices: tuple[str, ...]) -> None:
        """Offer some kinds of events alone: those that the source can tell."""
        if choices != self._look.choices and self._look.choice in choices:
            self._look = replace(self._look, choices=choices)

    def show(self, page: EventsPage | None) -> None:
        """Show a page; one for other events than are wanted now is left out."""
        if page is not None and page.question != self.question:
            return
        self._page = page
        if page is not None and page.rows:
            self._place_cursor(page.rows)
        self.repaint()

    def _place_cursor(self, rows: Sequence[EventRow]) -> None:
        """Keep the cursor on its event, or the nearest in sight; on the newest one while it follows."""
        wanted = rows[-1].number if self._look.follows else self._look.cursor
        nearest = min(rows, key=lambda row: abs(row.number - wanted))
        self._look = replace(self._look, cursor=nearest.number)

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return the lines of the newest page."""
        return event_lines(self._page, self._look, room.width, room.height)

    # ---- the cursor

    def action_move(self, rows: int) -> None:
        """Move the cursor by rows; the window moves when the cursor would leave it."""
        page = self._page
        if page is None or not page.rows:
            return
        place = self._cursor_place(page) + rows
        last = len(page.rows) - 1
        if place < 0:
            self._go_to(page.rows[max(0, last + place)].number, page.rows[0].number - 1)
        elif place <= last:
            self._go_to(page.rows[-1].number, page.rows[place].number)
        elif page.below:
            number = page.below[min(place - last, len(page.below)) - 1]
            self._go_to(number, number)

    def _cursor_place(self, page: EventsPage) -> int:
        return next((i for i, row in enumerate(page.rows) if row.number == self._look.cursor), len(page.rows) - 1)

    def _go_to(self, anchor: int, cursor: int) -> None:
        """Stop following: the last row is `anchor`, the cursor is on `cursor` or near it."""
        self._anchor = anchor
        self._look = replace(self._look, follows=False, cursor=cursor)
        self.repaint()
        self.ask()

    def action_page(self, pages: int) -> None:
        """Move the window by screens."""
        page = self._page
        if page is None or not page.rows:
            return
        if pages < 0:
            self._go_to(page.rows[0].number, page.rows[0].number)
        elif page.below:
            self._go_to(page.below[-1], page.below[-1])

    def action_edge(self, last: int) -> None:
        """Go to the oldest event that is kept, or follow the newest."""
        if last:
            self._follow()
        else:
            self._go_to(0, 0)

    def _follow(self) -> None:
        self._anchor = NEWEST
        self._look = replace(self._look, follows=True)
        self.repaint()
        self.ask()

    def action_toggle_follow(self) -> None:
        """Follow the newest events, or stay where they are now."""
        if not self._look.follows:
            self._follow()
        elif self._page is not None and self._page.rows:
            self._go_to(self._page.rows[-1].number, self._look.cursor)

    def roll(self, rows: int) -> None:
        """Move the window: the cursor first goes to the edge of it."""
        place = 0 if self._page is None else self._cursor_place(self._page)
        last = 0 if self._page is None else len(self._page.rows) - 1
        self.action_move(rows + (last - place if rows > 0 else -place))

    def on_click(self, event: events.Click) -> None:
        """Choose the kind that is clicked, or put the cursor on a row; a second click opens it."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        if offset.y == 1:
            choice = choice_at(offset.x, self.room.width, self._look.choices)
            if choice is not None:
                self._choose(choice)
        elif self._page is not None:
            place = offset.y - (self.room.height - FOOT_LINES - len(self._page.rows))
            if 0 <= place < len(self._page.rows):
                self._go_to(self._page.rows[-1].number, self._page.rows[place].number)
                if event.chain > 1:
                    self.open_row()

    # ---- what is shown

    @property
    def pattern(self) -> str:
        """The text that the events have."""
        return self._look.text

    def filter_by(self, text: str) -> None:
        """Show only events that have a text; "" shows all."""
        self._look = replace(self._look, text=text)
        self.repaint()
        self.ask()

    def action_kind(self, step: int) -> None:
        """Show the next kind of events."""
        choices = self._look.choices
        self._choose(choices[(choices.index(self._look.choice) + step) % len(choices)])

    def _choose(self, choice: str) -> None:
        self._look = replace(self._look, choice=choice)
        self.repaint()
        self.ask()

    def action_times(self) -> None:
        """Show times since the start, or before now."""
        self._look = replace(self._look, is_relative=not self._look.is_relative)
        self.repaint()

    def open_row(self) -> bool:
        """Show everything about the node that the event under the cursor is about; say whether it is about one."""
        rows = self._page.rows if self._page is not None else ()
        row = next((row for row in rows if row.number == self._look.cursor), None)
        if row is None or row.node <= 0:
            return False
        self.app.post_message(NodeChosen(row.node))
        return True

    def undo(self) -> bool:
        """Undo one step: the text, the kind, the place; say whether there was one."""
        if self._look.text:
            self.filter_by("")
        elif self._look.choice != "all":
            self._choose("all")
        elif not self._look.follows:
            self._follow()
        else:
            return False
        return True
