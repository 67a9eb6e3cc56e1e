"""A terminal in a dozen rules: it takes moves, styles and text, and says how each of its cells looks."""

from __future__ import annotations

import re

from rich.cells import cell_len

_PIECES = re.compile(r"\x1b\[(\d+);(\d+)H|\x1b\[(\d*)C|\x1b\[([\d;]*)m|\n|\x1b\[[?\d]*[a-z]|([^\x1b])")
_COLOURS = {"3": "foreground", "9": "foreground", "4": "background", "10": "background"}
_ENDS = {"22": "12", "23": "3", "24": "4", "27": "7", "29": "9"}


class Cells:
    """Rows and columns count from 1. A letter of two cells leaves its second one empty."""

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int], tuple[str, frozenset[str], str, str]] = {}
        self.cursor = (1, 1)
        self._plain()

    def write(self, text: str) -> None:
        """Take in what a program writes."""
        for found in _PIECES.finditer(text):
            row, column, steps, codes, letter = found.groups()
            y, x = self.cursor
            if row:
                self.cursor = (int(row), int(column))
            elif steps is not None:
                self.cursor = (y, x + int(steps or 1))
            elif codes is not None:
                self._style(codes.split(";"))
            elif found[0] == "\n":
                self.cursor = (y + 1, 1)
            elif letter:
                self._put(letter)

    def looks(self) -> dict[tuple[int, int], object]:
        """Return what is seen of each cell: of a blank one its background, unless it is underlined or reversed."""
        return {
            place: (background if letter == " " and not attributes & set("479") else (letter, attributes, *colours))
            for place, (letter, attributes, *colours) in self.cells.items()
            for background in colours[1:]
        }

    def _put(self, letter: str) -> None:
        (y, x), width = self.cursor, cell_len(letter)
        for place in range(width):
            self.cells[y, x + place] = (
                letter * (place == 0),
                frozenset(self._on),
                self._foreground,
                self._background,
            )
        self.cursor = (y, x + width)

    def _plain(self) -> None:
        self._on: set[str] = set()
        self._foreground = self._background = "default"

    def _style(self, codes: list[str]) -> None:
        while codes:
            code = codes.pop(0)
            if code in ("", "0"):
                self._plain()
            elif code in ("38", "48"):
                length = 4 if codes[0] == "2" else 2
                setattr(self, f"_{_COLOURS[code[0]]}", ";".join(codes[:length]))
                del codes[:length]
            elif code in ("39", "49"):
                setattr(self, f"_{_COLOURS[code[0]]}", "default")
            elif len(code) > 1 and code[:-1] in _COLOURS:
                setattr(self, f"_{_COLOURS[code[:-1]]}", code)
            elif code in _ENDS:
                self._on -= set(_ENDS[code])
            else:
                self._on.add(code)
