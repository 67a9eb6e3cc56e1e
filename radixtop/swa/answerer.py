"""Counts windows by depth, from the mirror, on the thread that ticks: a slice with each answer."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns
from typing import TYPE_CHECKING

from radixtop.budget import Rest, work
from radixtop.question import Answerer
from radixtop.swa.page import Tombstones, TombstonesQuestion

if TYPE_CHECKING:
    from probes.snapshot import Snapshot
    from radixtop.source import Source
    from radixtop.swa.census import Census


class TombstonesAnswerer(Answerer[TombstonesQuestion]):
    """Counts anew when the tree has changed; until that is through, the old count stands. `clock` returns ns."""

    def __init__(self, clock: Callable[[], int] = perf_counter_ns) -> None:
        self._clock = clock
        self._running: Census | None = None
        self._version = -1
        self._spent_ns = 0
        self._rest = Rest()
        self._found: Tombstones | None = None

    def answer(self, source: Source, snapshot: Snapshot, question: TombstonesQuestion) -> Tombstones | None:
        """See Answerer."""
        from radixtop.swa.census import Census  # numpy is not for the first frame

        mirror, began = source.mirror, self._clock()
        if mirror is None:
            return None
        if "swa" not in mirror.components:
            return Tombstones((), snapshot.now)
        if self._running is None and mirror.version != self._version and self._rest.is_over(began):
            self._version, self._spent_ns = mirror.version, 0
            self._running = Census(mirror.components.index("swa"))
        running = self._running
        if running is not None:
            is_done = work(lambda: running.look(mirror.columns), self._clock)
            ended = self._clock()
            self._spent_ns += ended - began
            if is_done:
                self._found, self._running = Tombstones(running.buckets(), snapshot.now), None
                self._rest.begin(ended, self._spent_ns)
        return self._found
