"""History graphs in braille: four dots high and two samples wide in each cell.

A known zero still draws its bottom dot; an unknown sample draws nothing. So "no traffic yet" and "nothing hit"
look different.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from radixtop.render.lines import Line, Role, Span

Samples = Sequence[float | None]

# Bits of a braille cell, by column and by height from the bottom.
_DOTS = ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08))
_BRAILLE = 0x2800

_STEPS = (0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
"""The round numbers that a scale may end at, in parts of a power of ten."""


@dataclass(frozen=True, slots=True)
class Plot:
    """The room of a graph in cells, and the value at its top."""

    width: int
    rows: int
    top: float


def resample(values: Samples, points: int) -> list[float | None]:
    """Return `points` samples of the same span of time: repeated where there are few, averaged where many."""
    n = len(values)
    if not n:
        return [None] * points
    if n <= points:
        return [values[i * n // points] for i in range(points)]
    return [_mean(values[i * n // points : (i + 1) * n // points]) for i in range(points)]


def _mean(values: Samples) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def ceiling(*series: Samples) -> float:
    """Return the top of a scale that holds all samples: a round number, 0 when all are 0."""
    top = max((value for values in series for value in values if value is not None), default=0.0)
    if top <= 0:
        return 0.0
    power = 1.0
    while power < top:
        power *= 10
    while power / 10 >= top:
        power /= 10
    return next(power * step for step in _STEPS if power * step >= top)


def topped(text: str, values: Samples, unit: Callable[[float], str]) -> str:
    """Return `text` and the top of the scale of `values`; where no sample is known there is none."""
    if all(value is None for value in values):
        return text
    return ", ".join(part for part in (text, f"top {unit(ceiling(values))}") if part)


def _heights(values: Samples, plot: Plot) -> list[int | None]:
    """Return the dots each sample reaches, 1 or more when known."""
    dots = plot.rows * 4
    return [
        None if value is None else max(1, min(dots, round(value / plot.top * dots) if plot.top > 0 else 1))
        for value in resample(values, plot.width * 2)
    ]


def _column(area: int | None, line: int | None, row: int, dots: tuple[int, ...]) -> tuple[int, bool]:
    """Return the bits of one half cell whose lowest dot is at height `row` * 4, and whether the area touches it."""
    bits = 0
    low = row * 4
    for height, bit in enumerate(dots, start=low + 1):
        if (area is not None and height <= area) or height == line:
            bits |= bit
    return bits, area is not None and area > low


def area_and_line(area: Samples, line: Samples, plot: Plot, roles: Sequence[Role], line_role: Role) -> list[Line]:
    """Return the rows of a graph: `area` filled from below, `line` drawn as single dots above it.

    `roles` colours the area from the bottom row to the top one. Cells that only the line touches take
    `line_role`.
    """
    areas = _heights(area, plot)
    lines = _heights(line, plot)
    graph: list[Line] = []
    for row in reversed(range(plot.rows)):
        role = roles[row * len(roles) // plot.rows]
        spans: list[Span] = []
        for x in range(0, plot.width * 2, 2):
            left_bits, left_area = _column(areas[x], lines[x], row, _DOTS[0])
            right_bits, right_area = _column(areas[x + 1], lines[x + 1], row, _DOTS[1])
            bits = left_bits | right_bits
            spans.append((chr(_BRAILLE | bits) if bits else " ", role if left_area or right_area else line_role))
        graph.append(_joined(spans))
    return graph


def area_graph(values: Samples, plot: Plot, roles: Sequence[Role]) -> list[Line]:
    """Return the rows of a graph with `values` filled from below."""
    return area_and_line(values, (), plot, roles, roles[-1])


def _joined(spans: Sequence[Span]) -> Line:
    """Return neighbouring spans of one role as one span."""
    joined: list[Span] = []
    for text, role in spans:
        if joined and joined[-1][1] == role:
            joined[-1] = (joined[-1][0] + text, role)
        else:
            joined.append((text, role))
    return tuple(joined)
