"""The detail of one node, kept up to date while it is open."""

from __future__ import annotations

from radixtop.question import Question
from radixtop.render.lines import Line
from radixtop.render.node_lines import node_lines
from radixtop.scene import Scene
from radixtop.screens.overlay import Overlay
from radixtop.tree.rows import NodeAnswer, NodeDetail, NodeQuestion
from radixtop.widgets.line_view import Styles


class NodeScreen(Overlay):
    """Everything about one node; when the node leaves the tree, the last of it stays and says so."""

    def __init__(self, styles: Styles, node: int) -> None:
        super().__init__(styles, f"node #{node}")
        self.node = node
        self._seen: NodeDetail | None = None

    def questions(self) -> tuple[Question, ...]:
        """Return the one for the node."""
        return (NodeQuestion(self.node),)

    def show(self, scene: Scene) -> None:
        """Show the node as of this frame."""
        answer = scene.frame.answer(NodeAnswer)
        if answer is None or answer.node != self.node:
            return
        self._seen = answer.detail or self._seen
        lines: list[Line] = [(("this node has left the tree", "warn"),)] if answer.detail is None else []
        if self._seen is not None:
            width = self._view.room.width
            lines += node_lines(self._seen, width, scene.now, scene.components)
        self._view.set_lines(lines)
