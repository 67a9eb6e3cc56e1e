"""The lines around the panels: header with state and views, banner of what went wrong, footer with keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.cells import cell_len

from radixtop.render.lines import Line, Role, Span, clean, ends, fit, width_of
from radixtop.render.marks import STATES
from radixtop.render.moment import moment_spans
from radixtop.render.units import age, count, elapsed, share

if TYPE_CHECKING:
    from probes.travel.moment import Moment

TROUBLE = frozenset({"stale", "ended", "lost"})
"""States in which the figures on screen are not those of now."""

_MOST_REMARKS = 3
_SEVERAL = {"batch": "batches"}


@dataclass(frozen=True, slots=True)
class Status:
    """What the header says: whose figures these are, how fresh they are, and what was missed.

    `shown` is which of several ranks the tree is of.
    What is dropped is counted in `dropped_unit`: servers tell of batches. `overhead` is the share of the cache's
    thread that watching takes, `detail` how much the cache tells. `moment` is which moment all of it is of, where the
    source knows.
    """

    title: str
    state: str
    message: str = ""
    hz: float = 1.0
    running_ns: int | None = None
    heartbeat_age_ns: int | None = None
    dropped_records: int = 0
    dropped_unit: str = "record"
    torn_blocks: int = 0
    overhead: float | None = None
    detail: str = "full"
    setup: str = ""
    moment: Moment | None = None
    shown: str = ""


@dataclass(frozen=True, slots=True)
class Hotspot:
    """Cells [start, end) of a row that act as a key when they are clicked; those of a view lead there in any case."""

    y: int
    start: int
    end: int
    key: str
    view: str = ""


@dataclass(frozen=True, slots=True)
class Tabs:
    """The names of all views in the order of their keys, the one in sight, and the keys that are no numbers."""

    names: Sequence[str]
    current: str
    keys: Mapping[str, str] = field(default_factory=dict)


def setup_of(config: Mapping[str, object]) -> str:
    """Return the cache's configuration in a few words: full+swa  page 1  window 128  lru."""
    from probes.snapshot import component_names  # not for the first frame

    components = component_names(config)
    words = ["+".join(components)] if components else []
    named = (("page ", "page_size"), ("window ", "window"), ("", "policy"))
    words += [f"{name}{config[key]}" for name, key in named if config.get(key)]
    return clean("  ".join(words))


def header(status: Status, views: Tabs, width: int) -> tuple[list[Line], list[Hotspot]]:
    """Return the two lines of the header and where its views can be clicked.

    What a source in order has to say follows its title, and takes the room of what watching costs where it must;
    trouble, and what has no room there, has lines of its own, see `banner`.
    """
    start = _start(status)
    if has_remark(status, width):
        start = _start(replace(status, message=""))
    state = _state(status, width)
    if width_of(start) + width_of(state) > width:
        state = _state(replace(status, overhead=None), width)
    tabs, hotspots = _tabs(views, width)
    setup: Line = ((status.setup + " ", "dim"),) if status.setup else ()
    if width_of(tabs) + width_of(setup) + 1 > width:
        setup = ()
    return [ends(start, state, width), ends(tabs, setup, width)], hotspots


def _start(status: Status) -> Line:
    start: Line = ((" radixtop ", "title"), (f" {clean(status.title)}", "value"))
    if status.shown:
        start = (*start, (f" · {clean(status.shown)}", "accent"))
    if status.message and status.state not in TROUBLE:
        start = (*start, (f"  {clean(status.message)}", "accent"))
    return start


def has_remark(status: Status, width: int) -> bool:
    """Say whether what a source in order has to say has no room in the header."""
    if not status.message or status.state in TROUBLE:
        return False
    return width_of(_start(status)) + width_of(_state(replace(status, overhead=None), width)) > width


def _state(status: Status, width: int) -> Line:
    sign, role = STATES[status.state]
    spans: list[Span] = []
    if status.dropped_records:
        spans.append((f" {_counted(status.dropped_records, status.dropped_unit)} dropped ", "bad"))
    if status.torn_blocks:
        spans.append((f" {_counted(status.torn_blocks, 'block')} torn ", "bad"))
    if width >= 72 and status.overhead is not None:
        role_of_cost: Role = "dim" if status.detail == "full" else "warn"
        told = "" if status.detail == "full" else f", {status.detail}"
        spans.append((f" probe {share(status.overhead)}{told} ", role_of_cost))
    if width >= 60:
        spans.append((f" {_clock(status)}{status.hz:g} Hz ", "dim"))
    moment = moment_spans(status.moment, width) if status.moment is not None else ()
    return (*spans, *(moment or ((f" {sign} {status.state} ", role),)))


