"""The tree of cached prefixes."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widget import Widget

from radixtop.question import Question
from radixtop.scene import Scene
from radixtop.tree.rows import TreePage
from radixtop.view import FilteredView
from radixtop.widgets.line_view import Styles
from radixtop.widgets.tree_view import TreeView


class Tree(FilteredView):
    """Which prefixes are cached, how heavy, how used, held by whom, live in which component."""

    def __init__(self, name: str, styles: Styles) -> None:
        super().__init__(name, styles)
        self.rows = TreeView(styles, id="tree-rows")

    def compose(self) -> ComposeResult:
        """Yield the rows."""
        yield self.rows

    def show(self, scene: Scene) -> None:
        """Show the rows that came."""
        self.rows.show(scene.frame.answer(TreePage), scene.now, scene.components)

    def questions(self) -> tuple[Question, ...]:
        """Return the one for the rows in sight."""
        return (self.rows.request,)

    def focus_target(self) -> Widget:
        """Return the rows."""
        return self.rows

    def open(self) -> bool:
        """Open or close the node under the cursor."""
        self.rows.action_open()
        return True

    def back(self) -> bool:
        """Drop the filter."""
        if not self.pattern:
            return False
        self.filter_by("")
        return True

    @property
    def pattern(self) -> str:
        """The text that nodes are filtered by."""
        return self.rows.request.pattern

    def filter_by(self, pattern: str) -> None:
        """Show only the nodes that match and the ways to them."""
        self.rows.filter_by(pattern)
