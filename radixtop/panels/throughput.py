"""Tokens per second of prefill and decode, and how long a step of the engine takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from probes.builtin.throughput import ThroughputSample
from radixtop.panel import Canvas, Panel
from radixtop.render.graph import Plot, area_graph, ceiling, topped
from radixtop.render.lines import Line, Role, ends
from radixtop.render.units import count, duration, rate


class ThroughputPanel(Panel[ThroughputSample]):
    """What the engine computes: prompt tokens that missed, and tokens it generates."""

    sample: ClassVar[type] = ThroughputSample

    def paint(self, sample: ThroughputSample | None, canvas: Canvas) -> list[Line]:
        """Return a figure and a graph for prefill and decode each, then the step's quantiles."""
        rows = max(0, canvas.height - 3)
        prefill = (
            _Flow("prefill", sample.prefill_tokens_per_s, sample.prefill_history) if sample else _Flow("prefill")
        )
        decode = _Flow("decode", sample.decode_tokens_per_s, sample.decode_history) if sample else _Flow("decode")
        lines = [
            *prefill.lines(canvas.width, (rows + 1) // 2, ("flow0", "flow1")),
            *decode.lines(canvas.width, rows // 2, ("ramp1", "ramp3")),
        ]
        return [*lines[: canvas.height - 1], _step(sample, canvas.width)]

    def note(self, sample: ThroughputSample | None) -> str:
        """Say what the graphs show."""
        return "tokens/s over 60 s"


@dataclass(frozen=True, slots=True)
class _Flow:
    """Tokens per second of one kind of work, now and over time."""

    name: str
    tokens_per_s: float | None = None
    history: tuple[float | None, ...] = ()

    def lines(self, width: int, rows: int, roles: Sequence[Role]) -> list[Line]:
        """Return a title with the figure, and a graph of so many rows."""
        top = ceiling(self.history)
        start: Line = (("▪ ", roles[-1]), (self.name, "label"))
        end: Line = ((f"{topped('', self.history, count)}  ", "dim"), (f"{rate(self.tokens_per_s):>7}", "value"))
        return [ends(start, end, width), *area_graph(self.history, Plot(width, rows, top), roles)]


def _step(sample: ThroughputSample | None, width: int) -> Line:
    step = sample.step if sample else None
    p50, p99 = (step.p50, step.p99) if step else (None, None)
    lower, upper = f"{duration(p50):>6}", f"{duration(p99):>6}"
    end: Line = (("p50 ", "label"), (lower, "value"), ("  p99 ", "label"), (upper, "value"))
    return ends((("step", "label"),), end, width)
