"""`radixtop profile flame`: the cached prefixes of a recording as a flame graph."""

from __future__ import annotations

from typing import Annotated

import typer

from profiles.exporter import EXPORTERS
from radixtop import options as flag


def flame(
    file: flag.RecordingFile,
    format: Annotated[str, flag.choice("--format", EXPORTERS, "What the export opens in.")] = "svg",
    weight: flag.Weight = "tokens",
    full: Annotated[bool, typer.Option("--full", help="Every frame, small ones too.")] = False,
    output: flag.Output = None,
) -> None:
    """Export the cached prefixes of a recording as a flame graph: a node is a frame, the path to it the stack.

    Example: radixtop profile flame run.radixtop --format speedscope --weight recomputed -o run.speedscope.json
    """
    from profiles.exporter import ExportOptions
    from radixtop.output import export_recording

    options = ExportOptions(weight, None if full else ExportOptions().parts)
    export_recording(file, format, options, output)
