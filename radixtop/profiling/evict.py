"""`radixtop profile evict`: what evictions freed and what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from radixtop import options as flag
from radixtop.errors import UsageError
from radixtop.printable import tell

if TYPE_CHECKING:
    from pathlib import Path

    from profiles.reports.evict import EvictionCosts
    from profiles.tallies.evictor_comparison import EvictorComparison

FORMATS = ("text", "svg")


def evict(
    file: flag.RecordingFile,
    compare: Annotated[bool, typer.Option("--compare", help="Replay with both evictors, and compare them.")] = False,
    limit: Annotated[
        float | None,
        typer.Option(
            "--limit",
            metavar="S",
            min=0.1,
            max=1e6,
            help="With --compare: seconds for the slower one, 60 unless told.",
        ),
    ] = None,
    format: Annotated[str, flag.choice("--format", FORMATS, "A report, or cost against leaves.")] = "text",
    json: flag.Document = False,
    output: flag.Output = None,
) -> None:
    """Report what evictions freed and what they cost: per call, and against the leaves there are to choose from.

    Example: radixtop profile evict run.rtrec --compare --format svg -o evictions.svg
    """
    from profiles.reports.evict import Evictions
    from radixtop.reports.reporting import result_of, write_document, write_lines, write_text
    from radixtop.reports.texts.evict import lines
    from radixtop.reports.texts.evictors import lines as compared_lines

    if limit is not None and not compare:
        raise UsageError("--limit does nothing without --compare", "add --compare, or leave --limit out")
    report, title, missing = result_of(file, Evictions)
    compared = _compared(file, 60.0 if limit is None else limit) if compare else None
    if json:
        write_document("evict", report, output, file, missing, {"compare": compared} if compared else {})
    elif format == "svg":
        write_text(_picture(report, compared, title), output, file)
    else:
        write_lines(
            lambda width: [*lines(report, title, width), *(compared_lines(compared, width) if compared else ())],
            output,
            file,
        )


def _compared(file: Path, limit_s: float) -> EvictorComparison:
    from profiles.profile import RecordedProfile
    from radixtop.replay.compare_evictors import compare_evictors

    with RecordedProfile(file) as profile:
        return compare_evictors(profile, limit_s, tell)


def _picture(report: EvictionCosts, compared: EvictorComparison | None, title: str) -> str:
    from profiles.labels import clean
    from profiles.plots.cost_plot import CostPlot, Series, svg

    of = f" · {clean(title)}" if title else ""
    if compared is not None:
        said = f"{compared.calls:,} evict calls of one recording, replayed with both · the darker, the more calls"
        both = (Series("rebuild", compared.rebuild), Series("incremental", compared.incremental))
        return svg(CostPlot(f"A queue of victims built anew, and one that lives on{of}", said, both, ratio=True))
    victims = "" if report.victims is None else f"{report.victims:,} victims in "
    said = f"{victims}{report.calls:,} evict calls · the darker, the more calls"
    series = tuple(Series(each.component, each.cost) for each in report.components)
    return svg(CostPlot(f"What an eviction costs{of}", said, series))
