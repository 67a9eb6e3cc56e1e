"""How full a server's pools are, as its metrics tell: KV, sliding window, recurrent states, host memory."""

from __future__ import annotations

from typing import NamedTuple

from radixtop.fleet.engine_panel import EnginePanel
from radixtop.fleet.shown import ShownEngine
from radixtop.panel import Canvas
from radixtop.render.bars import Part, gauge, stacked
from radixtop.render.graph import Plot, area_graph
from radixtop.render.lines import BLANK, Line, Role, left
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import count, share

_NAME = 6
_COLUMNS = (
    Column("", 5, "label", at_left=True),
    Column("█ used", 6, "protected", title_role="protected"),
    Column("▒ evic", 6, "evictable", title_role="evictable"),
    Column("· free", 6, "label", title_role="label"),
    Column("total", 6, "value"),
)
_RAMP: tuple[Role, ...] = ("flow0", "flow1")


class _Pool(NamedTuple):
    """A pool: its name here, and how its gauges are called."""

    name: str
    stem: str
    unit: str


_POOLS = (
    _Pool("full", "full", "tokens"),
    _Pool("swa", "swa", "tokens"),
    _Pool("mamba", "mamba", "states"),
    _Pool("host", "host", "tokens"),
)


class EnginePoolsPanel(EnginePanel):
    """A bar for each pool that is told of: what requests use, what may be evicted, what is free."""

    def paint(self, sample: ShownEngine | None, canvas: Canvas) -> list[Line]:
        """Return the bars over their figures, then, where there is room, a minute of the share in use."""
        pools = [pool for pool in _POOLS if sample is not None and _is_told(sample, pool)]
        if sample is None or not pools:
            return [(("- no pool is told of", "dim"),)]
        columns = arrange(_COLUMNS, canvas.width)
        lines: list[Line] = []
        has_figures = canvas.height >= 2 * len(pools) + 1
        for pool in pools:
            lines.append(_bar(sample, pool, canvas.width))
            lines += [row(columns, ["", *map(count, _amounts(sample, pool))])] * has_figures
        if canvas.height > len(lines):
            lines.append(head(columns))
        spare = canvas.height - len(lines) - 1
        if spare >= 2:
            graph = area_graph(sample.rank.usage_history, Plot(canvas.width - _NAME, spare, 1.0), _RAMP)
            words = ["full", "in use"]
            lines += [
                BLANK,
                *(((left(words[y] if y < 2 else "", _NAME), "dim"), *line) for y, line in enumerate(graph)),
            ]
        return lines[: canvas.height]

    def more(self, sample: ShownEngine) -> str:
        """Say the size of a page."""
        page = sample.gauge("page_tokens")
        return f"page {page:,.0f}" if page else ""


def _is_told(sample: ShownEngine, pool: _Pool) -> bool:
    roles = (f"total_{pool.unit}", f"used_{pool.unit}", "usage")
    total, used, usage = (sample.gauge(f"{pool.stem}_{role}") for role in roles)
    return bool(total) or bool(used) or (usage is not None and pool.name == "full") or bool(usage)


def _amounts(sample: ShownEngine, pool: _Pool) -> tuple[float | None, float | None, float | None, float | None]:
    """Return what is used, evictable, free and there in all, each as far as it is told or follows."""
    used, evictable, free, total = (
        sample.gauge(f"{pool.stem}_{what}_{pool.unit}") for what in ("used", "evictable", "available", "total")
    )
    if free is None and used is not None and total is not None:
        free = max(0.0, total - used - (evictable or 0.0))
    return used, evictable, free, total


def _bar(sample: ShownEngine, pool: _Pool, width: int) -> Line:
    used, evictable, free, total = _amounts(sample, pool)
    usage = sample.gauge(f"{pool.stem}_usage")
    if usage is None and used is not None and total:
        usage = used / total
    room = max(1, width - 2 * _NAME)
    parts = (
        Part(used or 0, "█", "protected"),
        Part(evictable or 0, "▒", "evictable"),
        Part(free or 0, "·", "free"),
    )
    bar = gauge(usage, room, "protected") if used is None or free is None else stacked(parts, room)
    return ((left(pool.name, _NAME), "label"), *bar, (f"{share(usage):>{_NAME}}", "value"))
