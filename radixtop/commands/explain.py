"""`radixtop explain`: why one request hit what it hit, and missed the rest."""

from __future__ import annotations

from typing import Annotated

import typer

from radixtop import options as flag
from radixtop.command import command_app

app = command_app()


@app.command()
def explain(
    request: Annotated[int, typer.Argument(metavar="REQUEST", min=0, help="Its number, as in the requests view.")],
    source: Annotated[str, typer.Argument(metavar="FILE|TARGET", help="A recording, or a cache: shm:PID[-RANK].")],
    wait: Annotated[
        float, typer.Option("--wait", metavar="S", min=0, max=1e6, help="Of a target: how long to wait for its end.")
    ] = 10.0,
    json: flag.Document = False,
    output: flag.Output = None,
) -> None:
    """Tell the story of one request: where its hit ended and by which rule, and why the rest of its prompt missed.

    Example: radixtop explain 42 run.rtrec
    """
    from pathlib import Path

    from profiles.report import VERSION
    from radixtop.explaining.lines import lines
    from radixtop.explaining.recorded import explain_recorded
    from radixtop.reports.reporting import write_lines, write_text
    from radixtop.target import is_target

    file = Path(source)
    if file.exists() or not is_target(source):
        found = explain_recorded(request, file)
    else:
        from radixtop.explaining.watched import explain_watched
        from radixtop.session import attach

        found = explain_watched(request, attach(source), source, wait)
    if json:
        from profiles.plain import json_text

        told = {"report": "explain", "version": VERSION, **found.document()}
        write_text(json_text(told, indent=2) + "\n", output, file)
    else:
        write_lines(lambda width: lines(found, source, width), output, file)
