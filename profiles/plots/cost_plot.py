"""The cost of a victim against the leaves there are to choose from, as one self-contained SVG picture.

A honeycomb per series, the darker a cell the more calls fell into it, and a line through the medians. Colours follow
the reader's light or dark scheme; there is no script and nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import log, log10, sqrt

from profiles.amounts import duration, times
from profiles.plots.hexes import CELLS_PER_DECADE
from profiles.plots.log_axis import axis_of, count_label, no_steeper, time_label
from profiles.tallies.leaf_costs import CostCloud, LeafBin

WIDTH, HEIGHT = 960, 600
LEFT, RIGHT, TOP, BOTTOM = 84, 168, 108, 68
INNER_WIDTH = WIDTH - LEFT - RIGHT
INNER_HEIGHT = HEIGHT - TOP - BOTTOM
STEEPEST = 2.0
"""A decade of one axis takes at most so many times the room of the other's, so that cells stay hexagons."""

LABEL_GAP = 36
"""Names beside the ends of lines keep this far apart."""

STYLE = """
.plot{--bg:#fff;--ink:#1b2430;--soft:#5c6878;--grid:#e6eaf0;--fine:#f3f5f8;--a:#d9480f;--b:#1c6fd1;--c:#2b8a3e}
@media (prefers-color-scheme:dark){.plot{--bg:#10151d;--ink:#e8edf5;--soft:#95a3b8;--grid:#263041;--fine:#1a222f;
--a:#ff8a4c;--b:#5aa9ff;--c:#5fd08a}}
.plot{font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}
.card{fill:var(--bg);stroke:var(--grid)}
.title{font-size:20px;font-weight:650;fill:var(--ink)}
.said{font-size:13px;fill:var(--soft)}
.tick{font-size:12px;fill:var(--soft);font-variant-numeric:tabular-nums}
.axis{font-size:12.5px;fill:var(--soft)}
.grid{stroke:var(--grid);stroke-width:1}
.fine{stroke:var(--fine);stroke-width:1}
.a{--hue:var(--a)}.b{--hue:var(--b)}.c{--hue:var(--c)}
.cell{fill:var(--hue)}
.halo{fill:none;stroke:var(--bg);stroke-width:6;stroke-linejoin:round;stroke-linecap:round}
.median{fill:none;stroke:var(--hue);stroke-width:2.6;stroke-linejoin:round;stroke-linecap:round}
.dot{fill:var(--bg);stroke:var(--hue);stroke-width:2.2}
.name{font-size:14px;font-weight:650;fill:var(--hue)}
.times{font-size:30px;font-weight:700;fill:var(--ink);letter-spacing:-.5px}
.brace{fill:none;stroke:var(--soft);stroke-width:1.2}
"""

_HUES = "abc"


@dataclass(frozen=True, slots=True)
class Series:
    """One honeycomb and its line."""

    name: str
    cloud: CostCloud


@dataclass(frozen=True, slots=True)
class CostPlot:
    """What a picture shows; with `ratio` it says how many times as much the first series costs as the second, at the
    right end of the lines."""

    title: str
    said: str
    series: tuple[Series, ...]
    ratio: bool = False


def svg(plot: CostPlot) -> str:
    """Return the SVG document of a plot."""
    series = [each for each in plot.series[: len(_HUES)] if each.cloud.bins]
    picture = _Picture(series)
    body = [*_frame(plot), *picture.grid(), *picture.cells(), *picture.lines(), *picture.names()]
    if plot.ratio and len(series) == 2:
        body += picture.times()
    if not series:
        body.append(_text(WIDTH / 2, HEIGHT / 2, "said", "no evict call was measured", "middle"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(plot.title)}">\n<style>{STYLE}</style>\n'
        + "\n".join(body)
        + "\n</svg>\n"
    )


