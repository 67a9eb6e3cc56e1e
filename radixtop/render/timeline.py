"""The timeline: a whole run in two lines, its hit rate above and its evictions below, and where in it one is."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from radixtop.render.lines import Line, Role, Span, fit, left
from radixtop.render.marks import FALL, LEVELS, SMALL_FALL
from radixtop.render.units import clock

if TYPE_CHECKING:
    from probes.travel.moment import Moment
    from probes.travel.notable import Notable
    from radixtop.playing.transport import Course

_LEFT = 7
_RIGHT = 18
_ROOM_FOR_WORDS = 64
"""From this width on the end of the run and its largest fall are told at the right edge."""

_RAMP: tuple[Role, ...] = ("bad", "warn", "ramp1", "ramp3")


@dataclass(frozen=True, slots=True)
class Strip:
    """The cells [x, x + cells) of the lines, which stand for the time from the start of a run to its end."""

    x: int
    cells: int
    start: int
    end: int

    def time_at(self, x: int) -> int | None:
        """Return the moment that a column stands for; None beside the strip."""
        if not 0 <= x - self.x < self.cells:
            return None
        return self.start - (self.x - x) * max(1, self.end - self.start) // self.cells

    def cell_of(self, at: int) -> int:
        """Return the cell that a moment lies in, the nearest one when it lies in none."""
        cell = (at - self.start) * self.cells // max(1, self.end - self.start)
        return max(0, min(self.cells - 1, cell))


def strip_of(moment: Moment, width: int) -> Strip:
    """Return where the strip of a timeline of that width lies."""
    words = _LEFT + (_RIGHT if width >= _ROOM_FOR_WORDS else 0)
    return Strip(_LEFT, max(1, width - words), moment.start, moment.end)


def timeline_lines(course: Course | None, moment: Moment, width: int) -> list[Line]:
    """Return the two lines; what is not counted yet is blank, what cannot be gone to any more is dim."""
    strip = strip_of(moment, width)
    rates, evicted = _cells(course, strip)
    top = max((tokens for tokens in evicted if tokens), default=0)
    hits: list[Span] = [_hit(rate) for rate in rates]
    gone: list[Span] = [(LEVELS[min(7, 8 * tokens // (top + 1))] if tokens else " ", "cost1") for tokens in evicted]
    fall = _largest_fall(course)
    for notable in () if course is None else course.notables:
        if notable.kind == "fall":
            gone[strip.cell_of(notable.at)] = (FALL, "bad") if notable == fall else (SMALL_FALL, "warn")
    lost = strip.cell_of(moment.kept_from) if moment.kept_from > moment.start else 0
    for line in (hits, gone):
        line[:lost] = [(text, "rule") for text, _ in line[:lost]]
        at = strip.cell_of(moment.at)
        line[at] = (line[at][0], "cursor")
    words = _words(course, moment) if width >= _ROOM_FOR_WORDS else ((), ())
    names: tuple[Span, Span] = (left(" hit", _LEFT), "label"), (left(" evict", _LEFT), "label")
    return [
        fit((name, *_joined(spans), *said), width)
        for name, spans, said in zip(names, (hits, gone), words, strict=True)
    ]


def _words(course: Course | None, moment: Moment) -> tuple[Line, Line]:
    """Return what stands at the right edge: where the hit rate fell most, beside it, and where the run ends."""
    where = "now" if moment.is_live else "end"
    end: Line = ((f"  {where} {clock(moment.end - moment.start)}", "label"),)
    fall = _largest_fall(course)
    if fall is None:
        return (), end
    return ((f"  {FALL} {clock(fall.at - moment.start)} -{100 * fall.size:.0f} pt", "bad"),), end


def _cells(course: Course | None, strip: Strip) -> tuple[list[float | None], list[int]]:
    """Return the hit rate of each cell, None where nothing is known, and the tokens that were evicted."""
    if course is None:
        return [None] * strip.cells, [0] * strip.cells
    line = course.timeline
    queried, hit, evicted = (
        [0, *accumulate(tokens)] for tokens in (line.queried_tokens, line.hit_tokens, line.evicted_tokens)
    )
    last = len(queried) - 1
    rates: list[float | None] = []
    gone: list[int] = []
    for cell in range(strip.cells):
        since = strip.start + cell * (strip.end - strip.start) // strip.cells
        until = strip.start + (cell + 1) * (strip.end - strip.start) // strip.cells
        first = min(last, max(0, since - line.start) // line.bucket_ns)
        stop = min(last, max(first + 1, max(0, until - line.start) // line.bucket_ns))
        asked = queried[stop] - queried[first]
        rates.append((hit[stop] - hit[first]) / asked if asked > 0 else None)
        gone.append(evicted[stop] - evicted[first])
    return rates, gone


def _hit(rate: float | None) -> Span:
    if rate is None:
        return " ", "dim"
    return LEVELS[max(0, min(7, int(8 * rate)))], _RAMP[max(0, min(3, int(4 * rate)))]


def _joined(spans: list[Span]) -> list[Span]:
    """Return neighbours of one role as one span."""
    joined: list[Span] = []
    for text, role in spans:
        if joined and joined[-1][1] == role:
            joined[-1] = (joined[-1][0] + text, role)
        else:
            joined.append((text, role))
    return joined


def _largest_fall(course: Course | None) -> Notable | None:
    from probes.travel.notable import largest_fall  # not for the first frame

    return None if course is None else largest_fall(course.notables)
