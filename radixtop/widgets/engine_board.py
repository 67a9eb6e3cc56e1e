"""The overview of a server: what its metrics tell, and its tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.containers import Container

from radixtop.widgets.line_view import Styles
from radixtop.widgets.panel_view import PanelView

if TYPE_CHECKING:
    from probes.snapshot import Snapshot

PANELS = ("engine_hits", "engine_work", "engine_pools", "engine_latency", "engine_moves", "nodes")


class EngineBoard(Container):
    """Panels in one, two or three columns, as many as fit."""

    SCOPED_CSS: ClassVar[bool] = False
    DEFAULT_CSS = """
    #served { height: 1fr; layout: grid; grid-size: 2 2; }
    #served-engine_moves, #served-nodes { display: none; }
    .-narrow #served { layout: vertical; overflow-y: auto; }
    .-narrow #served .panel { height: 9; display: block; }
    .-normal.-low #served { grid-rows: 8 8; overflow-y: auto; }
    .-normal.-tall #served, .-normal.-towering #served { grid-size: 2 3; }
    .-normal.-tall #served .panel, .-normal.-towering #served .panel { display: block; }
    .-wide #served, .-huge #served { grid-size: 3 3; grid-rows: 1fr 1fr 10; }
    .-wide.-short #served, .-huge.-short #served { grid-rows: 1fr 1fr 1fr; }
    .-wide #served .panel, .-huge #served .panel { display: block; }
    .-wide #served-engine_hits, .-huge #served-engine_hits { column-span: 3; }
    .-wide #served-engine_moves, .-huge #served-engine_moves { column-span: 2; }
    .-wide.-low #served, .-huge.-low #served { grid-rows: 8 8 8; overflow-y: auto; }
    """

    def __init__(self, styles: Styles) -> None:
        super().__init__(id="served")
        self._roles = styles

    def compose(self) -> ComposeResult:
        """Yield the panels."""
        for name in PANELS:
            yield PanelView(name, self._roles, id=f"{self.id}-{name}")

    def show(self, snapshot: Snapshot) -> None:
        """Show a snapshot in every panel that has room."""
        for panel in self.query(PanelView):
            if panel.display:
                panel.show(snapshot)