def _counted(number: int, noun: str) -> str:
    return f"{count(number)} {noun if number == 1 else _SEVERAL.get(noun, noun + 's')}"


def _clock(status: Status) -> str:
    """Return how long the source has run, by the clock of the timeline where it has one.

    Nothing for a recording, whose moment has the time in it.
    """
    moment = status.moment
    if moment is None:
        return f"{elapsed(status.running_ns)}  "
    return f"{elapsed(moment.at - moment.start)}  " if moment.is_live else ""


def _tabs(views: Tabs, width: int) -> tuple[Line, list[Hotspot]]:
    """Return the views with their keys, the current one marked; the less room there is, the closer they stand.

    Where even that is too wide, a stretch of them with the current one has its names, and the others are keys alone.
    """
    names = sum(map(len, views.names))
    gap = " " if names + 4 * len(views.names) < width else ""
    named = _named(views, width - 1 - 2 * len(views.names))
    spans: list[Span] = [(" ", "text")]
    hotspots: list[Hotspot] = []
    at = 1
    for number, name in enumerate(views.names, start=1):
        is_current = name == views.current
        key = views.keys.get(name, str(number % 10))
        sign, word = f"{gap}{key}", f"{gap}{name if number - 1 in named else ''} "
        spans += [
            (sign, "tab" if is_current else "key" if not gap else "label"),
            (word, "tab" if is_current else "label"),
        ]
        hotspots.append(Hotspot(1, at, at + len(sign + word), key, name))
        at += len(sign + word)
    return tuple(spans), hotspots


def _named(views: Tabs, room: int) -> range:
    """Return the places of the views whose names fit in so many cells.

    They are dealt into stretches from the left, so that who goes to the next view seldom sees names come and go. The
    last stretch takes what it leaves of the room to its left.
    """
    lengths = [len(name) for name in views.names]
    current = views.names.index(views.current) if views.current in views.names else 0
    start = end = left = 0
    while end <= current:
        start, left = end, room
        while end < len(lengths) and (end == start or lengths[end] <= left):
            left -= lengths[end]
            end += 1
    while start > 0 and lengths[start - 1] <= left:
        start -= 1
        left -= lengths[start]
    return range(start, end)


def banner(status: Status, width: int) -> list[Line]:
    """Return what is wrong with the source, and that the figures are kept; or what a source in order has to say.

    A long reason takes up to three lines: what to do about it comes last.
    """
    sign, role = STATES[status.state]
    if status.state not in TROUBLE:
        return _wrapped(clean(status.message), width, "accent")
    reason = f"{sign} {status.state}: {clean(status.message) or 'no reason given'}"
    heartbeat = status.heartbeat_age_ns
    more = [] if heartbeat is None else [f"  last sign of life {age(heartbeat)} ago"]
    more.append("  (figures as of then)")
    while more and cell_len(f" {reason}{''.join(more)}") > width:
        more.pop()
    return _wrapped(reason, width, role) if not more else [fit(((f" {reason}{''.join(more)}", role),), width)]


def _wrapped(text: str, width: int, role: Role) -> list[Line]:
    lines = wrap(text, max(1, width - 1), max_lines=_MOST_REMARKS, placeholder="…", break_on_hyphens=False)
    return [fit(((f" {line}", role),), width) for line in lines]


def footer(keys: Sequence[tuple[str, str, str]], width: int) -> tuple[Line, list[Hotspot]]:
    """Return the line of keys, given as (sign, word, key), and where they can be clicked; late ones are cut."""
    spans: list[Span] = []
    hotspots: list[Hotspot] = []
    at = 0
    for sign, word, key in keys:
        cells = len(sign) + len(word) + 3
        if at + cells > width:
            break
        spans += [(f" {sign} ", "key"), (f"{word} ", "label")]
        hotspots.append(Hotspot(0, at, at + cells, key))
        at += cells
    return fit(tuple(spans), width), hotspots


def too_small(width: int, height: int, least: tuple[int, int]) -> list[Line]:
    """Return a message that fits in almost nothing."""
    texts = ("terminal too small", f"{width}x{height}, needs {least[0]}x{least[1]}", "q quits")
    lines: list[Line] = [((text[:width].center(width), "warn"),) for text in texts]
    return lines[:height]