class _Picture:
    """The inside of the axes in pixels; y grows downwards."""

    def __init__(self, series: Sequence[Series]) -> None:
        self._series = series
        hexes = [cell for each in series for cell in each.cloud.hexes]
        across = axis_of((cell.x for cell in hexes), INNER_WIDTH)
        up = axis_of((cell.y for cell in hexes), INNER_HEIGHT)
        self._across = no_steeper(across, STEEPEST * up.pixels_per_decade)
        self._up = no_steeper(up, STEEPEST * across.pixels_per_decade)
        self._ends: list[tuple[float, float]] = []

    def grid(self) -> Iterator[str]:
        """Yield the lines of the grid with their labels, and the names of the axes."""
        for minor in self._across.minors():
            yield _line(self._x(minor), TOP, self._x(minor), TOP + INNER_HEIGHT, "fine")
        for minor in self._up.minors():
            yield _line(LEFT, self._y(minor), LEFT + INNER_WIDTH, self._y(minor), "fine")
        for decade in self._across.decades():
            yield _line(self._x(decade), TOP, self._x(decade), TOP + INNER_HEIGHT, "grid")
            yield _text(self._x(decade), TOP + INNER_HEIGHT + 20, "tick", count_label(decade), "middle")
        for decade in self._up.decades():
            yield _line(LEFT, self._y(decade), LEFT + INNER_WIDTH, self._y(decade), "grid")
            yield _text(LEFT - 10, self._y(decade) + 4, "tick", time_label(decade), "end")
        yield _text(LEFT + INNER_WIDTH / 2, HEIGHT - 22, "axis", "leaves to choose from", "middle")

    def cells(self) -> Iterator[str]:
        """Yield the cells of each honeycomb, a path for each strength so that many calls stay a small file."""
        for hue, each in reversed([*zip(_HUES, self._series, strict=False)]):
            most = max(cell.count for cell in each.cloud.hexes)
            strengths: dict[int, list[str]] = {}
            for cell in each.cloud.hexes:
                strength = round(8 * log(1 + cell.count) / log(1 + most))
                strengths.setdefault(strength, []).append(self._hexagon(cell.x, cell.y))
            for strength, shapes in sorted(strengths.items()):
                opacity = 0.13 + 0.62 * strength / 8
                yield f'<path class="cell {hue}" fill-opacity="{opacity:.2f}" d="{"".join(shapes)}"/>'

    def lines(self) -> Iterator[str]:
        """Yield the lines through the medians, and a dot with a tooltip for each."""
        for hue, each in zip(_HUES, self._series, strict=False):
            places = [(self._x(one.middle), self._y(log10(max(one.victim_ns_p50, 1.0)))) for one in each.cloud.bins]
            self._ends.append(places[-1])
            path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
            yield f'<path class="halo" d="{path}"/><path class="median {hue}" d="{path}"/>'
            for (x, y), one in zip(places, each.cloud.bins, strict=True):
                told = escape(_told(each.name, one))
                yield f'<circle class="dot {hue}" cx="{x:.1f}" cy="{y:.1f}" r="3.6"><title>{told}</title></circle>'

    def names(self) -> Iterator[str]:
        """Yield the name of each series and its median at the end of its line, one below the other."""
        lowest = 0.0
        for place in sorted(range(len(self._ends)), key=lambda place: self._ends[place][1]):
            y = max(self._ends[place][1], lowest)
            lowest = y + LABEL_GAP
            each = self._series[place]
            yield _text(LEFT + INNER_WIDTH + 16, y, f"name {_HUES[place]}", each.name)
            yield _text(
                LEFT + INNER_WIDTH + 16, y + 16, "said", f"{duration(each.cloud.bins[-1].victim_ns_p50)} a victim"
            )

    def times(self) -> Iterator[str]:
        """Yield how many times the first series costs at the right end, between the two lines."""
        first, second = (each.cloud.bins[-1] for each in self._series)
        (_, upper), (_, lower) = self._ends
        if first.low != second.low or not second.victim_ns_p50 or lower - upper < 120:
            return
        x = LEFT + INNER_WIDTH + 20
        yield f'<path class="brace" d="M{x:.1f} {upper + 30:.1f}V{lower - 22:.1f}"/>'
        yield _text(
            x + 12, (upper + lower) / 2 + 12, "times", f"{times(first.victim_ns_p50 / second.victim_ns_p50)}×"
        )

    def _hexagon(self, x: float, y: float) -> str:
        """Return the path of a cell, upright, a little smaller than its place."""
        half = self._across.pixels_per_decade / CELLS_PER_DECADE / 2 * 0.94
        side = self._up.pixels_per_decade / CELLS_PER_DECADE / sqrt(3) * 0.94
        left, top = self._x(x) - half, self._y(y) - side
        return (
            f"M{left:.1f} {top + side / 2:.1f}l{half:.1f} {-side / 2:.1f} {half:.1f} {side / 2:.1f}v{side:.1f}"
            f"l{-half:.1f} {side / 2:.1f} {-half:.1f} {-side / 2:.1f}z"
        )

    def _x(self, value: float) -> float:
        return LEFT + self._across.place(value)

    def _y(self, value: float) -> float:
        return TOP + INNER_HEIGHT - self._up.place(value)


def _frame(plot: CostPlot) -> Iterator[str]:
    yield f'<rect class="card" x=".5" y=".5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="14"/>'
    yield _text(28, 42, "title", plot.title)
    yield _text(28, 66, "said", plot.said)
    yield _text(28, TOP - 16, "axis", "time per victim")


def _told(name: str, one: LeafBin) -> str:
    p50, p90 = duration(one.victim_ns_p50), duration(one.victim_ns_p90)
    return (
        f"{name}, {one.low:,} to {one.high - 1:,} leaves\n{p50} a victim (median), {p90} (90 %)\n"
        f"{one.victims:,} victims in {one.calls:,} calls, {one.build_share:.0%} of the time in the queue"
    )


def _line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    return f'<path class="{class_}" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>'


def _text(x: float, y: float, class_: str, words: str, anchor: str = "start") -> str:
    return f'<text class="{class_}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
