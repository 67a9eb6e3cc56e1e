"""What leaves the pool of windows, and what is computed again for want of it, over a minute."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.windows import WindowsSample
from radixtop.panel import Canvas, Panel
from radixtop.render.graph import Plot, Samples, area_graph, ceiling
from radixtop.render.lines import Line, Role, ends
from radixtop.render.units import count

_TOP_FROM = 44


class WindowsPanel(Panel[WindowsSample]):
    """Two histories: tokens recomputed, and tokens of windows evicted, each with its sum of the last minute."""

    sample: ClassVar[type] = WindowsSample

    def paint(self, sample: WindowsSample | None, canvas: Canvas) -> list[Line]:
        """Return both histories under their names."""
        if sample is not None and sample.component is None:
            return [(("no sliding window in this cache", "dim"),)]
        upper = _history(
            "recomputed", None if sample is None else sample.recomputed_tokens,
            () if sample is None else sample.recomputed_history, canvas, "full",
        )  # fmt: skip
        lower = _history(
            "evicted", None if sample is None else sample.evicted_tokens,
            () if sample is None else sample.evicted_history, canvas, "cost1",
        )  # fmt: skip
        return [*upper, *lower][: canvas.height]

    def note(self, sample: WindowsSample | None) -> str:
        """Say what the histories are of."""
        return "tokens/s over 60 s"


def _history(name: str, tokens: int | None, values: Samples, canvas: Canvas, role: Role) -> list[Line]:
    rows = max(1, canvas.height // 2 - 1)
    is_known = any(value is not None for value in values)
    top = f"top {count(ceiling(values))}/s   " if is_known and canvas.width >= _TOP_FROM else ""
    total = "-" if tokens is None else f"{count(tokens)} in 60 s"
    title = ends(((f"▪ {name}", role),), ((top, "dim"), (total, "value")), canvas.width)
    return [title, *area_graph(values, Plot(canvas.width, rows, ceiling(values)), (role,))]
