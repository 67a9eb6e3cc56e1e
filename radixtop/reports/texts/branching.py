"""The report on branching points as lines, and the points as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import asdict, fields
from io import StringIO

from probes.plural import plural
from profiles.labels import clean as one_line
from profiles.tallies.branch_point import BranchPoint
from profiles.tallies.branch_sums import BranchingReport
from radixtop.render.lines import Line, clean
from radixtop.render.table import Column
from radixtop.render.units import UNKNOWN, age, count, duration, grouped
from radixtop.reports.texts.parts import fact, heading, quantiles, sentence, table, title

_SORTED_BY = {"gap": "largest gap first", "saved": "most saved first", "time": "in the order they were opened"}


def lines(report: BranchingReport, source: str, width: int) -> Iterator[Line]:
    """Yield the lines of a report."""
    said = f"{plural(report.opened, 'point')} opened, {grouped(report.filled)} filled, {grouped(report.lost)} lost"
    yield from title("branching points", source, said, width)
    if not report.opened:
        yield from sentence(_nothing(report), width)
        return
    yield from _sums(report, width)
    if report.fill_delay_ns.count:
        yield from heading("how long it took", width)
        rows = [("until filled", report.fill_delay_ns), ("from filled to lost", report.kept_ns)]
        yield from quantiles([each for each in rows if each[1].count], width, counted="points")
    yield from heading(f"points, {_SORTED_BY[report.sort]}; at, gap and saved in tokens", width)
    yield from _points(report.points, width)
    if report.points_left_out:
        yield from sentence(f"{plural(report.points_left_out, 'more point')} in the sums; --top shows others.", width)


def _nothing(report: BranchingReport) -> str:
    if report.recomputed_tokens:
        return (
            f"No branching point was met, yet {report.recomputed_tokens:,} tokens were computed again: branching is "
            "off, or no state can be kept where requests part."
        )
    if report.recomputed_tokens is None:
        return "No branching point was met; what was computed again is not told by this source."
    return "No branching point was met: every request could use all of what was stored of its prompt."


def _sums(report: BranchingReport, width: int) -> Iterator[Line]:
    said = f" computed again at these points, of {grouped(report.recomputed_tokens)} in all"
    yield from fact(width, "gap", (f"{grouped(report.gap_tokens)} tokens", "value"), said)
    saved = "" if report.saved_ms is None else f", {duration(report.saved_ms * 1e6)} of prefill"
    yield from fact(width, "saved", (f"at most {grouped(report.saved_tokens)} tokens{saved}", "value"),
               f" for {plural(report.later_requests, 'later request')}")  # fmt: skip
    yield from fact(width, "rate", _rate(report))
    yield from fact(
        width, "ended", ", ".join(f"{grouped(number)} {outcome}" for outcome, number in report.outcomes.items())
    )


def _rate(report: BranchingReport) -> str:
    if report.prefill_tokens_per_s is None:
        return "no engine step was measured, so tokens have no time"
    steps = "that only prefilled" if report.prefill_alone else "that also decoded, so it is too low"
    measured = f"measured on {plural(report.prefill_steps, 'step')} {steps}"
    return f"{report.prefill_tokens_per_s:,.0f} prefill tokens/s, {measured}"


def _points(points: tuple[BranchPoint, ...], width: int) -> Iterator[Line]:
    columns = [
        Column("opened", 6, "label"),
        Column("by", 6),
        Column("where", 0, at_left=True),
        Column("at", 5),
        Column("gap", 5, "value"),
        Column("filled", 6),
        Column("hits", 5),
        Column("saved", 5, "value"),
        Column("time", 6, drop_below=90),
        Column("end", 13, "dim", at_left=True),
    ]
    rows = []
    for point in points:
        where = clean(f"{point.namespace}: {point.label}" if point.namespace else point.label) or UNKNOWN
        rows.append([
            age(point.opened_ns), str(point.request), where, count(point.position), count(point.gap_tokens),
            UNKNOWN if point.fill_delay_ns is None else duration(point.fill_delay_ns), count(point.later_requests),
            count(point.saved_tokens), duration(None if point.saved_ms is None else point.saved_ms * 1e6),
            _end(point),
        ])  # fmt: skip
    yield from table(columns, rows, width)


def _end(point: BranchPoint) -> str:
    """Return what a point came to in a word, and when: window 12s, or again 12s where it was filled again."""
    word = point.outcome.removeprefix("filled ").removesuffix(" evicted").removesuffix(" ended").removesuffix(" lost")
    return word if point.ended_ns is None else f"{word} {age(point.ended_ns)}"


def as_csv(report: BranchingReport) -> str:
    """Return the points as CSV with a head, a row each; what is not known is empty."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(field.name for field in fields(BranchPoint))
    for point in report.points:
        row = asdict(point)
        row["label"], row["namespace"] = one_line(point.label), one_line(point.namespace, unnamed="")
        writer.writerow("" if value is None else value for value in row.values())
    return out.getvalue()
