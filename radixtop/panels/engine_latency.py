"""How long a server takes, as its metrics tell: to the first token, between tokens, in the queue."""

from __future__ import annotations

from radixtop.fleet.engine_panel import EnginePanel
from radixtop.fleet.shown import OF_ALL, ShownEngine
from radixtop.panel import Canvas
from radixtop.render.lines import Line, Span
from radixtop.render.rank_lines import seconds
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import UNKNOWN, count

_COLUMNS = (
    Column("", 13, "label", at_left=True),
    Column("p50", 7, "value"),
    Column("p95", 7, "value", drop_below=40),
    Column("p99", 7, "value"),
    Column("count", 6, "dim"),
)
_ROWS = (
    ("first token", "ttft_seconds"),
    ("each token", "inter_token_seconds"),
    ("in queue", "queue_seconds"),
    ("prefill", "prefill_seconds"),
    ("whole", "e2e_seconds"),
)
_ALWAYS = 3


class EngineLatencyPanel(EnginePanel):
    """A line for each time that is told, of the last minute."""

    def paint(self, sample: ShownEngine | None, canvas: Canvas) -> list[Line]:
        """Return the lines, the most important first."""
        columns = arrange(_COLUMNS, canvas.width)
        lines = [head(columns)]
        for place, (name, role) in enumerate(_ROWS):
            spread, is_shared = sample.spread(role) if sample else (None, False)
            if spread is None and place >= _ALWAYS:
                continue
            said = f"{OF_ALL} {name}" if is_shared else name
            quantiles = (spread.p50, spread.p95, spread.p99) if spread else (None, None, None)
            cells: list[str | Span] = [said, *map(seconds, quantiles), count(spread.count) if spread else UNKNOWN]
            lines.append(row(columns, cells))
        return lines[: canvas.height]

    def more(self, sample: ShownEngine) -> str:
        """Say of when they are."""
        return "last minute, or all"
