"""`radixtop play`: watch a recording in the same screens."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from radixtop import options as flag
from radixtop.command import command_app

app = command_app()


@app.command()
def play(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that --record made.")],
    speed: Annotated[float, typer.Option("--speed", min=0.01, max=1e6, metavar="X", help="How much faster.")] = 1.0,
    hz: flag.Hz = 1.0,
) -> int:
    """Watch a recording in the same screens.

    Example: radixtop play run.radixtop --speed 4
    """
    from radixtop.session import PlaySession
    from radixtop.watch import Showing, watch

    otherwise = "to export the recording: radixtop profile flame FILE"
    return watch(PlaySession(file, speed), Showing(file.name, hz, otherwise))
