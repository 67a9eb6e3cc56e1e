"""How old and how idle: quantiles of what was hit and of what was evicted."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.ages import AgesSample
from probes.log_shape import LogShape
from radixtop.panel import Canvas, Panel
from radixtop.render.lines import Line, clean
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import count, duration

_COLUMNS = (
    Column("", 0, "label", at_left=True),
    Column("nodes", 6, "dim", drop_below=46),
    Column("p10", 6, drop_below=54),
    Column("p50", 6, "value"),
    Column("p90", 6),
    Column("p99", 6, drop_below=40),
)


class AgesPanel(Panel[AgesSample]):
    """A line for each distribution."""

    sample: ClassVar[type] = AgesSample

    def paint(self, sample: AgesSample | None, canvas: Canvas) -> list[Line]:
        """Return the table."""
        columns = arrange(_COLUMNS, canvas.width)
        rows = [row(columns, _cells(name, shape)) for name, shape in _rows(sample)]
        return [head(columns), *rows][: canvas.height]

    def note(self, sample: AgesSample | None) -> str:
        """Say that a part was looked at, where that is so."""
        return f"{count(sample.left_out)} left out" if sample and sample.left_out else "since the watch began"


def _rows(sample: AgesSample | None) -> list[tuple[str, LogShape]]:
    if sample is None:
        return [("reuse gap", LogShape()), ("idle at evict", LogShape()), ("lifetime", LogShape())]
    rows = [("reuse gap", sample.reuse_ns)]
    rows += [(f"idle at evict, {clean(each.component)}", each.idle_ns) for each in sample.components]
    rows += [(f"lifetime, {clean(each.component)}", each.lifetime_ns) for each in sample.components]
    return [*rows, ("age when hit", sample.hit_age_ns)]


def _cells(name: str, shape: LogShape) -> list[str]:
    quantiles = (shape.p10, shape.p50, shape.p90, shape.p99)
    return [name, count(shape.count) if shape.count else "-", *map(duration, quantiles)]
