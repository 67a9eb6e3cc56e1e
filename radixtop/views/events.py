"""The stream of what happens."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widget import Widget

from probes.builtin.event_log import EventLogSample
from radixtop.eventlog.kinds import CHOICES_OUTSIDE
from radixtop.eventlog.page import EventsPage
from radixtop.question import Question
from radixtop.scene import Scene
from radixtop.view import FilteredView
from radixtop.widgets.events_list import EventsList
from radixtop.widgets.line_view import Styles
from radixtop.words.outside import is_outside


class Events(FilteredView):
    """What requests, inserts, evictions and locks do, one line each, the newest at the bottom."""

    DEFAULT_CSS = """
    #events-rows { height: 1fr; overflow: hidden hidden; }
    """

    def __init__(self, name: str, styles: Styles) -> None:
        super().__init__(name, styles)
        self.rows = EventsList(styles, id="events-rows")

    def compose(self) -> ComposeResult:
        """Yield the rows."""
        yield self.rows

    def show(self, scene: Scene) -> None:
        """Show the page that came."""
        if scene.frame.snapshot is not None and is_outside(scene.frame.snapshot):
            self.rows.offer(CHOICES_OUTSIDE)
        self.rows.show(scene.frame.answer(EventsPage))

    def questions(self) -> tuple[Question, ...]:
        """Return the one for the events in sight."""
        return (self.rows.question,)

    def focus_target(self) -> Widget:
        """Return the rows."""
        return self.rows

    def open(self) -> bool:
        """Open the node of the event under the cursor."""
        return self.rows.open_row()

    def back(self) -> bool:
        """Drop the text or the kind, or follow again."""
        return self.rows.undo()

    def samples(self) -> tuple[type, ...]:
        """Return the count of events."""
        return (EventLogSample,)

    @property
    def pattern(self) -> str:
        """The text that the events have."""
        return self.rows.pattern

    def filter_by(self, pattern: str) -> None:
        """Show only the events that have a text."""
        self.rows.filter_by(pattern)
