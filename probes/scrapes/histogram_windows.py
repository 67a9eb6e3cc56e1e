"""Distributions over windows from the histograms of successive scrapes.

One that fell started anew, as a counter does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from probes.scrapes.buckets import Buckets
from probes.scrapes.counter_windows import KEPT_NS
from probes.window import SECOND_NS

HISTOGRAM_MARK_NS = 10 * SECOND_NS
"""Histograms are large: the starts of their windows are as far apart as this."""


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
