"""The detail of one node, kept up to date while it is open."""

from __future__ import annotations

from radixtop.render.lines import Line
from radixtop.render.node_lines import node_lines
from radixtop.scene import Scene
from radixtop.screens.overlay import Overlay
from radixtop.tree.rows import NodeDetail
from radixtop.widgets.line_view import Styles


class NodeScreen(Overlay):
    """Everything about one node; when the node leaves the tree, the last of it stays and says so."""

    def __init__(self, styles: Styles, node: int) -> None:
        super().__init__(styles, f"node #{node}")
        self.node = node
        self._seen: NodeDetail | None = None

    def show(self, scene: Scene) -> None:
        """Show the node as of this frame."""
        frame = scene.frame
        detail = frame.detail if frame.detail is not None and frame.detail.node == self.node else None
        gone = frame.page is not None and detail is None
        self._seen = detail or self._seen
        lines: list[Line] = [(("this node has left the tree", "warn"),)] if gone else []
        if self._seen is not None:
            width = self._view.room.width
            lines += node_lines(self._seen, width, scene.now, scene.components)
        self._view.set_lines(lines)
