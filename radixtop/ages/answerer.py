"""Says how old residents are, from the mirror, on the thread that ticks: a slice with each answer, then a rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter_ns
from typing import TYPE_CHECKING

from probes.snapshot import Snapshot, component_names
from radixtop.ages.page import ResidentPage, ResidentQuestion
from radixtop.budget import work
from radixtop.question import Answerer

if TYPE_CHECKING:
    from radixtop.ages.residents import Residents
    from radixtop.source import Source


class ResidentAnswerer(Answerer[ResidentQuestion]):
    """Keeps what the pass that ended last came to, and the one that is under way. `clock` returns nanoseconds."""

    def __init__(self, clock: Callable[[], int] = perf_counter_ns) -> None:
        self._clock = clock
        self._asked: tuple[object, ...] = ()
        self._running: Residents | None = None
        self._began_at = 0
        self._done: tuple[ResidentPage, int] | None = None

    def answer(self, source: Source, snapshot: Snapshot, question: ResidentQuestion) -> ResidentPage | None:
        """See Answerer."""
        mirror = source.mirror
        names = component_names(snapshot.source.config) or (() if mirror is None else mirror.components)
        if mirror is None or question.component not in names:
            return None
        asked = (id(mirror), question)
        if asked != self._asked:
            self._asked, self._running, self._done = asked, None, None
        self._look(source, snapshot, names.index(question.component), question.component)
        if self._done is None:
            return None
        page, began_at = self._done
        return replace(page, behind_ns=self._clock() - began_at)

    def _look(self, source: Source, snapshot: Snapshot, component: int, name: str) -> None:
        """Look at more nodes until the time is over, or a pass."""
        from radixtop.ages.residents import Residents  # numpy is not for the first frame

        assert source.mirror is not None
        columns = source.mirror.columns
        if self._running is None:
            self._running, self._began_at = (
                Residents(component, snapshot.now, tells_use=source.mirror.tells_use),
                self._clock(),
            )
        running = self._running
        if work(lambda: running.look(columns), self._clock):
            shapes = running.age.shape(), running.idle.shape()
            self._done = ResidentPage(name, running.tokens, *shapes, running.unseen_tokens, 0), self._began_at
            self._running = None
