"""`radixtop profile branching`: each branching point, from the request that met it to its end."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from radixtop import options as flag

FORMATS = ("text", "csv")
SORTS = ("gap", "saved", "time")


def branching(
    file: flag.RecordingFile,
    sort: Annotated[str, flag.choice("--sort", SORTS, "Largest gap, most saved, or first opened first.")] = "gap",
    top: Annotated[int | None, typer.Option("--top", metavar="N", min=0, help="Points shown; 20 in a text.")] = None,
    format: Annotated[str, flag.choice("--format", FORMATS, "A report, or the points as a table.")] = "text",
    json: flag.Document = False,
    output: flag.Output = None,
) -> None:
    """Report the branching points: who met each and at what cost, when it was filled or lost, what it saved later.

    Example: radixtop profile branching run.rtrec --sort saved --top 10
    """
    from functools import partial

    from profiles.reports.branching import BranchingPoints
    from profiles.tallies.branch_sums import Sort
    from radixtop.reports.reporting import result_of, write_document, write_lines, write_text
    from radixtop.reports.texts.branching import as_csv, lines

    is_text = format == "text" and not json
    shown = 20 if top is None and is_text else top
    report, title, missing = result_of(file, partial(BranchingPoints, sort=cast("Sort", sort), top=shown))
    if json:
        write_document("branching", report, output, file, missing)
    elif format == "csv":
        write_text(as_csv(report), output, file)
    else:
        write_lines(lambda width: lines(report, title, width), output, file)
