"""The report on tenants as lines: shares of what is held, asked and hit, and who evicted whose."""

from __future__ import annotations

from collections.abc import Iterator

from probes.plural import plural
from profiles.reports.tenants import TenantReport
from radixtop.render.lines import Line, clean
from radixtop.render.table import Column
from radixtop.render.units import age, count, grouped, share
from radixtop.reports.texts.parts import heading, sentence, table, title

_MOST_CELLS = 12


def lines(report: TenantReport, source: str, width: int) -> Iterator[Line]:
    """Yield the lines of a report."""
    said = f"{plural(len(report.tenants), 'namespace')} in {age(report.span_ns)}"
    yield from title("tenants", source, said, width)
    if not report.tenants:
        yield from sentence("Nobody asked for anything and nothing is held, so there are no tenants.", width)
        return
    yield from heading("held, asked and hit", width)
    columns = [
        Column("namespace", 0, "label", at_left=True),
        Column("requests", 8),
        Column("asked", 7),
        Column("held", 7, "value"),
        Column("hits", 7, "value"),
        Column("hit rate", 8),
        Column("evicted", 8),
        Column("again", 7),
    ]
    yield from table(
        columns,
        [
            [
                clean(each.namespace), count(each.requests), share(each.asked_share), share(each.resident_share),
                share(each.hit_share), share(each.tokens.hit / each.tokens.prompt if each.tokens.prompt else None),
                count(each.evicted_tokens), count(each.computed_again_tokens),
            ]
            for each in report.tenants
        ],
        width,
    )  # fmt: skip
    yield from heading("who evicted whose", width)
    if not report.matrix:
        yield from sentence("Nothing was evicted.", width)
        return
    cells = [
        [clean(each.evictor), clean(each.victim), grouped(each.evicted_tokens), grouped(each.computed_again_tokens)]
        for each in report.matrix[:_MOST_CELLS]
    ]
    made_room = [Column("for", 0, "label", at_left=True), Column("tokens of", 20, at_left=True),
                 Column("evicted", 12, "value"), Column("again", 12)]  # fmt: skip
    yield from table(made_room, cells, width)
    rest = report.matrix[_MOST_CELLS:]
    if rest:
        yield from sentence(f"and {plural(len(rest), 'pair')} more, see --json", width)
