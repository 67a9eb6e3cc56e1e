"""Rates over windows from the counters of successive scrapes.

A counter that fell started anew: what it shows is what came since, as Prometheus has it. The first value of a
counter gives no rate, and one that is missing for a while gives none for that while.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from probes.window import SECOND_NS

KEPT_NS = 61 * SECOND_NS
"""A minute, and the scrape before it."""
MOST_MARKS = 1_024


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
