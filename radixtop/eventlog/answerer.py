"""Cuts pages out of the log of events, and says what the events in them were about."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from time import perf_counter_ns
from typing import TYPE_CHECKING

from cache_core.events import Evict
from probes.builtin.event_log import Event, EventLog, EventLogSample, Missing, time_of
from profiles.dates import origin_of
from radixtop.eventlog.kinds import KIND_OF, classes_of
from radixtop.eventlog.page import NEWEST, EventRow, EventsPage, EventsQuestion, Lately
from radixtop.eventlog.runs import Runs
from radixtop.eventlog.search import Matches, Search
from radixtop.eventlog.telling import Names, tell, tell_steps
from radixtop.question import Answerer

if TYPE_CHECKING:
    from probes.snapshot import Snapshot
    from radixtop.source import Source

BUDGET_NS = 15_000_000
"""How long one answer may search."""

LATELY_NS = 10_000_000_000
"""What the summary looks back on."""


class EventsAnswerer(Answerer[EventsQuestion]):
    """Answers which events are on screen. `clock` returns nanoseconds."""

    def __init__(self, clock: Callable[[], int] = perf_counter_ns) -> None:
        self._clock = clock
        self._runs = Runs()
        self._search: Search | None = None
        self._searched: tuple[EventLog, str, str] | None = None

    def answer(self, source: Source, snapshot: Snapshot, question: EventsQuestion) -> EventsPage | None:
        """Return the page that is asked for; None where there is no log."""
        sample, mirror = snapshot.get(EventLogSample), source.mirror
        if sample is None or mirror is None:
            return None
        log, names = sample.log, Names(mirror)
        numbers, unread = self._numbers(log, question, names)
        start, stop = _window(numbers, question)
        rows = [(numbers[place], _end(numbers, place, question, log.total)) for place in range(start, stop)]
        kept = log.span(log.first, log.total)
        return EventsPage(
            question=question,
            rows=tuple(_row(number, kept[number - log.first : end - log.first], names) for number, end in rows),
            below=tuple(numbers[stop : stop + question.count]),
            total=log.total,
            unread=unread,
            gone=log.first,
            is_oldest=start == 0,
            lost_records=snapshot.source.dropped_records,
            lately=lately(kept, log.first > 0, snapshot.now),
            now=snapshot.now,
            started_at=started_at(source, snapshot),
        )

    def _numbers(self, log: EventLog, question: EventsQuestion, names: Names) -> tuple[Sequence[int], int]:
        """Return the numbers of the events that match, ascending, and how many were not searched yet."""
        if question.is_for_all:
            self._runs.go_on(log)
            return self._runs.heads, 0
        searched = (log, question.choice, question.text)
        if self._search is None or self._searched != searched:
            self._search = Search(matches(question, names), self._clock)
            self._searched = searched
        self._search.go_on(log, BUDGET_NS)
        return self._search.numbers, self._search.unread(log)


def matches(question: EventsQuestion, names: Names) -> Matches:
    """Return what tells whether an event is of the kind, and has the text in its words or the #number."""
    classes, text = classes_of(question.choice), question.text.casefold()
    if not text:
        return lambda event: type(event) in classes
    if re.fullmatch(r"#[0-9]+", text):
        node = int(text[1:])
        return lambda event: type(event) in classes and tell(event, names).node == node

    def has_text(event: Event) -> bool:
        if type(event) not in classes:
            return False
        told = tell(event, names)
        return text in told.text.casefold() or text in told.word

    return has_text


def _window(numbers: Sequence[int], question: EventsQuestion) -> tuple[int, int]:
    """Return which of the numbers are rows: those up to the anchor, or the first ones if there are too few."""
    stop = len(numbers) if question.anchor == NEWEST else bisect_right(numbers, question.anchor)
    start = max(0, stop - question.count)
    return start, min(len(numbers), start + question.count)


def _end(numbers: Sequence[int], place: int, question: EventsQuestion, total: int) -> int:
    """Return up to which event a row goes: the next row where all events have rows, else its own."""
    if not question.is_for_all:
        return numbers[place] + 1
    return numbers[place + 1] if place + 1 < len(numbers) else total


def _row(number: int, events: Sequence[Event], names: Names) -> EventRow:
    told = tell(events[0], names) if len(events) == 1 else tell_steps(events)
    return EventRow(number, time_of(events[-1]), KIND_OF[type(events[0])], *told)


def lately(kept: Sequence[Event], is_cut: bool, now: int) -> Lately:
    """Return what happened in the last seconds, as far back as events are kept; `is_cut` says that more were."""
    place = bisect_left(kept, now - LATELY_NS, key=time_of)
    recent = kept[place:]
    span_ns = max(1, now - time_of(recent[0])) if recent and is_cut and not place else LATELY_NS
    counts = Counter(map(type, recent))
    missing = counts.pop(Missing, 0)
    freed = sum(sum(event.freed_tokens) for event in recent if type(event) is Evict) if Evict in counts else 0
    named = {cls.__name__: count for cls, count in counts.items()}
    return Lately(span_ns, len(recent) - missing, named, freed)


def started_at(source: Source, snapshot: Snapshot) -> int:
    """Return when the cache began to run, on the clock of its records; when the watch did where nobody says.

    In a recording times count from its first record, as its timeline does.
    """
    moment = source.transport.moment if source.transport is not None else None
    if moment is not None and not moment.is_live:
        return moment.start
    config, now = snapshot.source.config, snapshot.now
    origin, started = origin_of(config), config.get("started")
    if origin is None or not isinstance(started, int):
        return snapshot.since
    return now - (origin.date_ns(now) - started)
