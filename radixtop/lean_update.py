"""Updates of the screen that write only what the terminal does not show yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderResult
from textual._compositor import CompositorUpdate, LayoutUpdate

if TYPE_CHECKING:
    from radixtop.render.repaint import Shown


class LeanUpdate(CompositorUpdate):
    """An update of Textual's, cut down to what is new on a terminal that shows `shown`."""

    def __init__(self, update: CompositorUpdate, shown: Shown) -> None:
        self._update = update
        self._shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.render_segments(console)

    def render_segments(self, console: Console) -> str:
        """Return what has to be written."""
        return self._shown.least(self._update.render_segments(console))


class Lean:
    """Makes the updates of one terminal lean."""

    def __init__(self) -> None:
        self._shown: Shown | None = None

    def forget(self) -> None:
        """Take nothing for granted: others have written to the terminal."""
        self._shown = None

    def __call__(self, update: object) -> Any:
        """Return an update of a part of the screen as a lean one.

        A screen that is laid out anew, the first frame for one, is written as it comes: who knows what is there.
        """
        if isinstance(update, LayoutUpdate):
            self.forget()
        elif isinstance(update, CompositorUpdate):
            from radixtop.render.repaint import Shown  # not for the first frame

            self._shown = self._shown or Shown()
            return LeanUpdate(update, self._shown)
        return update
