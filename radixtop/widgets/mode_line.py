"""The lists of the tree by name, in a line that can be clicked, below what the current one says."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.geometry import Size
from textual.message import Message

from radixtop.messages import Frame
from radixtop.render.lines import Line
from radixtop.render.mode_lines import mode_line
from radixtop.tree.request import Mode
from radixtop.tree.rows import Standing
from radixtop.widgets.line_view import LineView, Styles
from radixtop.words.tree import answer, answer_of

_NOTHING = Standing("tree", 0, 0)


class ModeLine(LineView, can_focus=False):
    """Two lines: the answer of the current list in words, and the names of all lists."""

    class Chosen(Message):
        """Somebody clicked the name of a list."""

        def __init__(self, mode: Mode) -> None:
            self.mode = mode
            super().__init__()

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(styles, id=id)
        self._standing = _NOTHING
        self._frame: Frame | None = None
        self._mode: Mode = "tree"

    def show(self, frame: Frame, standing: Standing, mode: Mode) -> None:
        """Show what a list of a frame amounts to."""
        self._frame, self._standing, self._mode = frame, standing, mode
        self.repaint()

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return the answer and the names."""
        standing, frame = self._standing, self._frame
        said = answer(standing, room.width) if frame is None else answer_of(frame, standing, room.width)
        return [said, mode_line(self._mode)[0]]

    def on_click(self, event: events.Click) -> None:
        """Choose the list under the pointer."""
        if event.y == 1:
            for start, end, mode in mode_line(self._mode)[1]:
                if start <= event.x < end:
                    self.post_message(self.Chosen(mode))
