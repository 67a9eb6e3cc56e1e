"""Rates over windows from the counters of successive scrapes, and distributions from their histograms.

A counter that fell started anew: what it shows is what came since, as Prometheus has it. The first value of a
counter gives no rate, and one that is missing for a while gives none for that while.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from probes.scrapes.buckets import Buckets
from probes.window import SECOND_NS

KEPT_NS = 61 * SECOND_NS
MOST_MARKS = 1_024
HISTOGRAM_MARK_NS = 10 * SECOND_NS
"""Histograms are large: the starts of their windows are as far apart as this."""


@dataclass(frozen=True, slots=True)
class Increase:
    """How much a counter grew, and in what time."""

    amount: float
    elapsed_ns: int

    @property
    def per_s(self) -> float:
        """The rate."""
        return self.amount * SECOND_NS / self.elapsed_ns


class _Mark(NamedTuple):
    """How much each counter had grown since it was first seen, at a time."""

    at: int
    grown: Mapping[str, float]


class CounterWindows:
    """How much the counters of one rank grew, over any window of the last minute and since they were first seen."""

    def __init__(self) -> None:
        self._marks: deque[_Mark] = deque(maxlen=MOST_MARKS)
        self._firsts: list[_Mark] = []
        self._values: dict[str, float] = {}
        self._grown: dict[str, float] = {}
        self.resets = 0

    def add(self, at: int, counters: Mapping[str, float]) -> None:
        """Take the counters of a scrape; one that is no later than the last is left out."""
        if self._marks and at <= self._marks[-1].at:
            return
        fell = is_new = False
        for role, value in counters.items():
            before = self._values.get(role)
            if before is None:
                is_new = True
                self._grown[role] = 0.0
            elif value < before:
                fell = True
                self._grown[role] += value
            elif value > before:
                self._grown[role] += value - before
            self._values[role] = value
        self.resets += fell
        mark = _Mark(at, {role: self._grown[role] for role in counters})
        if is_new:
            self._firsts.append(_Mark(at, dict(self._grown)))
        self._marks.append(mark)
        while len(self._marks) > 2 and self._marks[1].at <= at - KEPT_NS:
            self._marks.popleft()

    @property
    def last(self) -> Mapping[str, float]:
        """How much each counter of the last scrape has grown."""
        return self._marks[-1].grown if self._marks else {}

    def increases(self, now: int, seconds: int | None, roles: Iterable[str]) -> dict[str, Increase] | None:
        """Return how much counters grew over the last `seconds`, all since one moment; None when that is not known.

        The window begins with the last scrape before it, or the first one in it that has all of the counters; it ends
        with the newest scrape. None as `seconds` is since the counters were first seen.
        """
        wanted = tuple(roles)
        starts = self._starts(now, seconds)
        return next((grown for mark in starts if (grown := _grown(mark, self._marks[-1], wanted)) is not None), None)

    def each(self, now: int, seconds: int | None) -> dict[str, Increase]:
        """Return how much each counter of the newest scrape grew, by itself: those of which it is known."""
        found: dict[str, Increase] = {}
        missing = [*self.last]
        for mark in self._starts(now, seconds):
            until, grown = self._marks[-1], mark.grown
            elapsed_ns = until.at - mark.at
            if elapsed_ns <= 0:
                break
            for role in missing:
                if role in grown:
                    found[role] = Increase(until.grown[role] - grown[role], elapsed_ns)
            missing = [role for role in missing if role not in found]
            if not missing:
                break
        return found

    def newest(self, roles: Iterable[str]) -> dict[str, Increase] | None:
        """Return how much counters grew between the last two scrapes; None when that is not known."""
        if len(self._marks) < 2:
            return None
        before, last = self._marks[-2], self._marks[-1]
        return _grown(before, last, tuple(roles))

    def _starts(self, now: int, seconds: int | None) -> Iterator[_Mark]:
        """Return where a window may begin, the best first: nowhere when no scrape is in it."""
        marks = self._marks
        if not marks or seconds is None:
            return iter(self._firsts)
        start = now - seconds * SECOND_NS
        if marks[-1].at <= start:
            return iter(())
        first = len(marks) - 1
        while first > 0 and marks[first].at > start:
            first -= 1
        return (marks[place] for place in range(first, len(marks)))


def _grown(since: _Mark, until: _Mark, roles: tuple[str, ...]) -> dict[str, Increase] | None:
    """Return how much counters grew between two scrapes that both have them."""
    elapsed_ns = until.at - since.at
    if elapsed_ns <= 0 or not all(role in since.grown and role in until.grown for role in roles):
        return None
    return {role: Increase(until.grown[role] - since.grown[role], elapsed_ns) for role in roles}


class HistogramWindows:
    """What came to the histograms of one rank, in the last minute or so and since they were first seen."""

    def __init__(self) -> None:
        self._marks: dict[str, deque[tuple[int, Buckets]]] = {}
        self._values: dict[str, Buckets] = {}
        self._grown: dict[str, Buckets] = {}
        self._last_at: dict[str, int] = {}

    def add(self, at: int, histograms: Mapping[str, Buckets]) -> None:
        """Take the histograms of a scrape, which is later than the last. Other bounds are another histogram."""
        for role, buckets in histograms.items():
            before = self._values.get(role)
            if before is None or before.bounds != buckets.bounds:
                nothing = Buckets(buckets.bounds, (0.0,) * len(buckets.counts), 0.0)
                self._grown[role] = nothing
                self._marks[role] = deque([(at, nothing)])
            elif buckets.counts != before.counts:
                came = buckets.grown_from(before)
                self._grown[role] = self._grown[role].plus(buckets if came is None else came)
            self._values[role] = buckets
            self._last_at[role] = at
            self._mark(at, role)

    @property
    def roles(self) -> Iterable[str]:
        """Every histogram that was seen."""
        return self._grown.keys()

    def total(self, role: str) -> Buckets:
        """Return what came since the histogram was first seen."""
        return self._grown[role]

    def last_minute(self, now: int, role: str) -> Buckets | None:
        """Return what came since the last mark that is a minute old, or the first one; None when none is known.

        That may be ten seconds more than a minute, or the time between two scrapes.
        """
        start = now - 60 * SECOND_NS
        marks = self._marks[role]
        if self._last_at[role] <= start or self._last_at[role] == marks[0][0]:
            return None
        since = marks[0][1]
        for at, buckets in marks:
            if at > start:
                break
            since = buckets
        return self._grown[role].grown_from(since)

    def _mark(self, at: int, role: str) -> None:
        marks = self._marks[role]
        if at - marks[-1][0] >= HISTOGRAM_MARK_NS:
            marks.append((at, self._grown[role]))
        while len(marks) > 2 and marks[1][0] <= at - KEPT_NS:
            marks.popleft()
