"""Two logarithmic axes in a terminal: clouds of dots in braille, and a mark for each median."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from profiles.plots.log_axis import LogAxis, axis_of
from radixtop.render.lines import Line, Role, Span, left, right

# Bits of a braille cell by column and by row from the top.
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_BRAILLE = 0x2800
_MARGIN_CELLS = 7

Point = tuple[float, float]
"""The log10 of x and of y."""


@dataclass(frozen=True, slots=True)
class Cloud:
    """Points of one kind, the medians among them, and how both are drawn."""

    points: Sequence[Point]
    medians: Sequence[Point]
    mark: str
    role: Role
    mark_role: Role


@dataclass(frozen=True, slots=True)
class Axes:
    """The room of a plot in cells, and how powers of ten are written on its axes."""

    width: int
    rows: int
    across: Callable[[int], str]
    up: Callable[[int], str]


def scatter(clouds: Sequence[Cloud], axes: Axes) -> list[Line]:
    """Return the rows of a plot with its axes; later clouds are drawn over earlier ones."""
    points = [point for cloud in clouds for point in (*cloud.points, *cloud.medians)]
    columns = max(8, axes.width - _MARGIN_CELLS - 1)
    across = axis_of((x for x, _ in points), 2 * columns, margin=0.05)
    up = axis_of((y for _, y in points), 4 * axes.rows, margin=0.05)
    cells = [[(0, "dim", "")] * columns for _ in range(axes.rows)]
    for cloud in clouds:
        for point in cloud.points:
            column, row, bit = _dot(point, across, up, (columns, axes.rows))
            bits, _, mark = cells[row][column]
            cells[row][column] = (bits | bit, cloud.role, mark)
    marks = {cloud.mark: cloud.mark_role for cloud in clouds}
    for cloud in clouds:
        for point in cloud.medians:
            column, row, _ = _dot(point, across, up, (columns, axes.rows))
            cells[row][column] = (0, "text", cloud.mark)
    ticks = {_dot((across.low, decade), across, up, (columns, axes.rows))[1]: decade for decade in up.decades()}
    lines = []
    for row, line in enumerate(cells):
        label = axes.up(ticks[row]) if row in ticks else ""
        spans: list[Span] = [(right(label, _MARGIN_CELLS), "label"), ("┤" if label else "│", "rule")]
        for bits, role, mark in line:
            spans.append((mark, marks[mark]) if mark else (chr(_BRAILLE | bits) if bits else " ", role))  # type: ignore[arg-type]
        lines.append(tuple(spans))
    return [*lines, *_below(across, columns, axes.across)]


def _dot(point: Point, across: LogAxis, up: LogAxis, size: tuple[int, int]) -> tuple[int, int, int]:
    """Return the column, the row from the top and the bit of a point."""
    columns, rows = size
    x = min(2 * columns - 1, max(0, int(across.place(point[0]))))
    y = min(4 * rows - 1, max(0, 4 * rows - 1 - int(up.place(point[1]))))
    return x // 2, y // 4, _DOTS[x % 2][y % 4]


def _below(across: LogAxis, columns: int, label: Callable[[int], str]) -> list[Line]:
    """Return the line under the plot and the powers of ten below it."""
    rule, words = ["─"] * columns, ""
    for decade in across.decades():
        column = min(columns - 1, int(across.place(decade)) // 2)
        rule[column] = "┬"
        text = label(decade)
        start = min(max(0, column - len(text) // 2), columns - len(text))
        if start > len(words) or not words:
            words = words.ljust(start) + text
    margin = left("", _MARGIN_CELLS)
    return [((margin, "text"), ("└" + "".join(rule), "rule")), ((margin + " " + words, "label"),)]
