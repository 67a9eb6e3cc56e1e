"""The tree of cached prefixes."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget

from radixtop.messages import Frame, QuestionsChanged
from radixtop.question import Question
from radixtop.scene import Scene
from radixtop.tree.node import NodeQuestion, node_answer
from radixtop.tree.rows import TreePage
from radixtop.view import FilteredView
from radixtop.widgets.line_view import Styles
from radixtop.widgets.mode_line import ModeLine
from radixtop.widgets.node_pane import NodePane
from radixtop.widgets.tree_view import TreeView

PANE_FROM = 120
"""From so many columns on there is room for a node beside the rows."""


class Tree(FilteredView):
    """Which prefixes are cached, how heavy, how used, held by whom, live in which component."""

    DEFAULT_CSS = """
    #tree-answer { height: 2; margin: 0 1; }
    .-low #tree-answer { height: 1; }
    #tree-both { height: 1fr; }
    #tree-rows { width: 1fr; overflow-y: auto; scrollbar-gutter: stable; }
    #tree-node { width: 40%; max-width: 84; display: none; overflow-y: auto; scrollbar-gutter: stable; }
    #tree.-paned #tree-node { display: block; }
    """

    def __init__(self, name: str, styles: Styles) -> None:
        super().__init__(name, styles)
        self._answer = ModeLine(styles, id="tree-answer")
        self.rows = TreeView(styles, id="tree-rows")
        self._pane = NodePane(styles, id="tree-node")

    def compose(self) -> ComposeResult:
        """Yield the answer, the rows, and the node that they are at."""
        yield self._answer
        with Horizontal(id="tree-both"):
            yield self.rows
            yield self._pane

    def show(self, scene: Scene) -> None:
        """Show the rows that came, what they amount to, and the node under the cursor."""
        page, node = scene.frame.answer(TreePage), self.rows.cursor_node
        if self.rows.show(page, scene.now, scene.components) and page is not None:
            self._answer.show(scene.frame, page.standing, self.rows.request.mode)
        if self._has_pane:
            self._pane.show(scene, self.rows.cursor_node)
            if node != self.rows.cursor_node:
                self.app.post_message(QuestionsChanged())

    @property
    def _has_pane(self) -> bool:
        return self.has_class("-paned")

    def on_resize(self, event: events.Resize) -> None:
        """Show the node beside the rows where there is room."""
        self.set_class(event.size.width >= PANE_FROM, "-paned")
        self.app.post_message(QuestionsChanged())

    def on_mode_line_chosen(self, message: ModeLine.Chosen) -> None:
        """Show another list."""
        self.rows.show_mode(message.mode)

    def questions(self) -> tuple[Question, ...]:
        """Return the one for the rows in sight, and that for the node under the cursor."""
        node = self.rows.cursor_node
        return (self.rows.request, NodeQuestion(node)) if self._has_pane and node >= 0 else (self.rows.request,)

    def is_answered_by(self, frame: Frame) -> bool:
        """Say whether the rows that there is room for have come, and the node beside them."""
        page = frame.answer(TreePage)
        if page is None or (page.total and not page.rows):
            return False
        node = self.rows.cursor_node
        return not (self._has_pane and page.total) or node_answer(frame.answers, node) is not None

    def focus_target(self) -> Widget:
        """Return the rows."""
        return self.rows

    def open(self) -> bool:
        """Open or close the node under the cursor."""
        self.rows.action_open()
        return True

    def back(self) -> bool:
        """Drop the filter, then go back to the tree."""
        if self.pattern:
            self.filter_by("")
        elif self.rows.request.mode != "tree":
            self.rows.show_mode("tree")
        else:
            return False
        return True

    @property
    def pattern(self) -> str:
        """The text that nodes are filtered by."""
        return self.rows.request.pattern

    def filter_by(self, pattern: str) -> None:
        """Show only the nodes that match and the ways to them."""
        self.rows.filter_by(pattern)
