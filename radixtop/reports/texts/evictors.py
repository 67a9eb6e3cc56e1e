"""Rebuild against incremental on the same operations, as lines."""

from __future__ import annotations

from collections.abc import Iterator

from probes.plural import plural
from profiles.amounts import times
from profiles.tallies.evictor_comparison import EvictorComparison
from radixtop.render.lines import Line, Span
from radixtop.render.table import Column
from radixtop.render.units import count, duration, grouped, share
from radixtop.reports.texts.evict import cost_against_leaves
from radixtop.reports.texts.parts import fact, heading, sentence, span, table


def lines(compared: EvictorComparison, width: int) -> Iterator[Line]:
    """Yield the lines of a comparison."""
    yield from heading("rebuild against incremental, replayed with made-up tokens", width)
    yield from fact(width, "replayed", _replayed(compared))
    yield from fact(width, "agreement", (_agreement(compared), "value" if compared.hit_agreement else "warn"))
    if not compared.calls:
        yield from sentence("No evict call took a victim, so there is nothing to compare.", width)
        return
    yield from fact(width, "victims", _victims(compared))
    yield from fact(width, "time", *_times(compared))
    yield from cost_against_leaves([("rebuild", compared.rebuild), ("incremental", compared.incremental)], width)
    yield from heading("rebuild as a multiple of incremental, call by call", width)
    columns = [
        Column("evictable leaves", 17, "label"),
        Column("calls", 6),
        Column("rebuild", 7),
        Column("incremental", 11),
        Column("times p50", 9, "value"),
        Column("p90", 6),
    ]
    rows = [
        [
            span(each.low, each.high),
            count(each.calls), duration(each.rebuild_ns), duration(each.incremental_ns), times(each.ratio_p50),
            times(each.ratio_p90),
        ]
        for each in compared.ratios
    ]  # fmt: skip
    yield from table(columns, rows, width)


def _times(compared: EvictorComparison) -> Iterator[Span | str]:
    yield (f"{duration(compared.rebuild_ns)} with rebuild", "value")
    yield f", {duration(compared.incremental_ns)} with incremental"
    if compared.incremental_ns:
        yield (f": {times(compared.rebuild_ns / compared.incremental_ns)} times", "value")


def _replayed(compared: EvictorComparison) -> str:
    part = "" if compared.whole else ", the first of the recording: --limit allows more"
    return f"{plural(compared.operations, 'operation')} of {plural(compared.requests, 'request')}{part}"


def _agreement(compared: EvictorComparison) -> str:
    refused = f"; {plural(compared.refused, 'operation')} could not be replayed" if compared.refused else ""
    if compared.hit_agreement is None:
        return f"nothing was hit, in the recording or in the replay{refused}"
    return (
        f"the replay reproduces {share(compared.hit_agreement)} of {grouped(compared.recorded_tokens)} recorded hit "
        f"tokens{refused}"
    )


def _victims(compared: EvictorComparison) -> str:
    taken = f"{plural(compared.victims, 'victim')} in {plural(compared.calls, 'call')}"
    if compared.first_difference is None:
        return f"{taken}, the same ones in the same order"
    return f"{taken}; from call {compared.first_difference + 1:,} on they are not the same ones"
