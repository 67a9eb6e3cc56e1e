"""Requests one by one: what they hit, what they missed and why, how long they took."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from probes.builtin.request_log import RequestLogSample
from radixtop.messages import RequestChosen
from radixtop.question import Question
from radixtop.requestlog.page import RequestsPage
from radixtop.scene import Scene
from radixtop.view import View
from radixtop.widgets.answer_view import AnswerView
from radixtop.widgets.line_view import Styles
from radixtop.widgets.requests_list import RequestsList
from radixtop.words.outside import is_outside
from radixtop.words.requests import answer, outside


class Requests(View):
    """The answer, figures of all requests where there is room, and the requests."""

    panels: ClassVar[tuple[str, ...]] = ("requests", "throughput", "operations", "pools")
    DEFAULT_CSS = """
    #requests { layout: vertical; }
    .-wide #requests-answer, .-narrow #requests-answer, .-low #requests-answer { height: 2; }
    .-huge #requests-answer { height: 1; }
    #requests-figures { layout: grid; grid-size: 3 1; height: 9; }
    #requests-rows { height: 1fr; overflow: hidden hidden; }
    #requests-pools { display: none; }
    .-huge #requests-figures { grid-size: 4 1; }
    .-huge #requests-pools { display: block; }
    .-normal #requests-figures { grid-size: 2 1; }
    .-normal #requests-operations { display: none; }
    .-short #requests-figures, .-low #requests-figures, .-narrow #requests-figures { display: none; }
    """

    def __init__(self, name: str, styles: Styles) -> None:
        super().__init__(name, styles)
        self._said = AnswerView(styles, id="requests-answer")
        self.rows = RequestsList(styles, id="requests-rows")

    def compose(self) -> ComposeResult:
        """Yield the answer, the panels side by side, and the rows."""
        yield self._said
        yield Container(*super().compose(), id="requests-figures")
        yield self.rows

    def show(self, scene: Scene) -> None:
        """Show the answer, the panels and the page that came."""
        snapshot = scene.frame.snapshot
        if snapshot is not None:
            figures = self.query_one("#requests-figures")
            self.leave_out_untold(snapshot, figures, self.rows)
            if figures.display:
                super().show(scene)
            sample = snapshot.get(RequestLogSample)
            said = outside(snapshot) if is_outside(snapshot) else ()
            self._said.say(lambda width: said or (answer(sample, width),))
            remembers_all, lacking = (True, "window") if sample is None else (sample.remembers_all, sample.lacking)
            self.rows.show(scene.frame.answer(RequestsPage), remembers_all, lacking)

    def questions(self) -> tuple[Question, ...]:
        """Return the one for the rows in sight."""
        return (self.rows.question,)

    def focus_target(self) -> Widget | None:
        """Return the rows, where there are any."""
        return self.rows if self.rows.display else None

    def open(self) -> bool:
        """Explain the request under the cursor."""
        chosen = self.rows.chosen
        if chosen is not None:
            self.app.post_message(RequestChosen(chosen.request))
        return chosen is not None

    def back(self) -> bool:
        """Show all requests, from the first row on."""
        return self.rows.undo()

    def samples(self) -> tuple[type, ...]:
        """Return those of the panels, and the sums of misses."""
        return (*super().samples(), RequestLogSample)
