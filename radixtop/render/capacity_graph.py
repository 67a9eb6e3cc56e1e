"""The hit rate by capacity as a graph: what there is, and parts and multiples of it, are marked with their rates."""

from __future__ import annotations

from itertools import groupby
from math import exp, log

from probes.builtin.capacity import SIZES, CapacityHits, CapacitySample
from radixtop.render.graph import Plot, area_and_line, ceiling
from radixtop.render.lines import Line, Role, Span, right
from radixtop.render.units import count, share

LABEL_CELLS = 6
_DOUBLING_CELLS = 8
_FEWEST_HALVINGS, _MOST_HALVINGS = 1, 6
"""The axis begins so many halvings below what there is, as there is room for the labels of sizes."""

_RAMP: tuple[Role, ...] = ("ramp0", "ramp1", "ramp2", "ramp3")
_DOT, _RULE = "●", "┊"
_FEWEST_ROWS = 4
_FIRST = (1.0, 2.0, 0.5, 4.0, 0.25)
"""The sizes by whose label goes first where there is no room for all."""


def name_of(factor: float) -> str:
    """Return what a size is called: now, 2x, 1/2."""
    if factor == 1:
        return "now"
    return f"{factor:g}x" if factor > 1 else f"1/{1 / factor:g}"


def graph(sample: CapacitySample, width: int, height: int) -> list[Line]:
    """Return the graph of the newest requests, filled, with dots for all where those are more, and its marks below.

    The sample has a size and requests; beyond what is known nothing is drawn.
    """
    assert sample.now_tokens, f"{sample.now_tokens=}"
    columns = max(8, width - LABEL_CELLS - 1)
    halvings = min(_MOST_HALVINGS, max(_FEWEST_HALVINGS, columns // _DOUBLING_CELLS - 2))
    scale = _Scale(sample.now_tokens / 2**halvings, sample.now_tokens * SIZES[-1], columns)
    marks = [_Mark(sample, factor, scale) for factor in SIZES if factor >= 2**-halvings]
    below = _below(marks, scale, tall=height > _FEWEST_ROWS + 3)[: max(0, height - 1)]
    rows = max(1, height - len(below))
    newest = _rates(sample, sample.newest, scale)
    others = () if sample.recent is None else _rates(sample, sample.total, scale)
    top = min(1.0, ceiling(newest, others)) or 1.0
    drawn = area_and_line(newest, others, Plot(columns, rows, top), _RAMP, "warn")
    cells = [[(character, role) for text, role in line for character in text] for line in drawn]
    for mark in marks:
        mark.draw(cells, top)
    labels = {0: share(top), rows - 1: share(0.0)} if rows > 1 else {0: share(top)}
    return [*(_row(labels.get(y, ""), line) for y, line in enumerate(cells)), *below]


class _Scale:
    """A logarithmic axis over some columns."""

    def __init__(self, low: float, high: float, columns: int) -> None:
        self.columns = columns
        self._low = low
        self._span = log(high / low)

    def column(self, tokens: float) -> int:
        """Return the column that a capacity lies in."""
        return min(self.columns - 1, max(0, round(log(tokens / self._low) / self._span * (self.columns - 1))))

    def capacities(self) -> list[float]:
        """Return the capacities that dots are drawn for, two a column."""
        last = 2 * self.columns - 1
        return [self._low * exp(self._span * place / last) for place in range(last + 1)]


class _Mark:
    """A size on the curve."""

    def __init__(self, sample: CapacitySample, factor: float, scale: _Scale) -> None:
        assert sample.now_tokens is not None
        tokens = sample.now_tokens * factor
        self.factor = factor
        self.column = scale.column(tokens)
        self.slots = count(tokens)
        self.rate = sample.hit_rate(tokens, sample.newest)
        self.role: Role = "good" if factor == 1 else "value"

    def draw(self, cells: list[list[Span]], top: float) -> None:
        """Put a dot on the curve, and a line above and below it for what there is."""
        if self.rate is None:
            return
        rows = len(cells)
        y = min(rows - 1, int((1 - self.rate / top) * rows))
        if self.factor == 1:
            for line in cells:
                line[self.column] = (_RULE, self.role)
        cells[y][self.column] = (_DOT, self.role)


def _rates(sample: CapacitySample, of: CapacityHits, scale: _Scale) -> list[float | None]:
    last = sample.capacities[-1]
    return [sample.hit_rate(min(tokens, last), of) for tokens in scale.capacities()]


def _row(label: str, cells: list[Span]) -> Line:
    spans: list[Span] = [(right(label, LABEL_CELLS), "label"), ("│", "rule")]
    for role, group in groupby(cells, key=lambda cell: cell[1]):
        spans.append(("".join(text for text, _ in group), role))
    return tuple(spans)


def _below(marks: list[_Mark], scale: _Scale, *, tall: bool) -> list[Line]:
    """Return the axis, and below it the rates of the sizes and, where there is room, what those are."""
    rule = ["─"] * scale.columns
    for mark in marks:
        rule[mark.column] = "┬"
    axis: Line = ((" " * LABEL_CELLS, "text"), ("└" + "".join(rule), "rule"))
    rates = _labels([(mark, share(mark.rate)) for mark in marks], scale)
    names = _labels([(mark, name_of(mark.factor)) for mark in marks], scale)
    slots = _labels([(mark, mark.slots) for mark in marks], scale)
    return [axis, rates, names, slots] if tall else [axis, rates, names]


def _labels(said: list[tuple[_Mark, str]], scale: _Scale) -> Line:
    """Return a line of words below their columns; those for which there is no room are left out."""
    taken: list[tuple[int, str, Role]] = []
    for mark, text in sorted(said, key=lambda each: _FIRST.index(each[0].factor)):
        start = min(max(0, mark.column - len(text) // 2), scale.columns - len(text))
        if all(start + len(text) < other or other + len(words) < start for other, words, _ in taken):
            taken.append((start, text, mark.role if mark.factor == 1 else "label"))
    spans: list[Span] = [(" " * (LABEL_CELLS + 1), "text")]
    at = 0
    for start, text, role in sorted(taken):
        spans += [(" " * (start - at), "text"), (text, role)]
        at = start + len(text)
    return tuple(spans)
