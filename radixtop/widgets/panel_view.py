"""A frame around a panel: it takes the panel's sample out of a snapshot and shows what the panel paints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.geometry import Size

from radixtop.messages import NodeChosen
from radixtop.panel import PANELS, Canvas, Panel
from radixtop.render.lines import Line
from radixtop.widgets.line_view import LineView, Styles

if TYPE_CHECKING:
    from probes.snapshot import Snapshot


class PanelView(LineView, can_focus=True):
    """Shows one panel in a titled frame; repaints when the sample or the room changes."""

    ALLOW_MAXIMIZE = True
    DEFAULT_CSS = """
    PanelView { overflow: hidden hidden; }
    """

    def __init__(self, name: str, styles: Styles, *, id: str) -> None:
        super().__init__(styles, id=id, classes="panel")
        self._name_of_panel = name
        self._panel: Panel[object] | None = None
        self._sample: object | None = None
        self._now = 0
        self._note = ""
        self.border_title = PANELS.title(name)

    @property
    def is_told_outside(self) -> bool:
        """Whether servers that are seen from outside tell what it shows."""
        return PANELS.load(self._name_of_panel).is_told_outside

    def show(self, snapshot: Snapshot) -> None:
        """Show the panel's sample of a snapshot; with the first one comes the panel into its frame."""
        if self._panel is None:
            self._panel = PANELS.load(self._name_of_panel)()
            self.pin(self._panel.pinned)
        self._sample = self._panel.of(snapshot)
        self._now = snapshot.now
        self._say_note(self._panel)
        self.repaint()

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return what the panel paints in the room: nothing before the first snapshot."""
        if self._panel is None:
            return ()
        return self._panel.paint(self._sample, Canvas(room.width, room.height, self._now))

    def _say_note(self, panel: Panel[object]) -> None:
        note = panel.note(self._sample)
        if note != self._note:
            self._note = self.border_subtitle = note

    def choose_row(self) -> bool:
        """Post the node of the first visible row, if rows of this panel are about nodes; say whether they are."""
        node = self._panel.node_at(self._sample, self.scroll_offset.y) if self._panel is not None else None
        if node is not None:
            self.app.post_message(NodeChosen(node))
        return node is not None
