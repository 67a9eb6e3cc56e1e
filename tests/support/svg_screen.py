"""Screens as SVG files to keep: the same whenever they are taken, and no larger than they must be."""

from __future__ import annotations

import re
from collections import Counter

from textual.app import App

_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_LINE_CLIP = re.compile(r'<clipPath id="[^"]*-line-\d+">.*?</clipPath>\s*', re.DOTALL)
_LINE_CLIPPED = re.compile(r' clip-path="url\(#[^"]*-line-\d+\)"')
_CRISP = ' shape-rendering="crispEdges"'
_ID = re.compile(r"terminal-\d+")
_STYLE = re.compile(r"\.t-(r\d+) \{ (.*?) \}")
_NUMBERED = re.compile(r"t-(r\d+)(?=[ \"])")
_CELLS = re.compile(r'<rect fill="(#\w+)"[^>]*/>(?=<rect|\s*<g)')
_TAG = re.compile(r"<[^>]+>")
_LONG_FRACTION = re.compile(r"\d+\.\d{3,}")


def svg_of(app: App[None]) -> str:
    """Return what an app shows as SVG, without what says nothing of it: fonts from elsewhere, a clip for each line.

    Cells in the commonest colour stand on one rectangle, and styles are named after what they look like: a change of
    the screen is a change of the lines that draw it.
    """
    svg = _ID.sub("t", app.export_screenshot(title="radixtop"))
    for useless in (_FONT, _LINE_CLIP, _LINE_CLIPPED):
        svg = useless.sub("", svg)
    svg = _TAG.sub(lambda tag: _LONG_FRACTION.sub(_shortened, tag[0]), svg).replace(_CRISP, "")
    svg = svg.replace("&#160;", " ").replace("</style>", "text { white-space: pre }</style>")
    svg = _named(_on_one_ground(svg)).replace("<text ", "\n<text ").replace("<rect ", "\n<rect ")
    return re.sub(r"\s*\n\s*", "\n", svg).replace("</style>", "\nrect { shape-rendering: crispEdges }\n</style>")


def _shortened(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}"


def _on_one_ground(svg: str) -> str:
    """Draw the commonest colour of cells once, below all others."""
    colour = Counter(_CELLS.findall(svg)).most_common(1)[0][0]
    frame, cells = svg.split('clip-path="url(#t-clip-terminal)">', 1)
    cells = _CELLS.sub(lambda cell: "" if cell[1] == colour else cell[0], cells)
    return f'{frame}clip-path="url(#t-clip-terminal)"><rect fill="{colour}" width="100%" height="100%"/>{cells}'


def _named(svg: str) -> str:
    names = {number: re.sub(r"[^a-z0-9]+", "-", look.lower()) for number, look in _STYLE.findall(svg)}
    return _NUMBERED.sub(lambda found: f"t-{names[found[1]]}", svg)
