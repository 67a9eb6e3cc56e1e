"""Whether the pool of windows is too small, and what lacks a window."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Container

from probes.builtin.branching import BranchingSample
from probes.builtin.request_log import RequestLogSample
from radixtop.question import Question
from radixtop.requestlog.page import RequestsPage, RequestsQuestion
from radixtop.scene import Scene
from radixtop.swa.page import Tombstones, TombstonesQuestion
from radixtop.view import View
from radixtop.widgets.answer_view import AnswerView
from radixtop.widgets.line_view import Styles
from radixtop.widgets.swa_charts import BoundaryChart, DepthChart
from radixtop.words.outside import is_outside, untold
from radixtop.words.swa import answer, evidence_of

_REQUESTS = 64
"""So many of the newest requests are shown: more than any screen has rows for."""


class Swa(View):
    """The answer first; then requests, windows by depth, pools, branching points."""

    panels: ClassVar[tuple[str, ...]] = ("windows", "pools", "branching", "branch_feed")
    DEFAULT_CSS = """
    #swa { layout: vertical; overflow: hidden hidden; }
    #swa-answer { height: 4; }
    #swa-boundaries { height: 1fr; min-height: 5; overflow: hidden hidden; }
    #swa-figures { layout: grid; grid-size: 2 1; height: 11; }
    #swa-points { layout: grid; grid-size: 2 1; height: 11; }
    #swa-pools { display: none; }
    #swa-depths { overflow: hidden hidden; }
    #swa-branch_feed { overflow-y: auto; scrollbar-gutter: stable; }
    .-wide #swa-figures { grid-size: 3 1; }
    .-wide #swa-pools, .-huge #swa-pools { display: block; }
    .-huge #swa-figures { grid-size: 3 1; height: 14; }
    .-huge #swa-points { height: 14; }
    .-tall.-normal #swa-points { display: none; }
    .-short #swa-points, .-low #swa-points, .-narrow #swa-points { display: none; }
    .-short #swa-figures { height: 8; }
    .-low #swa-figures, .-narrow #swa-figures { display: none; }
    .-tall #swa-answer { margin: 0; }
    .-low #swa-answer { height: 3; }
    .-huge #swa-answer { height: 2; }
    """

    def __init__(self, name: str, styles: Styles) -> None:
        super().__init__(name, styles)
        self._said = AnswerView(styles, id="swa-answer")
        self._boundaries = BoundaryChart(styles, id="swa-boundaries")
        self._depths = DepthChart(styles, id="swa-depths")

    def compose(self) -> ComposeResult:
        """Yield the answer, requests, figures and branching points."""
        windows, pools, branching, feed = super().compose()
        yield self._said
        yield self._boundaries
        yield Container(windows, self._depths, pools, id="swa-figures")
        yield Container(branching, feed, id="swa-points")

    def show(self, scene: Scene) -> None:
        """Show the answer, the panels and what was counted."""
        snapshot = scene.frame.snapshot
        if snapshot is not None and is_outside(snapshot):
            self.leave_out_untold(snapshot, *self.query(".panel"))
            self._said.say(lambda width: (untold("which windows are lost too early"),))
            return
        super().show(scene)
        if snapshot is None:
            return
        evidence = evidence_of(snapshot)
        self._said.say(lambda width: answer(evidence, width))
        self._boundaries.show(scene.frame.answer(RequestsPage), snapshot.get(BranchingSample))
        self._depths.show(scene.frame.answer(Tombstones))

    def questions(self) -> tuple[Question, ...]:
        """Return those for the newest requests and for the tombstones."""
        return (RequestsQuestion(_REQUESTS), TombstonesQuestion())

    def samples(self) -> tuple[type, ...]:
        """Return those of the panels, and the sums of misses."""
        return (*super().samples(), RequestLogSample)
