"""A window of rows with a cursor: what lists share whose rows stay with the polling thread."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import BindingType

from radixtop.keymap import ROWS, bindings
from radixtop.messages import QuestionsChanged
from radixtop.widgets.line_view import LineView

WHEEL_ROWS = 3


class RowsWindow(LineView, can_focus=True):
    """Asks for the rows that have room. A subclass has the question, shows pages and moves the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(ROWS)

    def ask(self) -> None:
        """Have the question asked as it is now."""
        self.app.post_message(QuestionsChanged())

    def on_resize(self) -> None:
        """Want as many rows as there is room for."""
        super().on_resize()
        self.ask()

    def action_move(self, rows: int) -> None:
        """Move the cursor by rows."""
        raise NotImplementedError

    def action_page(self, pages: int) -> None:
        """Move by screens."""
        raise NotImplementedError

    def action_edge(self, last: int) -> None:
        """Go to the first row, or to the last one."""
        raise NotImplementedError

    def roll(self, rows: int) -> None:
        """Do what the wheel does: move the cursor by rows."""
        self.action_move(rows)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Roll up."""
        event.stop()
        self.roll(-WHEEL_ROWS)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Roll down."""
        event.stop()
        self.roll(WHEEL_ROWS)
