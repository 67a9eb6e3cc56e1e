"""The first lines of a view: its answer in words, broken to the width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.geometry import Size

from radixtop.render.flow import flow
from radixtop.render.lines import Line
from radixtop.widgets.line_view import LineView, Styles


class AnswerView(LineView):
    """Shows words in as many lines as the view's styles give it."""

    SCOPED_CSS: ClassVar[bool] = False
    """So that the rules below go by the classes of the screen."""

    DEFAULT_CSS = """
    AnswerView { height: 3; padding: 0 1; overflow: hidden hidden; }
    .-narrow AnswerView { height: 5; }
    .-wide AnswerView, .-huge AnswerView { height: 2; }
    .-tall AnswerView, .-towering AnswerView { margin: 1 0; }
    """

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(styles, id=id)
        self._words: Line = ()

    def say(self, words: Line) -> None:
        """Show these words."""
        self._words = words
        self.repaint()

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return the words, broken."""
        return flow(self._words, room.width, room.height)
