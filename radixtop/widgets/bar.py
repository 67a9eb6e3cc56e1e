"""Lines at an edge of the screen that can be clicked like keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events
from textual.geometry import Size

from radixtop.render.chrome import Hotspot
from radixtop.render.lines import Line
from radixtop.widgets.line_view import LineView, Styles

Painter = Callable[[int], tuple[Sequence[Line], Sequence[Hotspot]]]
"""Returns the lines for a width, and where they can be clicked."""


class Bar(LineView, can_focus=False):
    """Lines painted for the width there is; a click on a hotspot is the key that the hotspot stands for."""

    def __init__(self, styles: Styles, *, id: str) -> None:
        super().__init__(styles, id=id)
        self._hotspots: Sequence[Hotspot] = ()
        self._painter: Painter | None = None

    def paint_with(self, painter: Painter) -> None:
        """Show what `painter` returns, now and after each resize."""
        self._painter = painter
        self.repaint()

    def lines_for(self, room: Size) -> Sequence[Line]:
        """Return what the painter paints for the width."""
        if self._painter is None:
            return ()
        lines, self._hotspots = self._painter(room.width)
        return lines

    async def on_click(self, event: events.Click) -> None:
        """Go to the view of the hotspot under the pointer, or press its key."""
        for spot in self._hotspots:
            if spot.y == event.y and spot.start <= event.x < spot.end:
                event.stop()
                if spot.view:
                    await self.run_action(f"screen.view('{spot.view}')")
                else:
                    self.app.simulate_key(spot.key)
