"""How full the pools of slots are, and with what."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.occupancy import OccupancySample, PoolState
from radixtop.panel import Canvas, Panel
from radixtop.render.bars import Part, stacked
from radixtop.render.graph import Plot, area_graph
from radixtop.render.lines import BLANK, Line, Role, Span, clean, left
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import count, duration, share

_COLUMNS = (
    Column("", 5, "label", at_left=True),
    Column("█ prot", 6, "protected", title_role="protected"),
    Column("▓ held", 6, "held", title_role="held"),
    Column("▒ evic", 6, "evictable", title_role="evictable"),
    Column("· free", 6, "label", title_role="label"),
    Column("total", 6, "value", drop_below=40),
)
_RAMPS: tuple[tuple[Role, ...], ...] = (("flow0", "flow1"), ("cost0", "cost1"))
"""Neighbouring graphs have different colours, so that two full pools are not one."""


class PoolsPanel(Panel[OccupancySample]):
    """One bar per pool: protected, held by requests, evictable, free."""

    sample: ClassVar[type] = OccupancySample

    def paint(self, sample: OccupancySample | None, canvas: Canvas) -> list[Line]:
        """Return a bar over its figures for each pool, then, where there is room, a minute of used shares."""
        pools = sample.pools if sample else ()
        if sample is None or not pools:
            return [(("no pool has reported yet", "dim"),)]
        columns = arrange(_COLUMNS, canvas.width)
        lines: list[Line] = []
        for pool in pools:
            lines += [_bar(pool, canvas.width), row(columns, _cells(pool))]
        lines.append(head(columns))
        spare = canvas.height - len(lines)
        room = spare // len(pools)
        if room >= 1:
            lines += [BLANK] * (spare > room * len(pools))
            for i, pool in enumerate(pools):
                graph = area_graph(
                    sample.history.get(pool.name, ()), Plot(canvas.width - 6, room, 1.0), _RAMPS[i % 2]
                )
                lines += [((left("" if y else clean(pool.name), 6), "dim"), *line) for y, line in enumerate(graph)]
        return lines[: canvas.height]

    def note(self, sample: OccupancySample | None) -> str:
        """Say the unit of the figures, and which copies to and from the host are under way."""
        transfers = sample.transfers if sample else None
        if transfers is None or not transfers.under_way:
            return "slots"
        return f"{transfers.under_way:,} host copies, oldest {duration(transfers.oldest_ns)}   slots"


def _bar(pool: PoolState, width: int) -> Line:
    used = (pool.total - pool.free) / pool.total if pool.total else None
    parts = (
        Part(pool.protected, "█", "protected"),
        Part(pool.held, "▓", "held"),
        Part(pool.evictable, "▒", "evictable"),
        Part(pool.free, "·", "free"),
    )
    bar = stacked(parts, max(1, width - 12))
    return ((left(clean(pool.name), 6), "label"), *bar, (f"{share(used):>6}", "value"))


def _cells(pool: PoolState) -> list[str | Span]:
    amounts = (pool.protected, pool.held, pool.evictable, pool.free, pool.total)
    return ["", *(count(amount) for amount in amounts)]
