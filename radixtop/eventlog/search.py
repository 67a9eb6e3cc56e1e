"""The numbers of the events that match, found from the newest back, a slice of time at a turn."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from probes.builtin.event_log import Event, EventLog

SLICE_EVENTS = 1024
"""How many events are looked at between two looks at the clock."""

Matches = Callable[[Event], bool]


class Search:
    """What matches among the events [low, high) of a log; both ends move outwards, the newer one first.

    `clock` returns nanoseconds. When more events come than can be searched in a turn, what was found is given up and
    the search begins anew at the newest: whoever follows sees those.
    """

    def __init__(self, matches: Matches, clock: Callable[[], int]) -> None:
        self._matches = matches
        self._clock = clock
        self.numbers: list[int] = []
        self._low = self._high = -1

    def go_on(self, log: EventLog, budget_ns: int) -> None:
        """Search on for so long, and forget what the log no longer keeps."""
        until = self._clock() + budget_ns
        if not log.first <= self._high <= log.total:
            self._restart(log)
        while self._high < log.total:
            if self._clock() > until:
                self._restart(log)
                break
            self.numbers += self._found(log, self._high, min(log.total, self._high + SLICE_EVENTS))
            self._high = min(log.total, self._high + SLICE_EVENTS)
        self._forget(log.first)
        while self._low > log.first and self._clock() <= until:
            start = max(log.first, self._low - SLICE_EVENTS)
            self.numbers[:0] = self._found(log, start, self._low)
            self._low = start

    def unread(self, log: EventLog) -> int:
        """Return how many of the kept events were not searched yet."""
        return max(0, self._low - log.first)

    def _restart(self, log: EventLog) -> None:
        self.numbers = []
        self._low = self._high = log.total

    def _forget(self, first: int) -> None:
        del self.numbers[: bisect_left(self.numbers, first)]
        self._low = max(self._low, first)

    def _found(self, log: EventLog, start: int, stop: int) -> list[int]:
        matches = self._matches
        return [start + i for i, event in enumerate(log.span(start, stop)) if matches(event)]
