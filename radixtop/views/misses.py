"""Misses: why the hit rate is what it is, over time, by what the text is, and by whose it is."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Container

from probes.builtin.request_log import RequestLogSample
from radixtop.scene import Scene
from radixtop.view import View
from radixtop.widgets.answer_view import AnswerView
from radixtop.widgets.line_view import Styles
from radixtop.words.misses import sentences
from radixtop.words.outside import is_outside
from radixtop.words.requests import outside


class Misses(View):
    """The answer; then what became of tokens each second, kinds of text, namespaces, and who evicts whose."""

    panels: ClassVar[tuple[str, ...]] = ("misses", "miss_kinds", "tenants", "evictors")
    DEFAULT_CSS = """
    #misses { layout: vertical; overflow: hidden hidden; }
    #misses-answer { height: 4; }
    .-narrow #misses-answer { height: 6; }
    .-wide #misses-answer { height: 3; }
    .-huge #misses-answer { height: 2; }
    .-low #misses-answer { height: 2; }
    .-narrow.-low #misses-answer { height: 3; }
    #misses-misses { height: 1fr; min-height: 4; }
    #misses-rows { layout: grid; grid-size: 2 1; height: 8; }
    #misses-evictors { height: 8; }
    .-short #misses-evictors, .-low #misses-evictors { display: none; }
    .-low #misses-rows, .-narrow #misses-rows, .-narrow #misses-evictors { display: none; }
    .-normal.-tall #misses-rows, .-normal.-towering #misses-rows { grid-size: 1 2; height: 16; }
    .-wide.-tall #misses-rows, .-huge.-tall #misses-rows { height: 9; }
    .-towering #misses-rows, .-towering #misses-evictors { height: 13; }
    .-normal.-towering #misses-rows { height: 22; }
    """

    def __init__(self, name: str, styles: Styles) -> None:
        super().__init__(name, styles)
        self._said = AnswerView(styles, id="misses-answer")

    def compose(self) -> ComposeResult:
        """Yield the answer, the history, kinds and namespaces side by side, and evictors."""
        misses, kinds, tenants, evictors = super().compose()
        yield self._said
        yield misses
        yield Container(kinds, tenants, id="misses-rows")
        yield evictors

    def show(self, scene: Scene) -> None:
        """Show the answer and the panels."""
        snapshot = scene.frame.snapshot
        if snapshot is None:
            return
        self.leave_out_untold(snapshot, self.query_one("#misses-rows"))
        super().show(scene)
        sample = snapshot.get(RequestLogSample)
        said = outside(snapshot) if is_outside(snapshot) else ()
        self._said.say(lambda width: said or sentences(sample, width))

    def samples(self) -> tuple[type, ...]:
        """Return those of the panels, each once."""
        return tuple(dict.fromkeys(super().samples()))
