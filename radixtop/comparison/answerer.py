"""Keeps the marked moment and the minute before now, and compares."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import perf_counter_ns
from typing import TYPE_CHECKING, ClassVar
from weakref import ref

from probes.histogram import Quantiles
from probes.mirror import Mirror
from radixtop.budget import Rest
from radixtop.comparison.census import Census, PrefixChange, census, changes
from radixtop.comparison.counts import NOTHING, Counts, between, counts_of
from radixtop.comparison.page import Comparison
from radixtop.comparison.question import CompareQuestion, MarkQuestion
from radixtop.flame.weighing import token_grove
from radixtop.question import Answerer

if TYPE_CHECKING:
    from probes.snapshot import Snapshot
    from radixtop.source import Source

BEFORE_NS = 60_000_000_000
"""How far the stretch before a mark reaches back."""

STEP_NS = 1_000_000_000
"""At most one moment of each second is kept."""

MOST_CHANGES = 40


class CompareAnswerer(Answerer[MarkQuestion | CompareQuestion]):
    """Hears of every frame, so that the minute before a mark is known once there is one. `clock` returns ns."""

    outlives_trees: ClassVar[bool] = True
    """A mark stays when another moment is looked at."""

    def __init__(self, clock: Callable[[], int] = perf_counter_ns) -> None:
        self._clock = clock
        self._past: deque[Counts] = deque(maxlen=BEFORE_NS // STEP_NS + 2)
        self._number = 0
        self._mark: Counts | None = None
        self._before = NOTHING
        self._census: Census | None = None
        self._changes: tuple[PrefixChange, ...] = ()
        self._counted: tuple[int, int] = (-1, 0)
        self._counted_in: ref[Mirror] | None = None
        self._rest = Rest()

    def answer(
        self, source: Source, snapshot: Snapshot, question: MarkQuestion | CompareQuestion
    ) -> Comparison | None:
        """Take in a moment, mark it if that is new, and say what changed if that was asked."""
        now = counts_of(snapshot)
        self._keep(now)
        if isinstance(question, MarkQuestion):
            if question.number > self._number:
                self._number = question.number
                self._take_mark(now, source.mirror)
            return None
        mark = self._mark
        if mark is None:
            since = between(Counts(now.since, now.since, dict.fromkeys(now.sums, 0), ttft=Quantiles()), now)
            return Comparison(None, now, NOTHING, since)
        is_ahead = now.at < mark.at
        since = NOTHING if is_ahead else between(mark, now)
        return Comparison(mark, now, self._before, since, self._grown(source.mirror), is_ahead)

    def _keep(self, now: Counts) -> None:
        past = self._past
        if past and (now.at < past[-1].at or now.since != past[-1].since):
            past.clear()  # another moment of a recording: what was seen last is not what came before it
        if not past or now.at - past[-1].at >= STEP_NS:
            past.append(now)

    def _take_mark(self, now: Counts, mirror: Mirror | None) -> None:
        self._mark = now
        first = next((counts for counts in self._past if counts.at >= now.at - BEFORE_NS), now)
        self._before = between(first, now)
        self._census = None if mirror is None else census(mirror, token_grove(mirror))
        self._changes = ()
        self._counted = (-1, 0)

    def _grown(self, mirror: Mirror | None) -> tuple[PrefixChange, ...]:
        """Return which prefixes changed, counted anew when the tree changed and the last time is long enough ago."""
        began = self._clock()
        if mirror is None or self._census is None:
            return self._changes
        if self._counted_in is None or self._counted_in() is not mirror:
            self._counted, self._counted_in = (-1, 0), ref(mirror)
        if self._counted == (mirror.version, self._number):
            return self._changes
        if self._counted[1] == self._number and not self._rest.is_over(began):
            return self._changes
        self._changes = changes(mirror, token_grove(mirror), self._census, MOST_CHANGES)
        self._counted = (mirror.version, self._number)
        ended = self._clock()
        self._rest.begin(ended, ended - began)
        return self._changes
