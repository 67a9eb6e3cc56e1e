"""One look at the dashboard where there is no terminal: the screen as lines of plain text."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from radixtop.app import RadixtopApp
from radixtop.errors import RadixtopError
from radixtop.widgets.panel_view import PanelView

if TYPE_CHECKING:
    from radixtop.messages import Frame
    from radixtop.settings.setting import Settings
    from radixtop.source import Source

PAGE = (120, 48)
"""Columns and rows where neither a terminal nor COLUMNS and LINES say how many."""

MOST_CELLS = 1000
"""Columns and rows of the largest page."""

PATIENCE_S = 5.0
"""How long a screen waits for answers that may never come."""

LOOK_S = 0.05
"""How long between two looks whether they have come."""


class Glance(RadixtopApp):
    """The dashboard on a terminal that is not there: it leaves once a frame with answers is on it."""

    def __init__(self, source: Source, *, title: str, settings: Settings) -> None:
        super().__init__(source, title=title, settings=settings)
        self.page: list[str] = []
        self._watched = source
        self._unread: Frame | None = None
        self._main.add_class("-page")

    def on_mount(self) -> None:
        """Look whether all is there; leave in any case."""
        self.set_interval(LOOK_S, self._look)
        self.set_timer(PATIENCE_S, self._keep)

    def _look(self) -> None:
        frame, view = self._scene.frame, self._main.view
        panels = view.query(PanelView)
        are_laid_out = len(panels) >= len(view.panels) and all(each.size for each in panels if each.display)
        has_answers = frame.snapshot is not None and (
            frame.snapshot.source.state == "starting"  # which was waited for: there will be none
            or (len(frame.answers) >= len(view.questions()) and view.is_answered_by(frame))
        )
        if frame.failure or (are_laid_out and has_answers and self._is_read(frame)):
            self._show()  # panels that came after the frame
            self.call_after_refresh(self._keep)

    def _is_read(self, frame: Frame) -> bool:
        """Say whether a frame has what text there will be: it comes after the one that asked for it."""
        mirror = self._watched.mirror
        if mirror is None or not mirror.texts.is_on:
            return True
        if self._unread is None or not mirror.texts.is_settled:
            self._unread = frame
        return frame is not self._unread

    def _keep(self) -> None:
        """Keep the text of the screen, and leave."""
        self.page = [strip.text.rstrip() for strip in self._main._compositor.render_strips()]
        self.exit()


def page_size() -> tuple[int, int]:
    """Return the columns and rows of the page: those of the terminal, or as COLUMNS and LINES say."""
    columns, rows = shutil.get_terminal_size(PAGE)
    return min(columns, MOST_CELLS), min(rows, MOST_CELLS)


def lines_of(source: Source, title: str, settings: Settings) -> list[str]:
    """Return the screen that shows a source now, without the keys."""
    app = Glance(source, title=title, settings=settings)
    app.run(headless=True, size=page_size(), mouse=False)
    if app.return_code:
        raise RadixtopError("the screen could not be drawn", "say so, with what stands above")
    lines = app.page
    while lines and not lines[-1]:
        lines.pop()
    return lines
