"""`radixtop profile ages`: how old cached prefixes get, and whether what was evicted was still wanted."""

from __future__ import annotations

from typing import Annotated

import typer

from radixtop import options as flag

BY = ("all", "namespace")


def ages(
    file: flag.RecordingFile,
    within: Annotated[
        float,
        typer.Option("--within", metavar="S", min=0.001, max=1e9, help="Seconds in which a return is thrash."),
    ] = 60.0,
    by: Annotated[str, flag.choice("--by", BY, "One table line per namespace as well.")] = "all",
    json: flag.Document = False,
    output: flag.Output = None,
) -> None:
    """Report ages: lifetimes, idle times before eviction, reuse gaps, and what was evicted and came back too soon.

    Example: radixtop profile ages run.rtrec --within 30 --by namespace
    """
    from functools import partial

    from profiles.reports.ages import Ages
    from radixtop.reports.reporting import result_of, write_document, write_lines
    from radixtop.reports.texts.ages import lines

    make = partial(Ages, within_ns=round(within * 1e9), by_namespace=by == "namespace")
    report, title, missing = result_of(file, make)
    if json:
        write_document("ages", report, output, file, missing)
    else:
        write_lines(lambda width: lines(report, title, width), output, file)
