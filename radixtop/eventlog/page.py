"""What passes between the events on screen and the thread that has the log: a question, and a page of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from radixtop.eventlog.kinds import Kind

NEWEST = -1
"""The anchor of a page that follows."""


@dataclass(frozen=True, slots=True)
class EventsQuestion:
    """Which events a screen wants: `count` of those of a kind that hold a text, the last one numbered `anchor`."""

    answerer: ClassVar[str] = "radixtop.eventlog.answerer:EventsAnswerer"

    count: int
    anchor: int = NEWEST
    choice: str = "all"
    text: str = ""

    @property
    def is_for_all(self) -> bool:
        """Whether every event is wanted; then consecutive steps of the engine share a row."""
        return self.choice == "all" and not self.text


class EventRow(NamedTuple):
    """One event in words, or a run of steps by the number of the first.

    `node` and `request` are -1 where it is about none; `at` is -1 where it has no time.
    """

    number: int
    at: int
    kind: Kind
    word: str
    text: str
    node: int
    request: int


@dataclass(frozen=True, slots=True)
class Lately:
    """What happened in the last `span_ns`: events by class name, and what evictions freed."""

    span_ns: int
    events: int
    counts: Mapping[str, int]
    freed_tokens: int


@dataclass(frozen=True, slots=True)
class EventsPage:
    """A window of rows, oldest first.

    `below` are the numbers of the next events that match, as many as a page has. `unread` events were not searched
    yet for the text, and `gone` are no longer kept; both lie before the first row, and are 0 unless it is the oldest
    one found. `started_at` is when the cache began to run, or when the watch did.
    """

    question: EventsQuestion
    rows: tuple[EventRow, ...]
    below: tuple[int, ...]
    total: int
    unread: int
    gone: int
    is_oldest: bool
    lost_records: int
    lately: Lately
    now: int
    started_at: int
