"""Where the pages of a path are: a cell for each, or for some of them, and a line for each component."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from radixtop.render.lines import BLANK, Line, Role, Span, left
from radixtop.render.marks import LEAVING, MIXED, TOMBSTONE, live_marks
from radixtop.render.units import grouped
from radixtop.tree.node import Run

_NAME = 6
"""The cells that the names of lines take."""

_DIGITS = 10


def page_map(runs: Sequence[Run], page_tokens: int, width: int, components: Sequence[str]) -> list[Line]:
    """Return the legend, a line per component with where its data is, and one with how many locks hold each page."""
    room = max(1, width - _NAME - 1)
    if not runs or runs[-1].end <= runs[0].start:
        return [(("no page", "dim"),)]
    start, end = runs[0].start, runs[-1].end
    pages = -(-(end - start) // page_tokens)
    per_cell = -(-pages // room)
    cells = _cells(runs, per_cell * page_tokens)
    lines: list[Line] = [((_legend(start, end, per_cell, page_tokens), "dim"),)]
    for i, name in enumerate(components):
        signs = [_sign(_marks_of(i, cell, components)) for cell in cells]
        lines.append(((left(name, _NAME) + " ", "label"), *_joined(signs)))
    locks = [max((run.locks for run in cell), default=0) for cell in cells]
    lines.append(((left("locks", _NAME) + " ", "label"), *_joined([_lock_sign(number) for number in locks])))
    return lines


def map_key(components: Sequence[str]) -> Line:
    """Return one line that says what the signs of a map mean."""
    if not components:
        return BLANK
    name = components[0][:1]
    return (
        (f"{name.upper()} device", "device"),
        (f" {name.lower()} host", "host"),
        (f" {TOMBSTONE} tombstone", "tombstone"),
        (f" {LEAVING} leaving", "host"),
        (f" {MIXED} mixed", "warn"),
    )


def _cells(runs: Sequence[Run], tokens: int) -> list[list[Run]]:
    """Return the runs that each cell of so many tokens touches."""
    start, cells = runs[0].start, -(-(runs[-1].end - runs[0].start) // tokens)
    touched: list[list[Run]] = [[] for _ in range(cells)]
    for run in runs:
        if run.end > run.start:
            for cell in range((run.start - start) // tokens, (run.end - 1 - start) // tokens + 1):
                touched[cell].append(run)
    return touched


def _marks_of(component: int, cell: Sequence[Run], components: Sequence[str]) -> set[Span]:
    return {live_marks(run.live, run.copied, components)[component] for run in cell}


def _sign(marks: set[Span]) -> Span:
    """Return the mark that all runs of a cell share, or the sign of a mixed one."""
    return marks.pop() if len(marks) == 1 else (MIXED, "warn") if marks else (" ", "text")


def _lock_sign(locks: int) -> Span:
    if locks <= 0:
        return ("·", "dim")
    return (str(locks) if locks < _DIGITS else "+", "protected")


def _joined(signs: Sequence[Span]) -> Line:
    """Return the signs as a line, neighbours of one role as one span."""
    spans: list[Span] = []
    for role, same in groupby(signs, key=_role):
        spans.append(("".join(text for text, _ in same), role))
    return tuple(spans)


def _role(sign: Span) -> Role:
    return sign[1]


def _legend(start: int, end: int, per_cell: int, page_tokens: int) -> str:
    page = f"page of {page_tokens:,} token{'s' if page_tokens > 1 else ''}"
    cell = f"a {page}" if per_cell == 1 else f"{per_cell:,} {page.replace('page', 'pages', 1)}"
    return f"{grouped(start)}..{grouped(end)}, a cell is {cell}"
