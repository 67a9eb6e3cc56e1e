"""Capacity: what more room would hit, and less."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Container

from probes.builtin.capacity import CapacitySample
from radixtop.scene import Scene
from radixtop.view import View
from radixtop.widgets.answer_view import AnswerView
from radixtop.widgets.line_view import Styles
from radixtop.words.capacity import sentences
from radixtop.words.outside import is_outside, untold

_UNTOLD = untold("what other sizes would hit")


class Capacity(View):
    """The answer in words; then the curve of hit rates by capacity, and some sizes in figures."""

    panels: ClassVar[tuple[str, ...]] = ("capacity_curve", "capacity_sizes")
    DEFAULT_CSS = """
    #capacity { layout: vertical; overflow: hidden hidden; }
    .-normal #capacity-answer { height: 4; }
    .-low #capacity-answer, .-narrow.-low #capacity-answer { height: 3; }
    #capacity-body { height: 1fr; layout: vertical; }
    #capacity-capacity_curve { height: 1fr; min-height: 5; }
    #capacity-capacity_sizes { height: 10; }
    .-short #capacity-capacity_sizes { height: 8; }
    .-low #capacity-capacity_sizes { display: none; }
    .-huge.-short #capacity-body { layout: horizontal; }
    .-huge.-short #capacity-capacity_curve { width: 5fr; height: 100%; }
    .-huge.-short #capacity-capacity_sizes { width: 4fr; height: 100%; }
    """

    def __init__(self, name: str, styles: Styles) -> None:
        super().__init__(name, styles)
        self._said = AnswerView(styles, id=f"{name}-answer")

    def compose(self) -> ComposeResult:
        """Yield the answer, the curve and the table."""
        yield self._said
        yield Container(*super().compose(), id=f"{self.id}-body")

    def show(self, scene: Scene) -> None:
        """Show a scene in words and panels."""
        snapshot = scene.frame.snapshot
        if snapshot is None:
            return
        self.leave_out_untold(snapshot)
        super().show(scene)
        sample = snapshot.get(CapacitySample)
        said = [_UNTOLD] if is_outside(snapshot) else sentences(sample)
        self._said.say(lambda width: said)

    def samples(self) -> tuple[type, ...]:
        """Return that of the panels."""
        return (CapacitySample,)
