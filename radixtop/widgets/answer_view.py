"""The first lines of a view: its answer in words, broken to the width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.geometry import Size

from radixtop.render.flow import flow
from radixtop.render.lines import Line
from radixtop.widgets.line_view import LineView, Styles

Sentences = Callable[[int], Sequence[Line]]
"""Returns what there is to say on lines of a width."""


class AnswerView(LineView, can_focus=False):
    """Shows words in as many lines as the view's styles give it."""

    SCOPED_CSS: ClassVar[bool] = False
    """So that the rules below go by the classes of the stage."""

    DEFAULT_CSS = """
    AnswerView { height: 3; padding: 0 1; overflow: hidden hidden; }
    .-narrow AnswerView { height: 5; }
    .-wide AnswerView, .-huge AnswerView { height: 2; }
    .-tall AnswerView, .-towering AnswerView { margin: 1 0; }
    """

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(styles, id=id)
        self._sentences: Sentences | None = None

    def say(self, sentences: Sentences) -> None:
        """Show what `sentences` returns, now and after each resize."""
        self._sentences = sentences
        self.repaint()

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return the sentences for the width, each broken from a line of its own on."""
        lines: list[Line] = []
        for sentence in self._sentences(room.width) if self._sentences is not None else ():
            lines += flow(sentence, room.width, room.height - len(lines))
        return lines
