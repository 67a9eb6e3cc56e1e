"""How much is evicted: calls and freed tokens a second, each with its minute."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.evictions import EvictionSample
from radixtop.panel import Canvas, Panel
from radixtop.render.graph import Plot, Samples, area_graph, ceiling
from radixtop.render.lines import Line, Role, clean, left, right
from radixtop.render.units import rate

_NAME_CELLS, _RATE_CELLS = 12, 8
_SECONDS = 10
_ROLES: tuple[Role, ...] = ("cost1", "evictable", "tombstone", "flow1")


class EvictionRatesPanel(Panel[EvictionSample]):
    """One line each: the mean of the last ten seconds, and the minute before."""

    sample: ClassVar[type] = EvictionSample

    def paint(self, sample: EvictionSample | None, canvas: Canvas) -> list[Line]:
        """Return a line for calls and for the tokens of each component."""
        if sample is None:
            return [_line("calls", (), canvas.width, 1, _ROLES[0])[0]]
        rows = [("calls", sample.calls_history)]
        rows += [(f"{clean(name)} tokens", history) for name, history in sample.freed_rates.items()]
        height = max(1, canvas.height // len(rows))
        lines: list[Line] = []
        for number, (name, history) in enumerate(rows):
            lines += _line(name, history, canvas.width, height, _ROLES[number % len(_ROLES)])
        return lines[: canvas.height]

    def note(self, sample: EvictionSample | None) -> str:
        """Say over which time."""
        return "mean of 10 s, last 60 s"


def _line(name: str, history: Samples, width: int, height: int, role: Role) -> list[Line]:
    room = width - _NAME_CELLS - _RATE_CELLS - 2
    graph = area_graph(history, Plot(room, height, ceiling(history)), (role,)) if room > 3 else [()] * height
    text = ((left(name, _NAME_CELLS), "label"), (right(rate(_mean(history)), _RATE_CELLS), "value"), ("  ", "text"))
    blank = ((" " * (_NAME_CELLS + _RATE_CELLS + 2), "text"),)
    return [(*(text if y == height - 1 else blank), *line) for y, line in enumerate(graph)]


def _mean(history: Samples) -> float | None:
    known = [value for value in history[-_SECONDS:] if value is not None]
    return sum(known) / len(known) if known else None
