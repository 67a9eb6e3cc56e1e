"""The screen as an SVG file of its own: it needs nothing from elsewhere, and takes no file's place."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import App

from radixtop.messages import Exported
from radixtop.output import write_new

if TYPE_CHECKING:
    from radixtop.app import RadixtopApp

_FONT_FROM_ELSEWHERE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_SPACED = '<svg xml:space="preserve" '
"""Figures are aligned by blanks, which some programs drop at the beginning of a text."""

_MOST = 100
"""How many files of one second are told apart."""


def take(app: RadixtopApp, filename: str | None, path: str | None) -> None:
    """Write the screen to a new file, and say so; a browser gets it as a download."""
    if app.is_web:
        App.action_screenshot(app, filename, path)
        return
    svg = app.export_screenshot(title=f"radixtop {app.view_name}")
    app.post_message(saved(svg, app.view_name, Path(path or "."), datetime.now()))


def saved(svg: str, view: str, folder: Path, when: datetime) -> Exported:
    """Write a screenshot of a view to a new file in `folder` and return what became of it."""
    raw = _FONT_FROM_ELSEWHERE.sub("", svg).replace("<svg ", _SPACED, 1).encode()
    stem = f"radixtop-{view}-{when:%Y%m%d-%H%M%S}"
    try:
        for number in range(1, _MOST):
            path = folder / (f"{stem}.svg" if number == 1 else f"{stem}-{number}.svg")
            try:
                write_new(path, raw)
            except FileExistsError:
                continue
            return Exported(path.name)
    except OSError as error:
        return Exported("", f"{error.filename or 'the current folder'}: {error.strerror}")
    return Exported("", f"{stem}.svg and the names after it are taken")
