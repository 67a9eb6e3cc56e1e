"""Hit rate against memory in a terminal: what the rows reach with so much, below what is possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from math import log10

from radixtop.compare import words
from radixtop.compare.row import Comparison, Row
from radixtop.render.bars import gauge
from radixtop.render.graph import Plot, area_and_line
from radixtop.render.lines import BLANK, Line, Role, clean, left, right
from radixtop.render.units import count, share
from radixtop.reports.texts.parts import INDENT, heading, indented

ROWS = 8
_LABEL_CELLS = 6
_DOT = "●"
_NAME_CELLS = 34
_ROLES: tuple[Role, ...] = ("flow0", "flow1")

Steps = Sequence[tuple[float, float]]
"""Sizes, ascending, and the hit rate that is reached from each one on."""


def plot(comparison: Comparison, width: int) -> Iterator[Line]:
    """Yield the best hit rate by memory, or where all rows take the same a bar for each."""
    known = [(row, row.figures.hit_rate) for row in comparison.rows if row.figures]
    points = sorted((size_of(row), rate) for row, rate in known if rate is not None)
    if not points:
        return
    if len({size for size, _ in points}) < 2:
        yield from heading("hit rate", width)
        yield from indented(list(_bars([row for row, _ in known], width - INDENT)))
        return
    per_slot = comparison.slot_size
    bound, behind = _behind(comparison, per_slot) if per_slot else ([], [])
    in_bytes = all(row.memory_bytes is not None for row in comparison.rows)
    unit = "GiB" if in_bytes else "slots of the full pool"
    said = ", filled LRU on blocks" if behind else ""
    said += ", dotted the optimum" if bound else ""
    yield from heading(f"{_DOT} hit rate by {unit}{said}", width)
    graph = curve(behind or points, bound, width - INDENT, label=_gib if in_bytes else count)
    yield from indented(_marked(graph, points, (*points, *bound, *behind)))


def _behind(comparison: Comparison, per_slot: float) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Return the optimum, and what LRU hits at any size, over the axis of memory."""
    bound = [
        (each.slots * per_slot, each.figures.hit_rate)
        for each in comparison.references
        if each.name == "optimal" and each.slots and each.figures and each.figures.hit_rate is not None
    ]
    return sorted(bound), [(slots * per_slot, rate) for slots, rate in comparison.curve]


def _marked(graph: Sequence[Line], points: Steps, drawn: Steps) -> list[Line]:
    """Return a graph with a dot for each point; what is `drawn` gives it its scale."""
    low, high = points[0][0], points[-1][0]
    top = _top([rate for _, rate in drawn])
    cells = [[(character, role) for text, role in line for character in text] for line in graph]
    columns = len(cells[0]) - _LABEL_CELLS - 1
    for size, rate in points:
        x = round(log10(size / low) / log10(high / low) * (columns - 1))
        y = min(ROWS - 1, int((1 - rate / top) * ROWS))
        cells[y][_LABEL_CELLS + 1 + x] = (_DOT, "value")
    return [
        tuple(("".join(text for text, _ in group), role) for role, group in groupby(line, key=lambda cell: cell[1]))
        for line in cells
    ]


def _gib(size_bytes: float) -> str:
    return f"{size_bytes / (1 << 30):.4g} GiB"


def size_of(row: Row) -> float:
    """Return where a row lies on the axis of memory."""
    return float(row.memory_bytes if row.memory_bytes is not None else row.slots.get("full", 0))


def curve(
    points: Steps, bound: Steps, width: int, now: float | None = None, label: Callable[[float], str] = count
) -> list[Line]:
    """Return a graph of steps, filled, with a dotted line for what bounds them, over a logarithmic axis of sizes."""
    columns = max(16, width - _LABEL_CELLS - 1)
    low, high = points[0][0], points[-1][0]
    sizes = [low * (high / low) ** (place / (2 * columns - 1)) for place in range(2 * columns)]
    top = _top([rate for _, rate in (*points, *bound)])
    area = [_reached(points, size) for size in sizes]
    line = [_reached(bound, size) for size in sizes]
    graph = area_and_line(area, line, Plot(columns, ROWS, top), _ROLES, "warn")
    labels = {0: share(top), ROWS - 1: share(0.0)}
    rows: list[Line] = []
    for y, spans in enumerate(graph):
        rows.append(((right(labels.get(y, ""), _LABEL_CELLS), "label"), ("│", "rule"), *spans))
    return [*rows, *_axis(low, high, columns, now, label)]


def _reached(steps: Steps, size: float) -> float | None:
    """Return the best rate among the steps up to a size; None before the first one."""
    rates = [rate for at, rate in steps if at <= size * 1.000001]
    return max(rates) if rates else None


def _top(rates: Sequence[float]) -> float:
    """Return the top of the scale: a round share of 1."""
    most = max(rates)
    return next(step for step in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0) if most <= step or step == 1.0)


def _axis(low: float, high: float, columns: int, now: float | None, label: Callable[[float], str]) -> Iterator[Line]:
    """Yield the line below the graph with its marks, and what they stand for."""
    marks = [(0, label(low)), (columns - 1, label(high))]
    if now is not None and low < now < high:
        marks.insert(1, (round(log10(now / low) / log10(high / low) * (columns - 1)), f"now {label(now)}"))
    rule, said = ["─"] * columns, ""
    for column, text in marks:
        rule[column] = "┬"
        start = min(max(0, column - len(text) // 2), columns - len(text))
        if start > len(said) or not said:
            said = said.ljust(start) + text
    yield ((" " * _LABEL_CELLS, "text"), ("└" + "".join(rule), "rule"))
    yield ((" " * (_LABEL_CELLS + 1) + said, "label"),)


def _bars(rows: Sequence[Row], width: int) -> Iterator[Line]:
    name_cells = min(_NAME_CELLS, max(len(row.name) for row in rows))
    for row in rows:
        rate = row.figures.hit_rate if row.figures else None
        role: Role = "good" if row.is_best else "value"
        bar = gauge(rate, max(8, width - name_cells - 8), role)
        yield ((left(clean(row.name), name_cells) + " ", "label"), *bar, (right(words.rate(row.figures), 7), role))
    yield BLANK
