"""How long a server takes, as its metrics tell: to the first token, between tokens, in the queue."""

from __future__ import annotations

from radixtop.fleet.engine_panel import EnginePanel
from radixtop.fleet.shown import OF_ALL, ShownEngine
from radixtop.fleet.spread import ToldSpread
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
            told = sample.spread(role) if sample else None
            if told is None and place >= _ALWAYS:
                continue
            lines.append(row(columns, _cells(name, told)))
        return lines[: canvas.height]

    def more(self, sample: ShownEngine) -> str:
        """Say of when they are."""
        return "last minute, or all"


def _cells(name: str, told: ToldSpread | None) -> list[str | Span]:
    if told is None:
        return [name, *[UNKNOWN] * 4]
    spread = told.spread
    said = f"{OF_ALL} {name}" if told.of_all else name
    return [said, *map(seconds, (spread.p50, spread.p95, spread.p99)), count(spread.count)]
