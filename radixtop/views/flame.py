"""The icicle of the cached prefixes."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widget import Widget

from radixtop.flame.page import FlamePage
from radixtop.question import Question
from radixtop.scene import Scene
from radixtop.view import View
from radixtop.widgets.flame_view import FlameView
from radixtop.widgets.line_view import Styles
from radixtop.words.outside import is_outside


class Flame(View):
    """What holds the cache: prefixes as wide as they weigh, those that share one below it."""

    DEFAULT_CSS = """
    #flame-frames { height: 1fr; overflow: hidden hidden; }
    """

    def __init__(self, name: str, styles: Styles) -> None:
        super().__init__(name, styles)
        self.frames = FlameView(styles, id="flame-frames")

    def compose(self) -> ComposeResult:
        """Yield the frames."""
        yield self.frames

    def show(self, scene: Scene) -> None:
        """Show the frames that came."""
        self.frames.has_fleet = scene.frame.snapshot is not None and is_outside(scene.frame.snapshot)
        self.frames.show(scene.frame.answer(FlamePage), scene.components)

    def questions(self) -> tuple[Question, ...]:
        """Return the one for the frames that have room."""
        return (self.frames.question,)

    def focus_target(self) -> Widget:
        """Return the frames."""
        return self.frames

    def open(self) -> bool:
        """Zoom into the selected frame."""
        self.frames.action_zoom()
        return True

    def back(self) -> bool:
        """Zoom out."""
        return self.frames.zoom_out()
