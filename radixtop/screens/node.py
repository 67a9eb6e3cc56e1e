"""The detail of one node, kept up to date while it is open."""

from __future__ import annotations

from radixtop.question import Question
from radixtop.render.lines import Line
from radixtop.render.node_lines import node_lines
from radixtop.scene import Scene
from radixtop.screens.overlay import Overlay
from radixtop.tree.node import NodeAnswer, NodeQuestion, node_answer
from radixtop.widgets.line_view import Styles


class NodeScreen(Overlay):
    """Everything about one node; when the node leaves the tree, the last of it stays and says so."""

    def __init__(self, styles: Styles, node: int) -> None:
        super().__init__(styles, f"node #{node}")
        self.node = node
        self._seen: NodeAnswer | None = None

    def questions(self) -> tuple[Question, ...]:
        """Return the one for the node."""
        return (NodeQuestion(self.node),)

    def show(self, scene: Scene) -> None:
        """Show the node as of this frame."""
        answer = node_answer(scene.frame.answers, self.node)
        if scene.frame.is_hushed:
            self._seen = None
        if answer is None:
            return
        self._seen = answer if answer.detail is not None else self._seen
        lines: list[Line] = [(("this node has left the tree", "warn"),)] if answer.detail is None else []
        if self._seen is not None and self._seen.detail is not None:
            width, hits = self._view.room.width, self._seen.hits_per_second
            lines += node_lines(self._seen.detail, width, scene.now, scene.components, hits)
        self._view.set_lines(lines)
