"""`radixtop profile`: export what a recording holds to other tools."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from profiles.exporter import EXPORTERS
from profiles.forest import WEIGHTS
from radixtop.command import command_app
from radixtop.errors import UsageError
from radixtop.options import choice

app = command_app()

Format = Annotated[str, choice("--format", EXPORTERS, "What the export opens in.")]
Weight = Annotated[str, choice("--weight", WEIGHTS, "What the width of a frame stands for.")]


@app.callback()
def profile() -> None:
    """Export what a recording holds to other tools.

    Example: radixtop profile flame run.radixtop --format svg -o tree.svg
    """


@app.command(short_help="The cached prefixes as a flame graph.")
def flame(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that --record made.")],
    format: Format = "svg",
    weight: Weight = "tokens",
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="OUT", help="Instead of stdout.")] = None,
) -> None:
    """Export the cached prefixes of a recording as a flame graph: a node is a frame, the path to it the stack.

    Example: radixtop profile flame run.radixtop --format speedscope --weight recomputed -o run.speedscope.json
    """
    from profiles.flame import render

    rendered = render(file, format, weight)
    for remark in rendered.remarks:
        sys.stderr.write(f"{file}: {remark}\n")
    if output is None:
        sys.stdout.write(rendered.text)
    elif output.exists() and output.samefile(file):
        raise UsageError(f"{output} is the recording itself", "choose another file for --output")
    else:
        output.write_text(rendered.text, encoding="utf-8")
        sys.stderr.write(f"wrote {output}\n")
