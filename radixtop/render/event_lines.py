"""The lines of the events view: the answer, the choice of kinds, a window of events."""

from __future__ import annotations

from dataclasses import dataclass

from radixtop.eventlog.kinds import CHOICES, Kind
from radixtop.eventlog.page import EventRow, EventsPage
from radixtop.render.lines import BLANK, Line, Role, Span, clean, ends, left, right
from radixtop.render.marks import TOMBSTONE
from radixtop.render.units import UNKNOWN, age, clock, grouped
from radixtop.words.events import answer

HEAD_LINES = 2
"""The answer, and the choice of kinds."""

FOOT_LINES = 1
"""The event under the cursor, in full."""

_MARKS: dict[Kind, tuple[str, Role]] = {
    "requests": ("▸", "flow1"),
    "inserts": ("+", "good"),
    "evictions": ("✕", "warn"),
    "locks": ("◆", "protected"),
    "windows": (TOMBSTONE, "tombstone"),
    "engine": ("·", "dim"),
    "losses": ("▲", "bad"),
}

_ALL_CHOICES_CELLS = 70
"""From which width on all kinds are written; below, the chosen one alone."""

_WIDE_CELLS = 60
"""From this width on times are told to a millisecond."""

_BAD_WORDS = frozenset({"refused", "retracted", "lost", "reset"})


@dataclass(frozen=True, slots=True)
class EventsLook:
    """How the events are shown: which ones, from where on, with which times; `cursor` is the number of one.

    `choices` are the kinds that its source can tell.
    """

    choice: str = "all"
    text: str = ""
    follows: bool = True
    is_relative: bool = False
    cursor: int = -1
    choices: tuple[str, ...] = CHOICES


def rows_in(height: int) -> int:
    """Return how many events have room in so many lines."""
    return max(1, height - HEAD_LINES - FOOT_LINES - 1)


def event_lines(page: EventsPage | None, look: EventsLook, width: int, height: int) -> list[Line]:
    """Return as many lines as the view is high."""
    if page is None:
        lines: list[Line] = [(("- events are not known", "dim"),), choices(look, width)]
        return [*lines, *[BLANK] * height][:height]
    rows = [_row(row, page, look, width) for row in page.rows[-rows_in(height) :]]
    room = max(0, height - HEAD_LINES - FOOT_LINES)
    above: list[Line] = [BLANK] * (room - len(rows))
    if above:
        above[-1] = before(page)
    lines = [answer(page.lately, page.lost_records, width), choices(look, width), *above, *rows]
    return [*lines[: height - FOOT_LINES], foot(page, look)][:height]


def choices(look: EventsLook, width: int) -> Line:
    """Return the kinds, the chosen one marked, and what else narrows or stops the stream."""
    state: list[Span] = [(f" /{clean(look.text)} ", "accent")] if look.text else []
    state.append((" follows " if look.follows else " held ", "good" if look.follows else "warn"))
    kinds: list[Span] = []
    for name in look.choices:
        is_chosen = name == look.choice
        if is_chosen or width >= _ALL_CHOICES_CELLS:
            kinds.append((f" {name} ", "tab" if is_chosen else "label"))
    return ends(tuple(kinds), tuple(state), width)


def choice_at(x: int, width: int, choices: tuple[str, ...] = CHOICES) -> str | None:
    """Return the kind that is written at a cell of the line of choices, where all of them are."""
    start = 0
    for name in choices if width >= _ALL_CHOICES_CELLS else ():
        if start <= x < start + len(name) + 2:
            return name
        start += len(name) + 2
    return None


def before(page: EventsPage) -> Line:
    """Return what is said above the oldest event that is shown: what else there was."""
    if not page.is_oldest:
        return (("… earlier events", "dim"),)
    if page.unread:
        return ((f"… {grouped(page.unread)} events not searched yet", "warn"),)
    if page.gone:
        return ((f"… {grouped(page.gone)} events not kept", "warn"),)
    return BLANK


def _row(row: EventRow, page: EventsPage, look: EventsLook, width: int) -> Line:
    sign, role = _MARKS[row.kind]
    word_role: Role = "bad" if row.word in _BAD_WORDS else "value"
    return (
        (_time(row, page, look.is_relative, width) + " ", "cursor" if row.number == look.cursor else "dim"),
        (f"{sign} ", role),
        (left(row.word, 12 if width >= _WIDE_CELLS else 9), word_role),
        (_text(row, page), "text"),
    )


def _text(row: EventRow, page: EventsPage) -> str:
    lost = f", {grouped(page.lost_records)} in all" if row.kind == "losses" and page.lost_records else ""
    return row.text + lost


def _time(row: EventRow, page: EventsPage, is_relative: bool, width: int) -> str:
    """Return when an event was: before now, or after the start, in as many cells for every row."""
    digits = 3 if width >= _WIDE_CELLS else 1
    cells = len(clock(page.now - page.started_at, digits))
    if row.at < 0:
        return right(UNKNOWN, cells)
    return right(age(page.now - row.at) if is_relative else clock(row.at - page.started_at, digits), cells)


def foot(page: EventsPage, look: EventsLook) -> Line:
    """Return the event under the cursor in full, as far as the line goes."""
    row = next((row for row in page.rows if row.number == look.cursor), None)
    if row is None:
        return ((f"{grouped(page.total)} events since the watch began", "dim"),)
    return ((f"{row.word} ", "accent"), (_text(row, page), "text"))
