"""Words that flow into lines of a width: sentences broken between words, pieces of which none is torn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rich.cells import cell_len

from radixtop.render.lines import Line, Role, Span, crop, fit, width_of

_PIECES = re.compile(r" +|[^ ]+")
_GAP = "  "


def flow(spans: Iterable[Span], width: int, rows: int) -> list[Line]:
    """Return the text of `spans` in at most `rows` lines of `width` cells; what has no room ends in "…"."""
    lines = broken(spans, width)
    if len(lines) > rows:
        lines[rows - 1 :] = [_ended(lines[rows - 1], width)] if rows else []
    return lines[: max(0, rows)]


def broken(spans: Iterable[Span], width: int) -> list[Line]:
    """Return the text of `spans` in as many lines of `width` cells as it takes; a word that is longer sticks out."""
    lines: list[list[Span]] = [[]]
    for blanks, word in _words(spans):
        line = lines[-1]
        if line and width_of(line) + len(blanks) + width_of(word) > width:
            line = []
            lines.append(line)
        elif line:
            _add(line, blanks, line[-1][1])
        for text, role in word:
            _add(line, text, role)
    return [tuple(line) for line in lines]


def hanging(start: Line, text: Span, width: int) -> list[Line]:
    """Return a text behind `start`; what has no room goes on in lines of their own, below where the text began."""
    cells = width_of(start)
    first, *rest = broken([text], max(1, width - cells))
    return [(*start, *first), *(((" " * cells, "text"), *line) for line in rest)]


def pack(pieces: Iterable[Line], width: int, rows: int) -> list[Line]:
    """Return pieces, none of them torn, in at most `rows` lines; what has no room is left out."""
    lines: list[Line] = []
    for piece in pieces:
        if lines and width_of(lines[-1]) + len(_GAP) + width_of(piece) <= width:
            lines[-1] += ((_GAP, "text"), *piece)
        elif len(lines) < rows:
            lines.append(piece if width_of(piece) <= width else fit(piece, width))
        else:
            break
    return lines


def _words(spans: Iterable[Span]) -> Iterator[tuple[str, list[Span]]]:
    """Yield each word, whose parts may differ in their roles, and the blanks before it."""
    blanks, word = "", list[Span]()
    for text, role in spans:
        for piece in _PIECES.findall(text):
            if piece[0] != " ":
                word.append((piece, role))
                continue
            if word:
                yield blanks, word
                blanks, word = "", []
            blanks += piece
    if word:
        yield blanks, word


def _add(line: list[Span], text: str, role: Role) -> None:
    if line and line[-1][1] == role:
        line[-1] = (line[-1][0] + text, role)
    else:
        line.append((text, role))


def _ended(line: Line, width: int) -> Line:
    """Return a line that says that there is more, after the last word that has room beside that."""
    text = "".join(part for part, _ in line)
    room = max(0, width - 2)
    if cell_len(text) > room:
        cut = crop(text, room + 1)[:-1]
        text = cut if " " not in cut or text[len(cut)] == " " else cut[: cut.rindex(" ")]
    kept: list[Span] = []
    left = len(text)
    for part, role in line:
        kept.append((part[:left], role))
        left = max(0, left - len(part))
    return (*kept, (" …", "dim"))
