"""Everything about the node under the cursor, beside the rows."""

from __future__ import annotations

from radixtop.render.lines import Line
from radixtop.render.node_lines import node_lines
from radixtop.scene import Scene
from radixtop.tree.node import NodeDetail, node_answer
from radixtop.widgets.line_view import LineView, Styles


class NodePane(LineView):
    """Follows a node; of one that left the tree the last that was known stays."""

    ALLOW_MAXIMIZE = True

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(styles, id=id, classes="panel")
        self._seen: NodeDetail | None = None
        self.border_title = "node"

    def show(self, scene: Scene, node: int) -> None:
        """Show a node as of this scene."""
        if scene.frame.is_hushed:
            self._seen = None
        if node < 0:
            self.border_title = "no node"
            self.set_lines([])
        answer = node_answer(scene.frame.answers, node)
        if answer is None:
            return
        self.border_title = f"node #{node}"
        lines: list[Line] = []
        if answer.detail is None:
            lines.append((("this node has left the tree", "warn"),))
            detail = self._seen if self._seen is not None and self._seen.node == node else None
        else:
            detail = self._seen = answer.detail
        if detail is not None:
            lines += node_lines(detail, self.room.width, scene.now, scene.components, answer.hits_per_second)
        self.set_lines(lines)
