"""A picture: an icicle as one SVG file, prefixes above what follows them; no script, nothing fetched.

Every bar carries a tooltip and, as the flame graphs of inferno do, its place in tokens as `fg:x` and `fg:w`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from html import escape
from itertools import chain

from profiles.amounts import exact, share
from profiles.exporter import ExportOptions, TextExporter
from profiles.forest import Forest, Frame
from profiles.icicle import Bar, Icicle, layout
from profiles.labels import parted
from profiles.palette import families, family, hues, shade
from profiles.profile import Profile

WIDTH = 1_200
MARGIN = 24
ROW = 24
TOP_OF_BARS = 112
INNER = WIDTH - 2 * MARGIN
PADDING = 5
DASHED_WIDTH = 10
"""Bars narrower than this show that they are gone by their pale fill alone: a dashed edge would fill them."""

WIDE = ' class="wide"'
CHARACTER = 6.65
"""The width of a character of the bars' font, 11 px monospace; East Asian wide ones take two."""

LEGEND_CHARACTER = 7.2
"""About the width of a character of the legend's proportional font; too much is better than too little."""

STYLE = """
svg{background:#fff;font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}
.title{font-size:19px;font-weight:600;fill:#16202c}
.said{font-size:12.5px;fill:#5b6775}
.bar text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:11px}
.bar text{fill:#16202c;pointer-events:none}
.bar .hash,.bar .share{fill:#16202c;fill-opacity:.5}
.bar:hover rect{stroke:#16202c;stroke-width:1.5}
.gone rect{fill-opacity:.4}
.gone .wide{stroke:#8a94a0;stroke-dasharray:3 2;stroke-width:.8}
.space rect{fill:#3c4858}
.space text,.space .hash,.space .share{fill:#fff}
"""

HATCH = (
    '<pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="2.2" height="7" fill="#16202c" fill-opacity=".17"/></pattern>'
)


class Svg(TextExporter):
    """An icicle of the chosen weight, coloured by the kind of segment."""

    suffix = ".svg"

    def pieces(self, profile: Profile, options: ExportOptions) -> Iterator[str]:
        """Yield the SVG document."""
        forest = profile.forest
        icicle = layout(forest, options.weight, options.parts)
        named = families((bar.frame.segment, bar.own) for bar in icicle.bars if bar.frame and _coloured(bar.frame))
        picture = _Picture(icicle, hues(named))
        depth = max((bar.depth for bar in icicle.bars), default=0) + 1
        height = TOP_OF_BARS + depth * ROW + MARGIN
        body = chain(_header(forest, icicle), _legend(icicle, named), picture.bars())
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:fg="http://github.com/jonhoo/inferno" width="{WIDTH}" '
            f'height="{height}" viewBox="0 0 {WIDTH} {height}">\n<style>{STYLE}</style>\n<defs>{HATCH}</defs>\n'
            f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>\n' + "\n".join(body) + "\n</svg>\n"
        )


def _header(forest: Forest, icicle: Icicle) -> Iterator[str]:
    nodes = sum(bar.nodes for bar in icicle.bars if bar.depth == 0)
    said = (
        f"{exact(icicle.total, icicle.weight)} {icicle.name} in {nodes:,} nodes"
        if icicle.total
        else f"no {icicle.name}"
    )
    timed = any(bar.frame and bar.frame.kind == "operation" for bar in icicle.bars)
    meant = (
        "an operation, and below it are its phases" if timed else "a run of tokens, and below it is what came after"
    )
    told = f"{said} · each bar is {meant}"
    yield _text(MARGIN, 38, "title", f"{icicle.name[0].upper()}{icicle.name[1:]}" + _after(forest.title))
    yield _text(MARGIN, 60, "said", told)


def _after(title: str) -> str:
    return f" · {title}" if title else ""


def _legend(icicle: Icicle, named: Mapping[str, int]) -> Iterator[str]:
    """Yield a chip per family of segments with its share, and one per marking that occurs."""
    hue_of = hues(named)
    chips = [(f'fill="{shade(hue_of.get(name))}"', f"{name} {share(own, icicle.total)}")
             for name, own in named.items() if name in hue_of and own]  # fmt: skip
    frames = [bar.frame for bar in icicle.bars if bar.frame is not None]
    lost = sorted({name for frame in frames if frame.resident for name in frame.lost})
    if lost:
        chips.append(('fill="url(#hatch)" stroke="#8a94a0"', f"tombstone: {', '.join(lost)} gone"))
    if not all(frame.resident for frame in frames):
        chips.append(('fill="#fff" stroke="#8a94a0" stroke-dasharray="3 2"', "no longer in the cache"))
    x = float(MARGIN)
    for attributes, words in chips:
        yield f'<rect x="{x:.1f}" y="78" width="13" height="13" rx="3" {attributes}/>'
        yield _text(x + 19, 89, "said", words)
        x += 19 + LEGEND_CHARACTER * len(words) + 20


