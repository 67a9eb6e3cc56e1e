"""One request explained, kept up to date while it is open."""

from __future__ import annotations

from radixtop.question import Question
from radixtop.render.lines import Line
from radixtop.render.story_lines import story_lines
from radixtop.requestlog.page import Story, StoryAnswer, StoryQuestion
from radixtop.scene import Scene
from radixtop.screens.overlay import Overlay
from radixtop.widgets.line_view import Styles


class RequestScreen(Overlay):
    """What became of one request; when the log has forgotten it, the last of it stays and says so."""

    def __init__(self, styles: Styles, request: int) -> None:
        super().__init__(styles, f"request #{request}")
        self.request = request
        self._seen: Story | None = None

    def questions(self) -> tuple[Question, ...]:
        """Return the one for its story."""
        return (StoryQuestion(self.request),)

    def show(self, scene: Scene) -> None:
        """Show the request as of this frame."""
        answer = scene.frame.answer(StoryAnswer)
        if answer is None or answer.request != self.request:
            return
        self._seen = answer.story or self._seen
        lines: list[Line] = [(("this request is no longer kept", "warn"),)] if answer.story is None else []
        if self._seen is not None:
            lines += story_lines(self._seen, self._view.room.width)
        self._view.set_lines(lines)
