"""Ages: how old the evicted are, how soon others are reused, and how old what is cached now is."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.widget import Widget

from probes.builtin.ages import AgesSample
from probes.builtin.ghosts import GhostSample
from radixtop.ages.page import ResidentPage, ResidentQuestion
from radixtop.keymap import bindings
from radixtop.messages import QuestionsChanged
from radixtop.question import Question
from radixtop.scene import Scene
from radixtop.view import View
from radixtop.widgets.age_charts import EvictedChart, ResidentChart
from radixtop.widgets.answer_view import AnswerView
from radixtop.widgets.line_view import Styles
from radixtop.words.ages import answer
from radixtop.words.outside import is_outside, untold

_UNTOLD = untold("how old what is evicted was, and how soon it is reused,")


class Ages(View):
    """The answer in words; below, three distributions over one another, their quantiles, and the residents."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("ages")
    panels: ClassVar[tuple[str, ...]] = ("ages",)
    DEFAULT_CSS = """
    #ages { layout: vertical; }
    #ages-body { height: 1fr; layout: vertical; overflow-y: auto; }
    #ages-evicted, #ages-residents { overflow: hidden hidden; }
    #ages-body #ages-evicted { height: 11; }
    #ages-body #ages-ages { height: 8; }
    #ages-body #ages-residents { height: 9; }
    .-normal.-tall #ages-body #ages-evicted, .-normal.-towering #ages-body #ages-evicted { height: 2fr; }
    .-normal.-tall #ages-body #ages-residents, .-normal.-towering #ages-body #ages-residents { height: 1fr; }
    .-wide #ages-body, .-huge #ages-body { layout: grid; grid-size: 2; grid-rows: 2fr 1fr; }
    .-wide #ages-body #ages-evicted, .-huge #ages-body #ages-evicted { column-span: 2; height: 100%; }
    .-wide #ages-body #ages-ages, .-huge #ages-body #ages-ages { height: 100%; }
    .-wide #ages-body #ages-residents, .-huge #ages-body #ages-residents { height: 100%; }
    .stage #ages.-outside #ages-body { layout: vertical; }
    .stage #ages.-outside #ages-residents { height: 1fr; }
    """

    def __init__(self, name: str, styles: Styles) -> None:
        super().__init__(name, styles)
        self.said = AnswerView(styles, id=f"{name}-answer")
        self.evicted = EvictedChart(styles, id=f"{name}-evicted")
        self.residents = ResidentChart(styles, id=f"{name}-residents")
        self._place = 0
        self._components: tuple[str, ...] = ()
        self._scene: Scene | None = None

    def compose(self) -> ComposeResult:
        """Yield the answer, the charts and the table."""
        yield self.said
        with Container(id=f"{self.id}-body"):
            yield self.evicted
            yield from super().compose()
            yield self.residents

    def show(self, scene: Scene) -> None:
        """Show a scene in words and charts."""
        if scene.frame.snapshot is not None:
            self.leave_out_untold(scene.frame.snapshot, self.evicted)
        super().show(scene)
        self._scene = scene
        if scene.components and scene.components != self._components:
            self._components = scene.components
            self.app.post_message(QuestionsChanged())
        snapshot = scene.frame.snapshot
        if snapshot is not None:
            ages = snapshot.get(AgesSample)
            self.evicted.show(ages, self.component)
            is_untold = ages is None and is_outside(snapshot)
            said = _UNTOLD if is_untold else answer(ages, snapshot.get(GhostSample), self.component)
            self.said.say(lambda width: (said,))
        self.residents.show(scene.frame.answer(ResidentPage))

    @property
    def component(self) -> str:
        """The component that is shown, the first one at first."""
        return self._components[self._place % len(self._components)] if self._components else "full"

    def questions(self) -> tuple[Question, ...]:
        """Return the one for what is cached now."""
        return (ResidentQuestion(self.component),)

    def focus_target(self) -> Widget:
        """Return the chart, that of residents where nothing else is told."""
        return self.evicted if self.evicted.display else self.residents

    def samples(self) -> tuple[type, ...]:
        """Return the classes of the samples that the words and the charts are of."""
        return (AgesSample, GhostSample)

    def action_component(self) -> None:
        """Show the next component."""
        self._place += 1
        self.app.post_message(QuestionsChanged())
        if self._scene is not None:
            self.show(self._scene)
