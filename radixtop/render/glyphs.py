"""Every sign of the screens by ASCII characters of the same width: what the theme `ascii` writes.

Panels need not know: the translation is the last step before the terminal, for lines and for what frames them. Signs
that mean different things where they meet (parts of a bar, states, places of a node's data) stay different.
"""

from __future__ import annotations

import unicodedata

from rich.cells import cell_len, set_cell_size

_SIGNS = {
    **dict.fromkeys("·∙", "."), "…": "~", "‥": ":", "×": "x", "†": "+", "‖": "|", "–": "-", "—": "-", "−": "-",
    "●": "*", "▪": "*", "▫": "o", "■": "#", "□": "o", "◌": "o", "○": "o", "▲": "^", "✕": "x", "✗": "x",
    "✓": "v", "▶": ">", "◀": "<", "⚠": "!",
    "◇": "o", "◆": "*", "▾": "v", "▴": "^", "▸": ">", "▼": "v", "↑": "^", "↓": "v", "→": ">", "←": "<", "↵": "<",
    "µ": "u", "Σ": "S",
    "█": "#", "▓": "%", "▒": "=", "░": ":", "▌": "+", "▋": "+", "▊": "+", "▉": "+", "▏": "|", "▎": "|", "▍": "|",
    "▐": "+", "▕": "|", "▀": "'", "▔": "'", "▁": "_", "▂": "_", "▃": "_", "▄": "_", "▅": "=", "▆": "=", "▇": "=",
    "│": "|", "┊": ":", "┆": ":", "╎": ":", "╱": "/",
}  # fmt: skip

_BRAILLE = range(0x2800, 0x2900)
_BOX = range(0x2500, 0x2580)
_ROWS = (0x80 | 0x40, 0x20 | 0x04, 0x10 | 0x02, 0x08 | 0x01)
"""The dots of a braille cell by row, from the bottom."""
_LONE_ROW = ".--'"
_INK = " .::++**#"
"""What stands for so many dots in several rows."""


def ascii_of(text: str) -> str:
    """Return `text` in ASCII, as many cells wide."""
    if text.isascii():
        return text
    replaced = text.translate(_TABLE)
    width = cell_len(text)  # of signs that join into one it is not the sum
    return replaced if len(replaced) == width else set_cell_size(replaced, width)


class _Table(dict[int, str]):
    """What stands for a character, found when it is first met."""

    def __missing__(self, code: int) -> str:
        found = self[code] = _stand_in(chr(code))
        return found


def _stand_in(character: str) -> str:
    code = ord(character)
    if code < 0x80:
        return character
    if character in _SIGNS:
        return _SIGNS[character]
    if code in _BRAILLE:
        return _of_dots(code - _BRAILLE.start)
    if code in _BOX:
        return _of_box(unicodedata.name(character))
    width = cell_len(character)
    letter = unicodedata.normalize("NFKD", character)[:1]
    return letter if width == 1 and letter.isascii() else "?" * width


def _of_dots(dots: int) -> str:
    """Return what stands for a braille cell: where its dots are when they are in one row, else how many."""
    if not dots:
        return " "
    rows = [row for row, mask in enumerate(_ROWS) if dots & mask]
    return _LONE_ROW[rows[0]] if len(rows) == 1 else _INK[dots.bit_count()]


def _of_box(name: str) -> str:
    """Return what stands for a line of a frame, of which Unicode says where it leads."""
    leads_across = any(word in name for word in ("HORIZONTAL", "LEFT", "RIGHT"))
    leads_down = any(word in name for word in ("VERTICAL", "UP", "DOWN"))
    if leads_across and leads_down:
        return "+"
    return "-" if leads_across else "|"


_TABLE = _Table()
