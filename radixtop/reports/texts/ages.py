"""The report on ages as lines: what was evicted against what was hit, and whether it came back."""

from __future__ import annotations

from collections.abc import Iterator

from probes.plural import plural
from profiles.reports.ages import AgeReport
from profiles.tallies.ages import ComponentAges, NamespaceAges
from profiles.tallies.distribution import Distribution
from radixtop.render.histogram import against, bars
from radixtop.render.lines import Line, clean, ends
from radixtop.render.table import Column
from radixtop.render.units import UNKNOWN, age, count, duration, grouped, share
from radixtop.reports.texts.parts import fact, heading, indented, quantiles, sentence, table, title


def lines(report: AgeReport, source: str, width: int) -> Iterator[Line]:
    """Yield the lines of a report."""
    overall = report.overall
    evicted = sum(each.evicted_nodes for each in overall.components[:1])
    said = f"{plural(evicted, 'node')} evicted in {age(report.span_ns)}"
    yield from title("ages", source, said, width)
    if not overall.components and not overall.hit_nodes:
        yield from sentence(
            f"Nothing was evicted and nothing was hit, so there are no ages; {_alive(overall)}.", width
        )
        return
    yield from _sums(report, width)
    yield from heading("how old, how idle", width)
    yield from quantiles(_rows(overall), width, counted="nodes")
    first = overall.components[0] if overall.components else None
    if first is not None and first.idle_ns.count and overall.reuse_ns.count:
        yield from _compared(first, overall, width)
    elif first is not None and first.idle_ns.count:
        yield from heading("idle before it was evicted", width)
        yield from indented(list(bars(first.idle_ns, width - 2, "cost0")))
    for name, values in (("lifetime", None if first is None else first.lifetime_ns), ("reuse gap", overall.reuse_ns)):
        if values is not None and values.count:
            yield from heading(f"{name}, nodes", width)
            yield from indented(list(bars(values, width - 2, "flow1")))
    if report.namespaces:
        yield from heading("by namespace", width)
        yield from _namespaces(report.namespaces, width)


def _sums(report: AgeReport, width: int) -> Iterator[Line]:
    within = duration(report.within_ns)
    for each in report.overall.components:
        if each.thrash_index is None:
            continue
        late = f"; {grouped(each.undecided_tokens)} still could" if each.undecided_tokens else ""
        yield from fact(width, f"thrash {each.component}", (share(each.thrash_index), "value"),
                   f": {grouped(each.returned_tokens)} of {grouped(each.evicted_tokens)} evicted tokens were back ",
                   f"within {within}{late}")  # fmt: skip
    yield from fact(width, "alive", _alive(report.overall))
    if report.unfollowed_tokens:
        yield from fact(width, "not followed", (f"{grouped(report.unfollowed_tokens)} tokens", "warn"),
                   ", evicted among too many others: the thrash index is too low")  # fmt: skip


def _alive(ages: NamespaceAges) -> str:
    unseen = f"; {plural(ages.unseen_births, 'node')} from before the recording" if ages.unseen_births else ""
    return (
        f"{plural(ages.alive_nodes, 'node')}, {grouped(ages.alive_tokens)} tokens at the end, in no lifetime{unseen}"
    )


def _rows(ages: NamespaceAges) -> list[tuple[str, Distribution]]:
    rows = [("reuse gap", ages.reuse_ns)]
    rows += [(f"idle at eviction, {each.component}", each.idle_ns) for each in ages.components]
    rows += [("age at hit", ages.hit_age_ns)]
    rows += [(f"age at eviction, {each.component}", each.lifetime_ns) for each in ages.components]
    return [row for row in rows if row[1].count]


def _compared(first: ComponentAges, overall: NamespaceAges, width: int) -> Iterator[Line]:
    """Yield how long the evicted had been idle against how long the hit ones had been, and what that says."""
    yield from heading("idle: when evicted, against when hit", width)
    yield ends((("  evicted nodes", "cost1"),), (("hit nodes  ", "device"),), width)
    yield from indented(against((first.idle_ns, overall.reuse_ns), width - 2, ("cost0", "device")))
    if first.idle_below_median_reuse is not None and first.idle_below_p90_reuse is not None:
        yield from sentence(
            f"{share(first.idle_below_median_reuse)} of what was evicted had been idle for less than the median "
            f"reuse gap ({duration(overall.reuse_ns.p50)}), {share(first.idle_below_p90_reuse)} for less than the "
            f"gap of 90 % of the hits ({duration(overall.reuse_ns.p90)}). {_verdict(first)}",
            width,
        )
    if first.younger_than_median_hit is not None:
        yield from sentence(
            f"{share(first.younger_than_median_hit)} of it was younger than the median node that was hit "
            f"({duration(overall.hit_age_ns.p50)}).",
            width,
        )


def _verdict(ages: ComponentAges) -> str:
    """Say what a share of evicted nodes that were as fresh as hit ones means."""
    fresh = ages.idle_below_p90_reuse or 0.0
    if fresh >= 0.5:
        return (
            "Much of it was as fresh as what is reused: the cache is too small for this load, or the order is wrong."
        )
    if fresh >= 0.1:
        return "Some of it was as fresh as what is reused."
    return "What was evicted had been idle for longer than reuse takes: little was lost."


def _namespaces(namespaces: tuple[NamespaceAges, ...], width: int) -> Iterator[Line]:
    columns = [
        Column("namespace", 0, "label", at_left=True),
        Column("hits", 7),
        Column("gap p50", 8),
        Column("evicted", 8),
        Column("idle p50", 8),
        Column("life p50", 8),
        Column("thrash", 7, "value"),
        Column("alive", 7),
    ]
    rows = []
    for each in namespaces:
        first = each.components[0] if each.components else None
        rows.append([
            clean(each.namespace), count(each.hit_nodes), duration(each.reuse_ns.p50),
            count(first.evicted_nodes) if first else "0", duration(first.idle_ns.p50) if first else UNKNOWN,
            duration(first.lifetime_ns.p50) if first else UNKNOWN,
            share(first.thrash_index) if first else UNKNOWN, count(each.alive_nodes),
        ])  # fmt: skip
    yield from table(columns, rows, width)
