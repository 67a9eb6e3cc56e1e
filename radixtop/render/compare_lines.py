"""The lines of the comparison: the answer, a table of figures, prefixes that grew or shrank most."""

from __future__ import annotations

from typing import NamedTuple

from radixtop.comparison.census import PrefixChange
from radixtop.comparison.page import Comparison
from radixtop.comparison.rows import Row, rows_of
from radixtop.render.lines import BLANK, Line, Role, beside, crop, fit, left, right
from radixtop.render.units import UNKNOWN, age, count
from radixtop.words.compare import answer

PINNED = 2
"""The answer and the head of the table stay when the rest scrolls."""

_BESIDE_CELLS = 108
"""From this width on the prefixes stand beside the table."""

_ROOMY_CELLS = 140
"""From this width on the table beside them has all its columns."""

_TREND: dict[int, tuple[str, Role]] = {1: ("better", "good"), -1: ("worse", "bad"), 0: ("", "dim")}
_ARROWS = {1: "↑", -1: "↓", 0: " "}

HINT = "two recordings are compared by `radixtop profile diff A B`"


def compare_lines(comparison: Comparison | None, width: int) -> list[Line]:
    """Return the lines, as many as there are; the first two are to stay in sight."""
    if comparison is None:
        return [(("- nothing is known yet", "dim"),)]
    is_beside = width >= _BESIDE_CELLS
    table_width = (78 if width >= _ROOMY_CELLS else 62) if is_beside else width
    table = [_head(comparison, table_width), *(_line(row, table_width) for row in _told(comparison))]
    prefixes = _prefixes(comparison, width - table_width - 2 if is_beside else width)
    hint: Line = ((crop(HINT, width), "dim"),)
    if is_beside:
        return [answer(comparison, width), *beside([*table, BLANK, hint], prefixes, table_width)]
    return [answer(comparison, width), *table, BLANK, *prefixes, BLANK, hint]


def _told(comparison: Comparison) -> list[Row]:
    """Return the rows; where nothing counts what happens, those alone of which something is known."""
    rows = rows_of(comparison)
    if comparison.mark is None or comparison.since.ns == 0 or comparison.since.sums:
        return rows
    return [row for row in rows if row.before != UNKNOWN or row.after != UNKNOWN]


# ---- the table


class _Columns(NamedTuple):
    """The cells of each column; what has none is left out."""

    name: int
    side: int
    change: int
    trend: int
    total: int


def _columns(width: int) -> _Columns:
    """Return the columns that have room."""
    if width >= 72:
        return _Columns(18, 9, 13, 9, 12)
    return _Columns(18, 9, 13, 9, 0) if width >= 58 else _Columns(max(8, width - 25), 8, 8, 0, 0)


def _head(comparison: Comparison, width: int) -> Line:
    columns, ns = _columns(width), comparison.before.ns
    texts = [left("", columns.name), right(f"A {age(ns)}" if ns else "A", columns.side)]
    texts += [right("B", columns.side), right("change", columns.change), " " * columns.trend]
    return fit((("".join(texts), "head"), (right("in all", columns.total), "head")), width)


def _line(row: Row, width: int) -> Line:
    columns = _columns(width)
    word, role = _TREND[row.trend]
    arrow = _ARROWS[row.direction]
    return (
        (left(row.name, columns.name), "label"),
        (right(row.before, columns.side), _role_of(row.before)),
        (right(row.after, columns.side), _role_of(row.after)),
        (right(_short(row.change, columns.change), columns.change), role if row.trend else "text"),
        (left(f" {arrow} {word}", columns.trend) if columns.trend else arrow, role),
        (right(row.total, columns.total), "dim"),
    )


def _role_of(figure: str) -> Role:
    return "dim" if figure == UNKNOWN else "value"


def _short(change: str, cells: int) -> str:
    """Return a change without its unit where that has no room."""
    return change if len(change) < cells else change.removesuffix(" points")


# ---- the prefixes


def _prefixes(comparison: Comparison, width: int) -> list[Line]:
    if comparison.mark is None:
        return []
    head: Line = (("prefixes that grew or shrank most since the mark", "head"),)
    if not comparison.changes:
        return [fit(head, width), (("none did", "dim"),)]
    most = max(abs(change.after - change.before) for change in comparison.changes)
    return [fit(head, width), *(_prefix(change, most, width) for change in comparison.changes)]


def _prefix(change: PrefixChange, most: int, width: int) -> Line:
    grown = change.after - change.before
    role: Role = "flow1" if grown > 0 else "cost1"
    was = f"{count(change.before)} → {'gone' if change.node < 0 else count(change.after)}"
    bar_cells = 8 if width >= 64 else 0
    bar = "█" * max(1, round(abs(grown) * bar_cells / most)) if bar_cells else ""
    name = max(6, width - 24 - bar_cells)
    return (
        (right(("+" if grown > 0 else "-") + count(abs(grown)), 7) + " ", role),
        (left(bar, bar_cells), role),
        (" " * bool(bar_cells), "text"),
        (left(change.label, name), "text"),
        (right(was, 15), "dim"),
    )
