"""Shares against sizes as a picture: dots and lines of several series over a logarithmic axis, names beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log10

from profiles.picture import HUES, Dot, Ink, Point, Shape, Stroke, Words
from profiles.plots.log_axis import LogAxis, axis_of, count_label

WIDTH, HEIGHT = 1120, 600
LEFT, RIGHT, TOP, BOTTOM = 76, 350, 108, 68
INNER_WIDTH, INNER_HEIGHT = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
_BOUND_CELLS = 92
"""The room beside the axes for the names of bounds; those of the other series stand to the right of it."""
_LINE_GAP = 24
_BOUND_GAP = 15
_MOST_NAMES = (INNER_HEIGHT + 40) // _LINE_GAP
_TICKS = {0.05: 5, 0.1: 5, 0.2: 4, 0.3: 3, 0.4: 4, 0.5: 5, 0.6: 6, 0.8: 4, 1.0: 5}
"""The shares that the upward axis may end at, and into how many parts it is divided then."""
_FEW_DECADES = 2.5
"""Where the axis of sizes has no more, twice and five times a power of ten are named as well."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A size and the share that was reached with it, what it says when pointed at, and whether it stands out.

    Without anything to say it is a bend of its line, not a dot.
    """

    size: float
    share: float
    told: str = ""
    stands_out: bool = False


@dataclass(frozen=True, slots=True)
class Marks:
    """A series: dots with a line through the best of each size; or a bound, a dashed line without dots.

    A bound of one mark is a level: it holds at every size.
    """

    name: str
    marks: tuple[Mark, ...]
    is_bound: bool = False


@dataclass(frozen=True, slots=True)
class TradeOff:
    """What is to be drawn, what its axes are called, and a size that is marked as that of now."""

    title: str
    said: str
    across: str
    up: str
    series: tuple[Marks, ...]
    now: float | None = None


def shapes(plot: TradeOff) -> tuple[Shape, ...]:
    """Return the shapes of a plot of WIDTH x HEIGHT pixels."""
    marks = [mark for series in plot.series for mark in series.marks]
    placed = [mark.size for series in plot.series if not _is_level(series) for mark in series.marks]
    axis = axis_of((log10(size) for size in placed if size > 0), INNER_WIDTH, margin=0.06)
    most = max((mark.share for mark in marks), default=0.0)
    top = next(step for step in _TICKS if most <= step or step == 1.0)
    drawing = _Drawing(axis, top)
    found: list[Shape] = [
        Words((28, 42), plot.title, "ink", 20, is_bold=True),
        Words((28, 66), plot.said, "soft", 13),
        Words((28, TOP - 16), plot.up, "soft", 12.5),
        Words((LEFT + INNER_WIDTH / 2, HEIGHT - 22), plot.across, "soft", 12.5, "middle"),
        *drawing.grid(),
        *drawing.now(plot.now),
    ]
    inks = _inks(plot.series)
    for series, ink in sorted(zip(plot.series, inks, strict=True), key=lambda pair: not pair[0].is_bound):
        found += drawing.series(series, ink)
    found += drawing.bound_names(plot.series)
    found += _names([pair for pair in zip(plot.series, inks, strict=True) if not pair[0].is_bound])
    return tuple(found)


class _Drawing:
    """The inside of the axes in pixels."""

    def __init__(self, across: LogAxis, top: float) -> None:
        self._across = across
        self._top = top

    def grid(self) -> Iterator[Shape]:
        """Yield the lines of the grid with their labels."""
        bottom = float(TOP + INNER_HEIGHT)
        for minor in self._across.minors():
            x = LEFT + self._across.place(minor)
            yield Stroke(((x, bottom), (x, bottom + 4)), "grid")
            digit = round(10 ** (minor % 1))
            if self._across.high - self._across.low <= _FEW_DECADES and digit in (2, 5):
                yield Words((x, bottom + 20), _count(digit, minor), "soft", 12, "middle")
        for decade in self._across.decades():
            x = LEFT + self._across.place(decade)
            yield Stroke(((x, TOP), (x, bottom)), "grid")
            yield Words((x, bottom + 20), count_label(decade), "soft", 12, "middle")
        ticks = _TICKS[self._top]
        for tick in range(ticks + 1):
            share = self._top * tick / ticks
            y = self._y(share)
            yield Stroke(((LEFT, y), (LEFT + INNER_WIDTH, y)), "grid")
            yield Words((LEFT - 10, y + 4), f"{100 * share:.3g} %", "soft", 12, "end")

    def now(self, size: float | None) -> Iterator[Shape]:
        """Yield the mark of the size of now."""
        if size is not None and size > 0 and self._across.low <= log10(size) <= self._across.high:
            x = LEFT + self._across.place(log10(size))
            yield Stroke(((x, TOP), (x, TOP + INNER_HEIGHT)), "soft", 1.5)
            yield Words((x + 6, TOP + 14), "now", "soft", 12)

    def series(self, series: Marks, ink: Ink) -> Iterator[Shape]:
        """Yield the line of a series and its dots."""
        best: dict[float, Mark] = {}
        for mark in series.marks:
            if mark.size > 0 and (mark.size not in best or mark.share > best[mark.size].share):
                best[mark.size] = mark
        line = tuple(self._place(best[size]) for size in sorted(best))
        if _is_level(series):
            line = ((LEFT, line[0][1]), (LEFT + INNER_WIDTH, line[0][1]))
        if len(line) > 1:
            yield Stroke(line, ink, 1.6 if series.is_bound else 2.4, is_dashed=series.is_bound)
        if not series.is_bound:
            dots = [mark for mark in series.marks if mark.told]
            for mark in sorted(dots, key=lambda mark: mark.stands_out):
                yield Dot(self._place(mark), ink, 5.0 if mark.stands_out else 3.5, mark.stands_out, mark.told)

    def bound_names(self, series: Sequence[Marks]) -> Iterator[Shape]:
        """Yield the names of bounds beside the ends of their lines, none on top of another."""
        ends = [
            (self._y(max(each.marks, key=lambda mark: mark.size).share), each.name)
            for each in series
            if each.is_bound
        ]
        lowest = 0.0
        for y, name in sorted(ends):
            lowest = max(y + 4, lowest + _BOUND_GAP)
            yield Words((LEFT + INNER_WIDTH + 8, lowest), _short(name, 14), "soft", 12)

    def _place(self, mark: Mark) -> Point:
        return LEFT + self._across.place(log10(mark.size)), self._y(mark.share)

    def _y(self, share: float) -> float:
        return TOP + INNER_HEIGHT * (1 - share / self._top)


def _is_level(series: Marks) -> bool:
    return series.is_bound and len(series.marks) == 1


def _inks(series: Sequence[Marks]) -> list[Ink]:
    """Return an ink for each series; bounds have the same two, the others go round."""
    bounds: Iterator[Ink] = iter(("ink", "soft") * len(series))
    hues: Iterator[Ink] = iter(HUES * (len(series) // len(HUES) + 1))
    return [next(bounds if each.is_bound else hues) for each in series]


def _names(series: Sequence[tuple[Marks, Ink]]) -> Iterator[Shape]:
    """Yield the names of the series at the right, with a piece of their lines, as many as there is room for."""
    x = LEFT + INNER_WIDTH + 22 + _BOUND_CELLS
    for place, (each, ink) in enumerate(series[:_MOST_NAMES]):
        y = TOP + 8 + place * _LINE_GAP
        yield Stroke(((x, y), (x + 22, y)), ink, 2)
        yield Dot((x + 11, y), ink, 3.5)
        yield Words((x + 30, y + 4), _short(each.name), "ink", 12.5)
    if len(series) > _MOST_NAMES:
        left_off = len(series) - _MOST_NAMES
        yield Words((x + 30, TOP + 12 + _MOST_NAMES * _LINE_GAP), f"and {left_off} more", "soft", 12.5)


def _count(digit: int, power: float) -> str:
    """Return so many times a power of ten as a count: 20k, 5M."""
    if power < 0:
        return f"{10**power:.2g}"
    label = count_label(int(power))
    return f"{digit}{label[1:]}"


def _short(name: str, most: int = 30) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
