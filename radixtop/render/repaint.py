"""What a terminal shows, and the least that has to be written to make it show something else.

Textual writes every segment of a changed line with all of its style and a reset behind it: five bytes in six say what
the terminal knows. A run of text that stands there already is left out, and of styles only what differs is written.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len

_PIECES = re.compile(
    r"\x1b\[(\d+);(\d+)H|\x1b\[([\d;]*)m|(\n)|([^\x1b\n]+)"
    r"|(\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)|.?))"
)
"""Moves, styles, ends of lines, text, and any other sequence."""

_COLOUR = re.compile(r"(?:^|;)([34]8;5;\d+|[34]8;2;\d+;\d+;\d+|[349]\d|10\d)(?=;|$)")
_OFF = {
    "1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "6": "25", "7": "27", "8": "28", "9": "29", "21": "24",
    "51": "54", "52": "54", "53": "55",
}  # fmt: skip
"""What ends an attribute."""

_SEEN_ON_BLANKS = frozenset({"4", "7", "9", "21", "51", "52", "53"})
"""Attributes that show where there is no letter."""

_SIMPLE = re.compile(r"[ -~─-╿▀-▟⠀-⣿]*\Z")
"""Text of which every character surely takes one cell."""


class Look(NamedTuple):
    """How letters look: attributes, foreground and background as the codes that set them."""

    attributes: frozenset[str] = frozenset()
    foreground: str = "39"
    background: str = "49"


_PLAIN = Look()


@lru_cache(maxsize=4096)
def look_of(codes: str) -> Look:
    """Return what codes make of plain letters."""
    colours = [found[1] for found in _COLOUR.finditer(codes)]
    others = frozenset(code for code in _COLOUR.sub("", codes).split(";") if code and code != "0")
    foreground = next((colour for colour in reversed(colours) if colour[0] in "39"), "39")
    background = next((colour for colour in reversed(colours) if colour[0] in "41"), "49")
    return Look(others, foreground, background)


@lru_cache(maxsize=4096)
def change(old: Look, new: Look) -> str:
    """Return the sequence that turns one look into another, "" for the same."""
    if old == new:
        return ""
    if new == _PLAIN:
        return "\x1b[m"
    ended = {_OFF.get(attribute, "0") for attribute in old.attributes - new.attributes}
    if "0" in ended:
        return f"\x1b[0;{change(_PLAIN, new)[2:]}"
    kept = {attribute for attribute in old.attributes if _OFF[attribute] not in ended}
    codes = [*sorted(ended), *sorted(new.attributes - kept)]
    codes += [theirs for ours, theirs in zip(old[1:], new[1:], strict=True) if ours != theirs]
    return f"\x1b[{';'.join(codes)}m"


_Run = tuple[int, str, Look]
"""A width in cells, a text, and how it looks."""


@lru_cache(maxsize=4096)
def _width(text: str) -> int:
    return len(text) if _SIMPLE.match(text) else cell_len(text)


class Shown:
    """What was written to a terminal of which nothing is known at first."""

    def __init__(self) -> None:
        self._rows: dict[int, dict[int, _Run]] = {}
        """By row and column; no two of a row overlap."""

    def least(self, written: str) -> str:
        """Return what has the effect of `written`, which leaves the style plain as it finds it."""
        out = _Writer()
        x = y = 0
        look = _PLAIN
        for row, column, codes, newline, text, other in _PIECES.findall(written):
            if text:
                run = (_width(text), text, look)
                if not self._has(y, x, run):
                    out.put(y, x, *run)
                x += run[0]
            elif row:
                y, x = int(row), int(column)
            elif newline:
                y, x = y + 1, 1
            elif other:
                out.pass_on(other)
            else:
                look = look_of(codes)
        return out.ended_at(y, x)

    def _has(self, y: int, x: int, run: _Run) -> bool:
        """Say whether a run stands there; from now on it does."""
        runs = self._rows.setdefault(y, {})
        old = runs.get(x)
        if old == run:
            return True
        if old is None or old[0] != run[0]:
            end = x + run[0]
            for start in [start for start, (width, *_) in runs.items() if start < end and start + width > x]:
                del runs[start]
        runs[x] = run
        return False


class _Writer:
    """Puts runs down in the order of writing: moves where one does not follow the other, changes looks as needed."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._at = (-1, -1)
        self._look = _PLAIN

    def put(self, y: int, x: int, width: int, text: str, look: Look) -> None:
        """Write a run."""
        self._go(y, x)
        if text.isspace() and not _SEEN_ON_BLANKS & (look.attributes | self._look.attributes):
            look = self._look._replace(background=look.background)
        self._pieces += (change(self._look, look), text)
        self._look = look
        self._at = (y, x + width) if _SIMPLE.match(text) else (-1, -1)

    def pass_on(self, sequence: str) -> None:
        """Write what is neither text nor style nor a move, as it came."""
        self._pieces.append(sequence)

    def ended_at(self, y: int, x: int) -> str:
        """Return all of it, with the cursor where it should be and the style plain."""
        self._pieces.append(change(self._look, _PLAIN))
        self._go(y, x)
        return "".join(self._pieces)

    def _go(self, y: int, x: int) -> None:
        if self._at == (y, x) or y < 1:
            return
        ahead = x - self._at[1] if self._at[0] == y else 0
        self._pieces.append(f"\x1b[{ahead if ahead > 1 else ''}C" if 0 < ahead < 1_000 else f"\x1b[{y};{x}H")
        self._at = (y, x)
