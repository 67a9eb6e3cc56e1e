"""`radixtop profile flame`: the cached prefixes of a recording as a flame graph."""

from __future__ import annotations

from typing import Annotated

from profiles.exporter import EXPORTERS
from radixtop import options as flag


def flame(
    file: flag.RecordingFile,
    format: Annotated[str, flag.choice("--format", EXPORTERS, "What it opens in, of flame graphs.")] = "svg",
    weight: flag.Weight = "tokens",
    full: flag.Full = False,
    output: flag.ExportOutput = None,
) -> None:
    """Export the cached prefixes of a recording as a flame graph: a node is a frame, the path to it the stack.

    Example: radixtop profile flame run.rtrec --format speedscope --weight recomputed -o run.speedscope.json
    """
    from profiles.exporter import ExportOptions
    from radixtop.errors import UsageError
    from radixtop.output import export_recording

    if EXPORTERS.load(format).shows != "forest":
        raise UsageError(f"{format} shows no flame graph", f"radixtop profile export {file} --format {format}")
    options = ExportOptions(weight, None if full else ExportOptions().parts)
    export_recording(file, format, options, output)
