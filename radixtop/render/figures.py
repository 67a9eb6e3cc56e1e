"""Small blocks of figures that several panels share: a name and its figure per line, and quantiles."""

from __future__ import annotations

from collections.abc import Sequence

from radixtop.render.lines import Line, Role, left, right

Figure = tuple[str, str] | tuple[str, str, Role]


def figures(rows: Sequence[Figure], width: int) -> list[Line]:
    """Return one line per (name, figure) or (name, figure, role): names at the left, figures at the right."""
    return [_figure(row, width) for row in rows]


def _figure(row: Figure, width: int) -> Line:
    name, figure = row[0], row[1]
    role: Role = row[2] if len(row) == 3 else "value"
    room = max(0, width - len(name) - 1)
    return ((left(name, width - room), "label"), (right(figure, room), role))


def alarm(number: int | None, role: Role = "warn") -> Role:
    """Return `role` for a count that should be 0 and is not, else the role of quiet figures."""
    return role if number else "dim"
