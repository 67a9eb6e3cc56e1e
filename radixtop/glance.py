"""One look at the dashboard where there is no terminal: the screen as lines of plain text."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from radixtop.app import RadixtopApp

if TYPE_CHECKING:
    from radixtop.setting import Settings
    from radixtop.source import Source

PAGE = (120, 48)
"""Columns and rows where neither a terminal nor COLUMNS and LINES say how many."""

PATIENCE_S = 2.0
"""How long a screen waits for answers that may never come."""


class Glance(RadixtopApp):
    """The dashboard on a terminal that is not there: it leaves once a frame with answers is on it."""

    def __init__(self, source: Source, *, title: str, settings: Settings) -> None:
        super().__init__(source, title=title, settings=settings)
        self.page: list[str] = []
        self._main.add_class("-page")

    def on_mount(self) -> None:
        """Leave in any case."""
        self.set_timer(PATIENCE_S, self._keep)

    def _show(self) -> None:
        super()._show()
        frame = self._scene.frame
        if frame.failure or (frame.snapshot is not None and len(frame.answers) >= len(self._main.questions())):
            self.call_after_refresh(self._keep)

    def _keep(self) -> None:
        """Keep the text of the screen, and leave."""
        self.page = [strip.text.rstrip() for strip in self._main._compositor.render_strips()]
        self.exit()


def lines_of(source: Source, title: str, settings: Settings) -> list[str]:
    """Return the screen that shows a source now, without the keys."""
    app = Glance(source, title=title, settings=settings)
    app.run(headless=True, size=shutil.get_terminal_size(PAGE), mouse=False)
    lines = app.page
    while lines and not lines[-1]:
        lines.pop()
    return lines
