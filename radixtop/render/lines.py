"""Lines of text whose pieces carry a role: how panels talk to the screen.

A span is (text, role), a line is a tuple of spans. Roles are names; `palette` says what they look like.
Widths are terminal cells, so wide characters count twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from rich.cells import cell_len, set_cell_size

from radixtop.printable import clean as clean

Role = Literal[
    "text", "dim", "label", "value", "head", "accent", "key", "rule", "cursor", "title", "tab",
    "good", "warn", "bad", "device", "full", "miss", "track",
    "protected", "held", "evictable", "free", "tombstone", "host",
    "ramp0", "ramp1", "ramp2", "ramp3", "flow0", "flow1", "cost0", "cost1",
]  # fmt: skip
Span = tuple[str, Role]
Line = tuple[Span, ...]

BLANK: Line = ()


def crop(text: str, width: int) -> str:
    """Return `text` in at most `width` cells; what was cut is shown by a final "…"."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1) + "…" if width > 0 else ""


def left(text: str, width: int) -> str:
    """Return `text` cropped or padded to exactly `width` cells, at the left edge."""
    return set_cell_size(crop(text, width), width)


def right(text: str, width: int) -> str:
    """Return `text` cropped or padded to exactly `width` cells, at the right edge."""
    cropped = crop(text, width)
    return " " * (width - cell_len(cropped)) + cropped


def width_of(line: Iterable[Span]) -> int:
    """Return the cells a line takes."""
    return sum(cell_len(text) for text, _ in line)


def plain(lines: Iterable[Line]) -> list[str]:
    """Return the text of lines without their roles or trailing blanks."""
    return ["".join(text for text, _ in line).rstrip() for line in lines]


def fit(line: Line, width: int) -> Line:
    """Return `line` cropped or padded with blanks to exactly `width` cells."""
    spans: list[Span] = []
    room = width
    for text, role in line:
        cells = cell_len(text)
        if cells > room:
            spans.append((crop(text, room), role))
            return tuple(spans)
        spans.append((text, role))
        room -= cells
    if room:
        spans.append((" " * room, "text"))
    return tuple(spans)


def ends(start: Line, end: Line, width: int) -> Line:
    """Return one line with `start` at its left and `end` at its right edge; `end` wins when room is short."""
    return fit(start, max(0, width - width_of(end))) + fit(end, min(width, width_of(end)))


def beside(first: Sequence[Line], second: Sequence[Line], first_width: int, gap: str = "  ") -> list[Line]:
    """Return two blocks of lines side by side; the first is `first_width` cells wide."""
    rows = max(len(first), len(second))
    return [
        fit(first[y] if y < len(first) else BLANK, first_width)
        + ((gap, "rule"),)
        + (second[y] if y < len(second) else BLANK)
        for y in range(rows)
    ]


def first_that_fits(lines: Iterable[Line], width: int) -> Line:
    """Return the first of some lines, each shorter than the one before, that fits; else the last one."""
    found: Line = ()
    for found in lines:
        if width_of(found) <= width:
            break
    return found
