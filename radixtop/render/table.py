"""Tables with columns of fixed width: a head line, then rows whose figures are aligned at the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from radixtop.render.lines import Line, Role, Span, left, right

GAP = " "


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, its cells, the role of its figures, and the edge that they keep to."""

    title: str
    width: int
    role: Role = "text"
    at_left: bool = False
    title_role: Role = "head"
    drop_below: int = 0
    """The column is left out of tables narrower than this."""


def arrange(columns: Sequence[Column], width: int) -> list[tuple[int, Column]]:
    """Return the columns shown in `width` cells with their indices; a column of width 0 takes what is left."""
    shown = [(i, column) for i, column in enumerate(columns) if width >= column.drop_below]
    taken = sum(column.width for _, column in shown) + len(GAP) * (len(shown) - 1)
    rest = max(0, width - taken)
    return [(i, column if column.width else replace(column, width=rest)) for i, column in shown]


def head(columns: Sequence[tuple[int, Column]]) -> Line:
    """Return the line of titles."""
    spans: list[Span] = []
    for _, column in columns:
        title = (left if column.at_left else right)(column.title, column.width)
        spans += [(title, column.title_role), (GAP, "text")]
    return tuple(spans[:-1])


def row(columns: Sequence[tuple[int, Column]], cells: Sequence[str | Span]) -> Line:
    """Return one row; a cell is text, or a span where its role is not the column's."""
    spans: list[Span] = []
    for i, column in columns:
        cell = cells[i]
        text, role = cell if isinstance(cell, tuple) else (cell, column.role)
        if spans:
            spans.append((GAP, "text"))
        spans.append(((left if column.at_left else right)(text, column.width), role))
    return tuple(spans)
