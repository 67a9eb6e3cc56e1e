"""Servers and ranks as a table: a line each, one for all together, and words for the one under the cursor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from probes.fleet.figures import RankState
from probes.kv_feed.happenings import FeedState
from probes.plural import plural
from probes.scrapes.buckets import Estimate
from radixtop.fleet.names import whole
from radixtop.fleet.rows import (
    RankRow,
    Sum,
    hit_rate_of_all,
    summed,
    usage_of_all,
)
from radixtop.render.bars import gauge
from radixtop.render.lines import Line, Role, Span, clean, left, right, width_of
from radixtop.render.marks import ASCENDING, DESCENDING, STATES
from radixtop.render.units import UNKNOWN, age, count, duration, share

BADGES: dict[str, tuple[str, Role]] = {
    "complete": ("●", "good"),
    "repaired": ("◆", "good"),
    "partial": ("◇", "warn"),
    "unsure": ("?", "bad"),
}
"""How far the blocks of a rank can be believed, always followed by the word."""

_FOLLOWED, _NOTED = "▶", "!"
_OF_ALL, _AT_LEAST = "Σ", ">"
_GAP = " "
_LEAST_NAME, _MOST_NAME = 8, 30


class _Column(NamedTuple):
    """A column: what it shows, its title, its cells, from which width on it is there, and the order of its title."""

    what: str
    title: str
    width: int
    least: int = 0
    order: str = ""


_COLUMNS = (
    _Column("marks", "", 2),
    _Column("name", "rank", 0, order="name"),
    _Column("state", "state", 10, 150),
    _Column("known", "known", 10),
    _Column("since", "since", 6, 132),
    _Column("hit", "hit", 6, order="hit"),
    _Column("pool", "pool in use", 9, 66, "pool"),
    _Column("cached", "cached", 6, 40, "cached"),
    _Column("of", "of", 5, 60),
    _Column("host", "host", 5, 96, "host"),
    _Column("in", "in/s", 6, 88, "in"),
    _Column("out", "out/s", 6, 88, "out"),
    _Column("running", "run", 4, 56, "running"),
    _Column("waiting", "wait", 5, 50, "waiting"),
    _Column("generated", "gen/s", 6, 74, "generated"),
    _Column("ttft", "ttft", 7, 104, "ttft"),
    _Column("p99", "p99", 7, 112),
    _Column("lag", "lag", 5, 124, "lag"),
    _Column("gaps", "gaps", 5, 140),
)
_BAR = {160: 22, 132: 14, 0: 9}


class RankTable:
    """The columns that fit a width, in some order."""

    def __init__(self, width: int, now: int, order: str = "name", is_reversed: bool = False) -> None:
        self._now, self._order, self._is_reversed = now, order, is_reversed
        bar = next(cells for least, cells in _BAR.items() if width >= least)
        shown = [
            each._replace(width=bar) if each.what == "pool" else each._replace(width=self._room(each))
            for each in _COLUMNS
            if width >= each.least
        ]
        taken = sum(each.width for each in shown) + len(_GAP) * (len(shown) - 1)
        name = max(_LEAST_NAME, min(width - taken, _MOST_NAME))
        rest = max(0, width - taken - name)
        widths = {"name": name, "pool": bar + rest}
        self.columns = [each._replace(width=widths.get(each.what, each.width)) for each in shown]

    def _is_order(self, column: _Column) -> bool:
        return column.order != "" and column.order == self._order

    def _room(self, column: _Column) -> int:
        """Return the width of a column: that of the order has room for its title and the mark."""
        is_fixed = column.what not in ("name", "pool")  # those two take what is left
        return max(column.width, len(column.title) + 1) if is_fixed and self._is_order(column) else column.width

    def head(self) -> Line:
        """Return the titles, that of the order marked."""
        mark = ASCENDING if self._is_reversed != (self._order == "name") else DESCENDING
        spans: list[Span] = []
        for each in self.columns:
            is_order = self._is_order(each)
            title = each.title if each.width >= len(each.title) + is_order else each.title.partition(" ")[0]
            edge = left if each.what in ("name", "state", "known", "pool") else right
            spans += [(edge(title + mark * is_order, each.width), "accent" if is_order else "head"), (_GAP, "text")]
        return tuple(spans[:-1])

    def order_at(self, x: int) -> str:
        """Return the order of the title at a cell, "" where none is."""
        end = 0
        for each in self.columns:
            end += each.width + len(_GAP)
            if x < end:
                return each.order
        return ""

    def line(self, row: RankRow) -> Line:
        """Return the line of a rank; of one that is away, what is wrong in place of figures."""
        state = row.rank.state
        if not state.is_up and state.message:
            return self._away(row)
        spans: list[Span] = []
        for each in self.columns:
            spans += [*_cell(each, row, self._now), (_GAP, "text")]
        return tuple(spans[:-1])

    def total(self, rows: Sequence[RankRow]) -> Line:
        """Return the line of all ranks together: `Σ` marks what servers told of theirs, `>` what some did not."""
        up = sum(row.rank.state.is_up for row in rows)
        told = ("both" if len(rows) == 2 else f"all {len(rows)}") if up == len(rows) else f"{up} of {len(rows)} up"
        cells: dict[str, tuple[str, Role]] = {
            "name": (told, "value" if up == len(rows) else "bad"),
            "hit": (_marked(hit_rate_of_all(rows), share), "device"),
            "of": (count(_total(row.rank.state.capacity_tokens for row in rows)), "label"),
        }
        for what in ("cached", "host", "in", "out", "running", "waiting", "generated"):
            cells[what] = (_marked(summed(rows, what), count), "value")
        spans: list[Span] = []
        for each in self.columns:
            text, role = cells.get(each.what, ("", "text"))
            edge = left if each.what == "name" else right
            bar = _pool(usage_of_all(rows), each.width) if each.what == "pool" else ((edge(text, each.width), role),)
            spans += [*bar, (_GAP, "text")]
        return tuple(spans[:-1])

    def _away(self, row: RankRow) -> Line:
        marks, name = (next(each for each in self.columns if each.what == what) for what in ("marks", "name"))
        start: Line = (*_cell(marks, row, 0), (_GAP, "text"), *_cell(name, row, 0), (_GAP, "text"))
        sign, word, role = _state(row.rank.state)
        start = (*start, (left(f"{sign} {word}", 10), role), (_GAP, "text"))
        width = sum(each.width for each in self.columns) + len(_GAP) * (len(self.columns) - 1)
        return (*start, (left(clean(row.rank.state.message), max(0, width - width_of(start))), role))


def _cell(column: _Column, row: RankRow, now: int) -> Line:
    """Return one cell of a rank that is up."""
    width, state = column.width, row.rank.state
    match column.what:
        case "marks":
            return (
                (_FOLLOWED if row.is_followed else " ", "accent"),
                (_NOTED if row.rank.state.message else " ", "warn"),
            )
        case "name":
            return ((left(clean(row.label), width), "accent" if row.is_followed else "text"),)
        case "state":
            sign, word, role = _state(state)
            return ((left(f"{sign} {word}", width), role),)
        case "known":
            return ((left("".join(text for text, _ in known(state)), width), known(state)[-1][1]),)
        case "pool":
            return _pool(row.figure("pool"), width)
        case "since":
            since = state.badge.since if state.badge is not None else None
            return ((right(UNKNOWN if since is None else age(now - since), width), "dim"),)
        case _:
            text, role = _figure(column.what, row)
            return ((right(text, width), role),)


def _figure(what: str, row: RankRow) -> Span:
    """Return the figure of a column."""
    state = row.rank.state
    match what:
        case "hit":
            return share(row.figure("hit")), "device"
        case "of":
            return count(state.capacity_tokens), "label"
        case "host":
            return count(row.host), "host"
        case "waiting":
            waiting = row.gauge("waiting_requests")
            return count(waiting), "warn" if waiting else "value"
        case "ttft" | "p99":
            told = row.ttft
            if told is None:
                return UNKNOWN, "dim"
            quantile = told.spread.p50 if what == "ttft" else told.spread.p99
            return seconds(quantile, told.of_all), "dim" if told.of_all else "value"
        case "lag":
            lag = row.lag_s
            return (UNKNOWN if lag is None else age(round(lag * 1e9))), "warn" if lag and lag >= 1 else "dim"
        case "gaps":
            gaps = None if state.feed is None else state.feed.gaps
            return count(gaps), "bad" if gaps else "dim"
        case _:
            return count(row.figure(what)), "value"


def _state(state: RankState) -> tuple[str, str, Role]:
    """Return the sign and the word of a state; what never answered is away, too."""
    if state.state == "starting" and state.is_away:
        return STATES["lost"][0], "away", STATES["lost"][1]
    return STATES[state.state][0], state.state, STATES[state.state][1]


def known(state: RankState) -> Line:
    """Return how far what is known of a rank can be believed, as a sign and a word."""
    if state.badge is None:
        return (("- no events", "dim"),)
    sign, role = BADGES[state.badge.word]
    return ((f"{sign} ", role), (state.badge.word, role))


def seconds(estimate: Estimate | None, is_shared: bool = False) -> str:
    """Return a quantile of seconds: `<` or `>` where only a bound is known, `Σ` where it is of the whole server."""
    if estimate is None:
        return UNKNOWN
    sign = {"about": "", "at most": "<", "more than": ">"}[estimate.side]
    return _OF_ALL * is_shared + sign + duration(estimate.value * 1e9)


def _marked(figure: Sum, text: Callable[[float | None], str]) -> str:
    """Return a figure with what it is of, where that is not each of the ranks."""
    sign = "" if figure.value is None else _OF_ALL if figure.is_whole else _AT_LEAST if figure.is_part else ""
    return sign + text(figure.value)


def _pool(used: float | None, width: int) -> Line:
    if used is None:
        return ((right(UNKNOWN, width), "dim"),)
    return (*gauge(used, width - 5, "protected"), (right(f"{used:.0%}", 5), "value"))


def _total(parts: Iterable[int | None]) -> int | None:
    found = [part for part in parts if part is not None]
    return sum(found) if found else None


def detail(row: RankRow, now: int) -> list[Line]:
    """Return what there is to say of a rank in sentences: what it is, what is wrong, how its events come."""
    state = row.rank.state
    sign, word, role = _state(state)
    about = "  ".join(filter(None, (state.engine, state.version, state.model)))
    spans: list[Span] = [
        (clean(whole(state.name)), "value"),
        (f"  {sign} {word}", role),
        (f"  {_FOLLOWED} followed" if row.is_followed else "", "accent"),
        (f"  {clean(about)}" if about else "", "label"),
    ]
    lines: list[Line] = [tuple(spans)]
    if state.message:
        lines.append(((clean(state.message), role if not state.is_up else "warn"),))
    if state.remark:
        lines.append(((clean(state.remark), "label"),))
    if state.badge is not None:
        lines.append(_believed(state, now))
    return lines


def _when_untold(feed: FeedState) -> str:
    """Say of when the newest batch is, where no live one tells: ages are counted from it, and may be more."""
    return "-" if feed.is_dated else "from before the watch, ages are at least what they say"


def _believed(state: RankState, now: int) -> Line:
    badge, feed = state.badge, state.feed
    assert badge is not None
    sign, role = BADGES[badge.word]
    since = "" if badge.since is None else f" since {age(now - badge.since)} ago"
    spans: list[Span] = [(f"{sign} {badge.word}{since}", role)]
    if badge.why:
        spans.append((f": {clean(badge.why)}", "text"))
    if feed is not None:
        told = f"{age(now - state.told_at)} ago" if state.told_at is not None else _when_untold(feed)
        parts = [f"newest batch {told}"]
        parts += [plural(feed.gaps, "gap") + f" of {plural(feed.missing, 'batch', 'batches')}"] * bool(feed.gaps)
        parts += [f"{feed.repaired:,} repaired"] * bool(feed.repaired)
        parts += [plural(feed.restarts, "restart")] * bool(feed.restarts)
        parts += [f"{feed.malformed:,} malformed"] * bool(feed.malformed)
        spans.append((f"; {', '.join(parts)}", "label"))
    return tuple(spans)
