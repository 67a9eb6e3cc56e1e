"""The report on evictions as lines: sums, where the time went, cost against leaves, over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log10

from probes.plural import plural
from profiles.plots.log_axis import count_label, time_label
from profiles.reports.evict import ComponentEvictions, EvictionCosts
from profiles.tallies.course import Course
from profiles.tallies.leaf_costs import CostCloud
from radixtop.render.graph import Plot, area_graph, topped
from radixtop.render.histogram import bars
from radixtop.render.lines import Line, Role
from radixtop.render.scatter import Axes, Cloud, scatter
from radixtop.render.table import Column
from radixtop.render.units import UNKNOWN, age, count, duration, grouped, share
from radixtop.reports.texts.parts import fact, heading, indented, quantiles, sentence, span, table, title

PLOT_ROWS = 12
_CLOUD_ROLES: tuple[tuple[Role, Role], ...] = (("cost0", "cost1"), ("flow0", "flow1"), ("ramp1", "ramp3"))
MARKS = "◆●▲"


def lines(report: EvictionCosts, source: str, width: int) -> Iterator[Line]:
    """Yield the lines of a report."""
    said = f"{plural(report.calls, 'call')} in {age(report.span_ns)}"
    yield from title("evictions", source, said, width)
    if not report.calls:
        yield from sentence("Nothing was evicted: everything fitted, or no evict call was recorded.", width)
        return
    yield from _sums(report, width)
    yield from heading("by component", width)
    yield from _components(report.components, width)
    measured = [each for each in report.components if each.call_ns.count]
    if not measured:
        yield from sentence("No call was measured, so there are no costs: the clock had been dropped.", width)
        return
    yield from heading("what a call costs", width)
    costs = [
        (f"{each.component}, a {what}", values)
        for each in measured
        for what, values in (("call", each.call_ns), ("victim", each.victim_ns))
    ]
    yield from quantiles(costs, width)
    yield ((f"  {measured[0].component}, a call:", "label"),)
    yield from indented(bars(measured[0].call_ns, width - 2, "cost0"))
    yield from cost_against_leaves([(each.component, each.cost) for each in measured], width)
    yield ((f"  {measured[0].component}:", "label"),)
    yield from _medians(measured[0].cost, width)
    yield from _course(report.course, width)


def _sums(report: EvictionCosts, width: int) -> Iterator[Line]:
    a_call = "" if report.victims is None else f", {report.victims / report.calls:.2g} a call"
    said = f"{a_call}, {grouped(report.cascades)} cascades"
    yield from fact(width, "victims", (grouped(report.victims), "value"), said)
    yield from fact(width, "freed", (_tokens(report.freed_tokens), "value"))
    build_ns = sum(each.build_ns or 0 for each in report.components)
    rest_ns = sum(each.rest_ns for each in report.components)
    if build_ns + rest_ns:
        is_told = all(each.build_ns is not None for each in report.components)
        part = share(build_ns / (build_ns + rest_ns) if is_told else None)
        said = f", {part} of it building queues of victims, {duration(rest_ns)} everything else"
        yield from fact(width, "time", (duration(build_ns + rest_ns), "value"), said)
    if report.unmeasured_calls:
        yield from fact(
            width,
            "unmeasured",
            (plural(report.unmeasured_calls, "call"), "warn"),
            ": no duration, in no cost below",
        )


def _tokens(freed: Mapping[str, int]) -> str:
    return ", ".join(f"{grouped(tokens)} {name}" for name, tokens in freed.items()) or "nothing"


def _components(components: Sequence[ComponentEvictions], width: int) -> Iterator[Line]:
    columns = [
        Column("component", 0, "label", at_left=True),
        Column("calls", 6),
        Column("empty", 6, drop_below=70),
        Column("victims", 8, "value"),
        Column("cascades", 8),
        Column("leaves/victim", 13, drop_below=70),
        Column("pops", 6),
        Column("stale", 6),
        Column("queue", 6, "value"),
    ]
    rows = []
    for each in components:
        looked = None if each.leaves_considered is None or not each.victims else each.leaves_considered / each.victims
        ns = None if each.build_ns is None else each.build_ns + each.rest_ns
        rows.append([
            each.component, count(each.calls), count(each.empty_calls), count(each.victims), count(each.cascades),
            UNKNOWN if looked is None else f"{looked:,.1f}", count(each.pops), count(each.stale_pops),
            share(each.build_ns / ns if ns and each.build_ns is not None else None),
        ])  # fmt: skip
    yield from table(columns, rows, width)


def cost_against_leaves(clouds: Sequence[tuple[str, CostCloud]], width: int) -> Iterator[Line]:
    """Yield a plot of the cost of a victim against the leaves of its call."""
    drawn = [(name, cloud) for name, cloud in clouds if cloud.bins]
    if not drawn:
        return
    yield from heading("a victim's cost against the leaves there are", width)
    plotted = [
        Cloud(
            [(cell.x, cell.y) for cell in cloud.hexes],
            [(each.middle, log10(max(1.0, each.victim_ns_p50))) for each in cloud.bins],
            MARKS[place % len(MARKS)],
            *_CLOUD_ROLES[place % len(_CLOUD_ROLES)],
        )
        for place, (_, cloud) in enumerate(drawn)
    ]
    yield from scatter(plotted, Axes(width, PLOT_ROWS, count_label, _short_time))
    legend = "   ".join(f"{cloud.mark} {name}" for cloud, (name, _) in zip(plotted, drawn, strict=True))
    yield (("        " + f"leaves →   median of {legend}", "dim"),)


def _medians(cloud: CostCloud, width: int) -> Iterator[Line]:
    """Yield the bins of a cloud as a table."""
    columns = [
        Column("leaves", 17, "label"),
        Column("calls", 8),
        Column("victims", 8),
        Column("p50", 8, "value"),
        Column("p90", 8),
        Column("queue", 7),
    ]
    rows = [
        [
            span(each.low, each.high),
            count(each.calls), count(each.victims), duration(each.victim_ns_p50), duration(each.victim_ns_p90),
            share(each.build_share),
        ]
        for each in cloud.bins
    ]  # fmt: skip
    yield from table(columns, rows, width)


def _short_time(power: int) -> str:
    return time_label(power).replace(" ", "")


def _course(course: Course, width: int) -> Iterator[Line]:
    """Yield the calls and their time over the course of the recording."""
    if len(course.slots) < 2:
        return
    per_s = 1e9 / course.width_ns
    calls = [slot[0] * per_s for slot in course.slots]
    busy = [None if unmeasured else ns / course.width_ns for _, _, ns, unmeasured in course.slots]
    room = width - 2
    yield from heading(topped("over time: calls a second", calls, count), width)
    yield from indented(area_graph(calls, Plot(room, 3, max(calls) or 1.0), ("flow0", "flow1")))
    yield from heading(topped("over time: share of time in evictions", busy, share), width)
    yield from indented(area_graph(busy, Plot(room, 3, max(filter(None, busy), default=1.0)), ("cost0", "cost1")))
