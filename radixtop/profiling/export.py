"""`radixtop profile export`: a recording in the format of another tool."""

from __future__ import annotations

from typing import Annotated

from profiles.exporter import EXPORTERS
from profiles.table import TABLES
from radixtop import options as flag


def export(
    file: flag.RecordingFile,
    format: Annotated[str, flag.choice("--format", EXPORTERS, "What the export opens in.")],
    weight: flag.Weight = "tokens",
    table: Annotated[str | None, flag.choice("--table", TABLES, "Which table, for formats of tables.")] = None,
    full: flag.Full = False,
    output: flag.ExportOutput = None,
) -> None:
    """Export a recording: a flame graph of the cached prefixes, a timeline of the run, or tables of either.

    Example: radixtop profile export run.rtrec --format chrome_trace -o run.trace.json.gz
    """
    from profiles.exporter import ExportOptions
    from radixtop.errors import UsageError
    from radixtop.output import export_recording

    if table is not None and EXPORTERS.load(format).shows != "tables":
        raise UsageError(f"{format} has no tables", "leave --table out, or choose parquet, csv or markdown")
    options = ExportOptions(weight, None if full else ExportOptions().parts, table)
    export_recording(file, format, options, output)
