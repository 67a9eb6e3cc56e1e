"""What the cache's own operations cost, and how many records it emits."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.operations import OperationsSample
from probes.histogram import Quantiles
from radixtop.panel import Canvas, Panel
from radixtop.render.figures import figures
from radixtop.render.lines import BLANK, Line, Span, clean
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import count, duration, grouped, rate

_COLUMNS = (
    Column("operation", 9, "label", at_left=True),
    Column("calls", 6, "text"),
    Column("mean", 7, "text", drop_below=42),
    Column("p50", 7, "value"),
    Column("p99", 7, "value"),
)


class OperationsPanel(Panel[OperationsSample]):
    """Match, insert, evict: calls and durations; below, the stream of records."""

    sample: ClassVar[type] = OperationsSample

    def paint(self, sample: OperationsSample | None, canvas: Canvas) -> list[Line]:
        """Return one line per operation, then the records."""
        columns = arrange(_COLUMNS, canvas.width)
        cost = sample.cost if sample else {}
        stream = figures(
            [
                ("records", grouped(sample.records if sample else None)),
                ("records now", rate(sample.records_per_s if sample else None)),
            ],
            min(canvas.width, 40),
        )
        rows = [row(columns, _cells(name, quantiles)) for name, quantiles in cost.items()]
        return [head(columns), *rows, BLANK, *stream][: canvas.height]


def _cells(name: str, cost: Quantiles) -> list[str | Span]:
    return [clean(name), count(cost.count), duration(cost.mean), duration(cost.p50), duration(cost.p99)]
