"""The hit rate by capacity, marked at what there is."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.capacity import CapacitySample
from radixtop.panel import Canvas, Panel
from radixtop.render.capacity_graph import graph
from radixtop.render.lines import Line
from radixtop.render.units import UNKNOWN, age


class CapacityCurvePanel(Panel[CapacitySample]):
    """What LRU hits of the newest requests with less room and with more."""

    sample: ClassVar[type] = CapacitySample

    def paint(self, sample: CapacitySample | None, canvas: Canvas) -> list[Line]:
        """Return the graph."""
        if sample is None or sample.now_tokens is None:
            return [((UNKNOWN, "dim"),)]
        if not sample.newest.queried_tokens:
            return [(("no request has passed yet", "dim"),)]
        return graph(sample, canvas.width, canvas.height)[: canvas.height]

    def note(self, sample: CapacitySample | None) -> str:
        """Say what is drawn, and what it does not know."""
        if sample is None or not sample.total.queried_tokens:
            return ""
        drawn = "since the watch began"
        if sample.recent is not None:
            drawn = f"area: last {age(sample.recent_ns)}   dots: all"
        return drawn if sample.is_whole else f"{drawn}   began late: what was evicted before counts as new"
