"""Words that flow: spans broken between words into lines of a width."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len

from radixtop.render.lines import BLANK, Line, Span, crop


def flow(spans: Iterable[Span], width: int, rows: int) -> list[Line]:
    """Return the text of `spans` in exactly `rows` lines of at most `width` cells; what has no room ends in "…"."""
    lines: list[list[Span]] = [[]]
    used = 0
    for text, role in spans:
        for word in text.replace(" ", " \0").split("\0"):
            cells = cell_len(word.rstrip(" "))
            if used and used + cells > width:
                lines.append([])
                used = 0
            if word.strip() or used:
                _add(lines[-1], word, role)
                used += cell_len(word)
    if len(lines) > rows:
        lines[rows - 1 : rows] = [_ended(lines[rows - 1], width)] if rows else []
    shown: list[Line] = [tuple(line) for line in lines[:rows]]
    return shown + [BLANK] * (rows - len(shown))


def _add(line: list[Span], word: str, role: str) -> None:
    if line and line[-1][1] == role:
        line[-1] = (line[-1][0] + word, line[-1][1])
    else:
        line.append((word, role))  # type: ignore[arg-type]


def _ended(line: list[Span], width: int) -> list[Span]:
    """Return a line that says that there is more."""
    room = width - 1
    kept: list[Span] = []
    for text, role in line:
        cropped = text if cell_len(text) <= room else crop(text, room + 1)[:-1]
        kept.append((cropped, role))
        room -= cell_len(cropped)
    return [*kept, ("…", "dim")]
