"""The timeline on screen: a click goes to the moment under the pointer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.geometry import Size

from radixtop.messages import MomentWanted
from radixtop.render.lines import Line
from radixtop.widgets.line_view import LineView

if TYPE_CHECKING:
    from probes.travel.moment import Moment
    from radixtop.playing.transport import Course


class TimelineBar(LineView, can_focus=False):
    """Shows where in a run one is."""

    _moment: Moment | None = None
    _course: Course | None = None

    def show(self, moment: Moment | None, course: Course | None) -> None:
        """Show a moment and the run that it is of."""
        self._moment, self._course = moment, course
        self.repaint()

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return the timeline for the width."""
        if self._moment is None:
            return ()
        from radixtop.render.timeline import timeline_lines  # not for the first frame

        return timeline_lines(self._course, self._moment, room.width)

    def on_click(self, event: events.Click) -> None:
        """Go to the moment under the pointer."""
        from radixtop.render.timeline import strip_of  # not for the first frame

        at = None if self._moment is None else strip_of(self._moment, self.room.width).time_at(event.x)
        if at is not None:
            event.stop()
            self.app.post_message(MomentWanted(at))