class _Picture:
    """The bars of one icicle in pixels."""

    def __init__(self, icicle: Icicle, hue_of: Mapping[str, int]) -> None:
        self._icicle = icicle
        self._hue_of = hue_of
        self._pixels = INNER / max(icicle.total, 1)

    def bars(self) -> Iterator[str]:
        """Yield one group per bar: tooltip, box, hatching of a tombstone, text as far as it fits."""
        for bar in self._icicle.bars:
            x, width = MARGIN + bar.offset * self._pixels, bar.total * self._pixels
            y = TOP_OF_BARS + bar.depth * ROW
            gap = min(1.0, width / 4)
            shape = f'x="{x:.2f}" y="{y}" width="{width - gap:.2f}" height="{ROW - 2}" rx="{min(3.0, width / 4):.2f}"'
            place = f'fg:x="{bar.offset}" fg:w="{bar.total}"'
            yield (
                f'<g class="{self._classes(bar)}"><title>{escape(self._tooltip(bar))}</title>'
                f'<rect {shape} fill="{self._fill(bar)}" {place}{WIDE * (width >= DASHED_WIDTH)}/>'
                + (f'<rect {shape} fill="url(#hatch)" pointer-events="none"/>' if _hatched(bar) else "")
                + self._words(bar, x, y + 15.5, width - gap)
                + "</g>"
            )

    def _classes(self, bar: Bar) -> str:
        frame = bar.frame
        if frame is None:
            return "bar fold"
        return "bar" + " space" * (not _coloured(frame)) + " gone" * (not frame.resident and bool(frame.end))

    def _fill(self, bar: Bar) -> str:
        if bar.frame is None:
            return "#e9ecef"
        return shade(self._hue_of.get(family(bar.frame.segment)), bar.frame.key)

    def _tooltip(self, bar: Bar) -> str:
        size = f"{exact(bar.total, self._icicle.weight)} {self._icicle.name}"
        lines = [bar.label, f"{size} ({share(bar.total, self._icicle.total)})"]
        if bar.frame is not None and bar.own != bar.total:
            lines[1] += (
                f", {exact(bar.own, self._icicle.weight)} of its own, {bar.nodes - bool(bar.own):,} nodes below"
            )
        if bar.frame is not None and bar.frame.end:
            lines.append(f"tokens {bar.frame.start:,} to {bar.frame.end:,} of the prompt")
            if not bar.frame.resident:
                lines.append("no longer in the cache")
            elif bar.frame.lost:
                lines.append(f"tombstone: {', '.join(bar.frame.lost)} gone")
        return "\n".join(lines)

    def _words(self, bar: Bar, x: float, y: float, width: float) -> str:
        """Return the texts of a bar: its name, then its hash and its share when there is room for them."""
        room = int((width - 2 * PADDING) / CHARACTER)
        text, hash_ = parted(bar.label)
        shown = _fit(text, room)
        if not shown:
            return ""
        used = _columns(shown)
        words = escape(shown)
        if hash_ and shown == text and used + 2 + len(hash_) <= room:
            used += 2 + len(hash_)
            words += f'<tspan class="hash" dx="4">·{hash_}</tspan>'
        words = f'<text x="{x + PADDING:.2f}" y="{y}">{words}</text>'
        percent = share(bar.total, self._icicle.total)
        if used + 2 + len(percent) <= room:
            right = x + width - PADDING
            words += f'<text class="share" x="{right:.2f}" y="{y}" text-anchor="end">{percent}</text>'
        return words


def _coloured(frame: Frame) -> bool:
    """Say whether a frame is of a kind that has a hue: a segment or an operation."""
    return frame.kind in ("content", "operation")


def _hatched(bar: Bar) -> bool:
    return bar.frame is not None and bar.frame.resident and bool(bar.frame.lost)


def _text(x: float, y: int, class_: str, words: str) -> str:
    return f'<text class="{class_}" x="{x:.1f}" y="{y}">{escape(words)}</text>'


def _columns(text: str) -> int:
    """Return how many characters' room a text takes in a monospace font."""
    return sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in text)


def _fit(text: str, room: int) -> str:
    """Return as much of a text as `room` characters take, and its last number; nothing when that is little."""
    if _columns(text) <= room:
        return text
    name, _, number = text.rpartition(" ")
    number = number if name and number.isdigit() else ""
    name = text[: len(text) - len(number)]
    while name and _columns(name) + 1 + len(number) > room:
        name = name[:-1]
    return f"{name.rstrip()}…{number}" if len(name) >= 2 and room >= 4 else ""
