"""Updates of the screen that write only what the terminal does not show yet."""

from __future__ import annotations

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from textual._compositor import CompositorUpdate, LayoutUpdate

from radixtop.render.repaint import Shown


class LeanUpdate(CompositorUpdate):
    """An update of Textual's, cut down to what is new on a terminal that shows `shown`."""

    def __init__(self, update: CompositorUpdate, shown: Shown) -> None:
        self._update = update
        self._shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.render_segments(console)

    def render_segments(self, console: Console) -> str:
        """Return what has to be written; a screen that is laid out anew is written whole."""
        if isinstance(self._update, LayoutUpdate):
            self._shown.forget()
        return self._shown.least(self._update.render_segments(console))


def lean(update: RenderableType | None, shown: Shown) -> RenderableType | None:
    """Return an update of the screen as a lean one; anything else as it is."""
    return LeanUpdate(update, shown) if isinstance(update, CompositorUpdate) else update
