"""The main screen: header, one of five views, footer. A view is built when it is first looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.screen import Screen
from textual.widget import Widget

from radixtop.keymap import bindings, footer_keys
from radixtop.messages import ExportWanted, RowsWanted
from radixtop.panel import PANELS
from radixtop.render.chrome import TROUBLE, VIEWS, Hotspot, Status, banner, footer, header, too_small
from radixtop.render.lines import Line
from radixtop.scene import Scene
from radixtop.widgets.bar import Bar
from radixtop.widgets.line_view import Styles
from radixtop.widgets.panel_view import PanelView

if TYPE_CHECKING:
    from textual.widgets import Input

    from radixtop.widgets.tree_view import TreeView

LEAST = (40, 10)
"""The smallest terminal with room for a panel, in columns and rows."""

WIDTHS = [(0, "-tiny"), (LEAST[0], "-narrow"), (76, "-normal"), (112, "-wide"), (170, "-huge")]
HEIGHTS = [(0, "-flat"), (LEAST[1], "-low"), (18, "-short"), (32, "-tall"), (50, "-towering")]
"""From how many columns or rows on the screen has a class that the styles go by."""

VIEW_PANELS = {
    "overview": ("hit_rate", "pools", "nodes", "requests", "throughput", "branching", "evictions", "operations"),
    "branching": ("branching", "branch_feed"),
    "evictions": ("evictions", "eviction_feed"),
    "requests": ("requests", "throughput", "operations", "pools"),
}
"""The panels of each view but the tree's, in reading order."""


class MainScreen(Screen[None]):
    """Arranges bars and panels, and hands each new scene to those that can be seen."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("anywhere")
    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS

    def __init__(self, styles: Styles, status: Status) -> None:
        super().__init__()
        self._roles = styles
        self._scene: Scene | None = None
        self._status = status
        self._view = VIEWS[0]
        self._header, self._banner = Bar(styles, id="header"), Bar(styles, id="banner")
        self._footer, self._too_small = Bar(styles, id="footer"), Bar(styles, id="too-small")
        self.tree_view: TreeView | None = None
        """The tree, once its view was looked at."""

    def compose(self) -> ComposeResult:
        """Yield the bars and the first view."""
        yield self._header
        yield self._banner
        yield self._build(self._view)
        yield self._footer
        yield self._too_small

    def on_mount(self) -> None:
        """Paint the bars before anything is known."""
        self._paint_bars(self._status)
        self._too_small.paint_with(lambda width: (too_small(width, self.size.height, LEAST), ()))

    # ---- views

    def _build(self, view: str) -> Widget:
        if view == "tree":
            from radixtop.widgets.tree_view import TreeView  # not for the first frame

            self.tree_view = TreeView(self._roles, id="tree-rows")
            return Container(self.tree_view, id="tree", classes="view")
        panels = [PanelView(PANELS.load(name)(), self._roles, id=f"{view}-{name}") for name in VIEW_PANELS[view]]
        return Container(*panels, id=view, classes="view")

    async def action_view(self, view: str) -> None:
        """Show one view and hide the others."""
        self.minimize()
        self._view = view
        if not self.query(f"#{view}"):
            await self.mount(self._build(view), after="#banner")
        for name in VIEWS:
            for widget in self.query(f"#{name}"):
                widget.set_class(name != view, "-away")  # no `display`, which styles could not undo
        self.set_focus(self.tree_view if view == "tree" else None)
        if self.tree_view is not None:
            self.app.post_message(RowsWanted(self.tree_view.request if view == "tree" else None))
        if self._scene is not None:
            self.show(self._scene)

    # ---- keys

    def action_open(self) -> None:
        """Open what the focus is on: a node, the node of a row, or a panel at full size."""
        if self._view == "tree" and self.tree_view is not None:
            self.tree_view.action_open()
        elif isinstance(self.focused, PanelView) and not self.focused.choose_row():
            self.maximize(self.focused, container=False)

    async def action_back(self) -> None:
        """Undo one step: full size, filter, focus, then the view."""
        if self.maximized is not None:
            self.minimize()
        elif self._view == "tree" and self.tree_view is not None and self.tree_view.request.pattern:
            self.tree_view.filter_by("")
        elif self._view == "tree" or self.focused is None:
            await self.action_view(VIEWS[0])
        else:
            self.set_focus(None)

    def action_export(self) -> None:
        """Ask for a file of what is on screen."""
        panels = VIEW_PANELS.get(self._view, ())
        self.app.post_message(ExportWanted(self._view, tuple(PANELS.load(name).sample for name in panels)))

    async def action_filter(self) -> None:
        """Ask for a text, and show only the nodes that have it."""
        from radixtop.widgets.filter_line import FilterLine  # not for the first frame

        if self._view != "tree":
            await self.action_view("tree")
        if self.tree_view is not None:
            line = FilterLine(self.tree_view.request.pattern)
            await self.mount(line)
            self.set_focus(line)  # at once, where line.focus() would come after the keys that wait

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the filter's own key to the filter while one types in it."""
        return action != "filter" or not self.query("#filter")

    def on_input_changed(self, message: Input.Changed) -> None:
        """Filter while one types."""
        if self.tree_view is not None:
            self.tree_view.filter_by(message.value)

    async def on_input_submitted(self) -> None:
        """Keep the filter and go back to the tree."""
        await self.query("#filter").remove()
        self.set_focus(self.tree_view)

    async def on_filter_line_dropped(self) -> None:
        """Drop the filter and go back to the tree."""
        if self.tree_view is not None:
            self.tree_view.filter_by("")
        await self.on_input_submitted()

    # ---- scenes

    def show(self, scene: Scene) -> None:
        """Show a scene in the bars and in the panels of the current view."""
        self._scene = scene
        self._paint_bars(scene.status)
        if self._view == "tree":
            if self.tree_view is not None:
                self.tree_view.show(scene.frame.page, scene.now, scene.components)
        elif scene.frame.snapshot is not None:
            for panel in self.query_one(f"#{self._view}").query(PanelView):
                if panel.display:
                    panel.show(scene.frame.snapshot)

    def _paint_bars(self, status: Status) -> None:
        self._status = status
        self._header.paint_with(lambda width: header(status, self._view, width))
        in_trouble = status.state in TROUBLE
        self.set_class(in_trouble, "-trouble")
        if in_trouble:
            self._banner.paint_with(lambda width: ([banner(status, width)], ()))
        self._paint_footer()

    def _paint_footer(self) -> None:
        keys = footer_keys("tree" if self._view == "tree" else "anywhere")

        def paint(width: int) -> tuple[list[Line], list[Hotspot]]:
            line, hotspots = footer(keys, width)
            return [line], hotspots

        self._footer.paint_with(paint)
