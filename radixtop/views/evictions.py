"""Evictions: what they cost, whether they thrash, and what goes next."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.widget import Widget

from probes.builtin.evictions import EvictionSample
from probes.builtin.ghosts import HORIZONS_NS, GhostSample
from radixtop.eviction.page import NextPage, NextQuestion
from radixtop.keymap import bindings
from radixtop.messages import QuestionsChanged
from radixtop.question import Question
from radixtop.scene import Scene
from radixtop.view import View
from radixtop.widgets.answer_view import AnswerView
from radixtop.widgets.line_view import Styles
from radixtop.widgets.next_list import NextList
from radixtop.words.evictions import answer
from radixtop.words.outside import is_outside

NEXT_PLACE = 1
"""Behind so many panels comes the list of what goes next."""

ORDERED = ("full", "swa")
"""The components whose order is known, surely or about."""


class Evictions(View):
    """The answer in words; below, cost and scans over time, what goes next, and what came back."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("evictions")
    panels: ClassVar[tuple[str, ...]] = (
        "eviction_cost", "leaf_scans", "thrash", "ghosts", "eviction_rates", "evictions", "eviction_feed",
    )  # fmt: skip
    DEFAULT_CSS = """
    #evictions { layout: vertical; }
    #evictions-body { height: 1fr; layout: vertical; overflow-y: auto; }
    #evictions-body .panel { height: 9; }
    #evictions-body #evictions-next { height: 10; overflow-y: auto; }
    #evictions-ghosts, #evictions-eviction_feed { overflow-y: auto; scrollbar-gutter: stable; }
    .-low #evictions-body #evictions-eviction_cost, .-short #evictions-body #evictions-eviction_cost { height: 7; }

    .-wide #evictions-body { layout: grid; grid-size: 2; grid-rows: 1fr 1fr 8 1fr; }
    .-huge #evictions-body { layout: grid; grid-size: 3; grid-rows: 1fr 1fr 1fr 12; }
    .-wide.-short #evictions-body, .-huge.-short #evictions-body { grid-rows: 8 8 8 8; }
    .-wide #evictions-body .panel, .-huge #evictions-body .panel { height: 100%; }
    .-wide #evictions-body #evictions-next, .-huge #evictions-body #evictions-next { height: 100%; row-span: 2; }
    .-wide #evictions-body #evictions-ghosts, .-huge #evictions-body #evictions-ghosts { row-span: 2; }
    .-wide #evictions-evictions, .-wide #evictions-eviction_feed { display: none; }
    .-huge #evictions-body #evictions-eviction_feed { column-span: 3; }
    """

    def __init__(self, name: str, styles: Styles) -> None:
        super().__init__(name, styles)
        self.said = AnswerView(styles, id=f"{name}-answer")
        self.next = NextList(styles, id=f"{name}-next")
        self._horizon = 1
        self._component = 0
        self._components: tuple[str, ...] = ()
        self._scene: Scene | None = None

    def compose(self) -> ComposeResult:
        """Yield the answer, and the list among the panels."""
        yield self.said
        with Container(id=f"{self.id}-body"):
            for place, panel in enumerate(super().compose()):
                if place == NEXT_PLACE:
                    yield self.next
                yield panel

    def show(self, scene: Scene) -> None:
        """Show a scene in words, panels and the list."""
        if scene.frame.snapshot is not None:
            self.leave_out_untold(scene.frame.snapshot, self.next)
        super().show(scene)
        self._scene = scene
        if scene.components and scene.components != self._components:
            self._components = scene.components
            self.app.post_message(QuestionsChanged())
        self.next.show(scene.frame.answer(NextPage), scene.now)
        self._say()

    def _say(self) -> None:
        snapshot = self._scene.frame.snapshot if self._scene is not None else None
        if snapshot is not None:
            samples = snapshot.get(EvictionSample), snapshot.get(GhostSample)
            said = answer(*samples, self._horizon, snapshot.source.config, is_outside(snapshot))
            self.said.say(lambda width: (said,))

    def questions(self) -> tuple[Question, ...]:
        """Return the one for what goes next."""
        names = tuple(name for name in self._components if name in ORDERED) or ORDERED[:1]
        return (NextQuestion(names[self._component % len(names)]),)

    def focus_target(self) -> Widget | None:
        """Return the list, where there is one."""
        return self.next if self.next.display else None

    def open(self) -> bool:
        """Open the node under the cursor."""
        return self.next.open_row()

    # ---- keys

    def action_component(self) -> None:
        """List what goes next of the next component."""
        self._component += 1
        self.app.post_message(QuestionsChanged())

    def action_within(self) -> None:
        """Judge returns by the next horizon."""
        self._horizon = (self._horizon + 1) % len(HORIZONS_NS)
        self._say()
