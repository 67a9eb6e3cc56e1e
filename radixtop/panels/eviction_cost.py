"""What an evict call costs, second by second, on a logarithmic scale."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.evictions import EvictionSample
from radixtop.panel import Canvas, Panel
from radixtop.render.lines import Line, Role
from radixtop.render.log_graph import LogPlot, log_graph
from radixtop.render.units import duration

_RAMP: tuple[Role, ...] = ("cost0", "cost1")


class EvictionCostPanel(Panel[EvictionSample]):
    """The middle of each second's calls as an area, the dearest call as dots."""

    sample: ClassVar[type] = EvictionSample

    def paint(self, sample: EvictionSample | None, canvas: Canvas) -> list[Line]:
        """Return the graph of the last minute."""
        if sample is None:
            return [(("-", "dim"),)]
        if not any(sample.most_history):
            return [(("no call was timed in the last 60 s", "dim"),)]
        plot = LogPlot(canvas.width, canvas.height, duration, _RAMP, "warn")
        return log_graph(sample.middle_history, sample.most_history, plot)

    def note(self, sample: EvictionSample | None) -> str:
        """Say how the two are drawn."""
        return "area: p50   dots: most   last 60 s"
