"""History graphs on a logarithmic scale, with its powers of ten at the left edge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from radixtop.render.graph import Plot, Samples, area_and_line
from radixtop.render.lines import Line, Role, right

LABEL_CELLS = 6


@dataclass(frozen=True, slots=True)
class LogPlot:
    """The room of a graph in cells, how a value is written, and the roles of its area, its line and its scale."""

    width: int
    rows: int
    unit: Callable[[float], str]
    roles: Sequence[Role]
    line_role: Role


def log_graph(area: Samples, line: Samples, plot: LogPlot) -> list[Line]:
    """Return rows with a scale at the left: `area` filled from below, `line` as dots above it.

    The scale holds all that is known; 0 lies at its bottom.
    """
    low, high = bounds(area, line)
    dots = Plot(max(1, plot.width - LABEL_CELLS - 1), plot.rows, log10(high / low))
    graph = area_and_line(_above(area, low), _above(line, low), dots, plot.roles, plot.line_role)
    labels = _labels(low, high, plot)
    return [
        ((right(labels.get(y, ""), LABEL_CELLS) + "▕", "dim"), *spans) for y, spans in enumerate(graph[: plot.rows])
    ]


def bounds(*series: Samples) -> tuple[float, float]:
    """Return round numbers, 1, 2 or 5 times a power of ten, below and above all values; (1, 10) for none."""
    known = [value for values in series for value in values if value is not None and value > 0]
    if not known:
        return 1.0, 10.0
    low = max(step for step in _steps(min(known)) if step <= min(known))
    above = [step for step in _steps(max(known)) if step >= max(known)]
    return low, next(step for step in above if step >= 2 * low)


def _steps(value: float) -> list[float]:
    """Return the round numbers around a value, ascending."""
    power = floor(log10(value))
    return [step * 10.0**exponent for exponent in range(power - 1, power + 3) for step in (1, 2, 5)]


def _above(values: Samples, low: float) -> list[float | None]:
    return [None if value is None else max(0.0, log10(value / low)) if value > 0 else 0.0 for value in values]


def _labels(low: float, high: float, plot: LogPlot) -> dict[int, str]:
    """Return by row, from the top, the value at its upper edge: the bounds, and the powers of ten between."""
    labels = {plot.rows - 1: plot.unit(low), 0: plot.unit(high)}
    for power in range(floor(log10(low)) + 1, ceil(log10(high))):
        row = round((log10(high) - power) / log10(high / low) * plot.rows)
        if all(abs(row - other) > 1 for other in labels):
            labels[row] = plot.unit(10.0**power)
    return labels
