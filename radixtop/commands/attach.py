"""`radixtop attach`: watch the cache of a process that runs already."""

from __future__ import annotations

from typing import Annotated

import typer

from radixtop import options as flag
from radixtop.command import command_app

app = command_app()


@app.command()
def attach(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="shm:PID or shm:PID-RANK, as below.")],
    hz: flag.Hz = 1.0,
) -> int:
    """Watch the cache of a process that runs already.

    The process is one that called radixtop.attach(cache), or the worker of a `radixtop live`, which that may stand
    for. It is not disturbed and lives on. A PID of no such process is answered with the targets that there are.

    Example: radixtop attach shm:4711
    """
    from radixtop.session import attach as attach_to
    from radixtop.watch import Showing, watch

    return watch(attach_to(target), Showing(target, hz, "run it in a terminal that can show it"))
