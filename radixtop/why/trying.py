"""Has changes of findings measured, one at a time, in a process beside this one; remembers what came of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter_ns
from typing import TYPE_CHECKING, ClassVar

from probes.errors import ProbeError
from radixtop.errors import RadixtopError, message_of
from radixtop.question import Answerer
from radixtop.why.answerer import NOT_KEPT, shown_at
from radixtop.why.rerun import Rerun
from radixtop.why.trial import Trial, TrialQuestion, Trials

if TYPE_CHECKING:
    from probes.snapshot import Snapshot
    from radixtop.source import Source

TURN_NS = 10_000_000
"""How long it copies at a time."""


class TrialAnswerer(Answerer[TrialQuestion]):
    """Runs what was asked for last. `clock` returns ns."""

    outlives_trees: ClassVar[bool] = True
    """What was measured stays true of its moment."""

    def __init__(self, clock: Callable[[], int] = perf_counter_ns) -> None:
        self._clock = clock
        self._number = 0
        self._finding = ""
        self._rerun: Rerun | None = None
        self._known: dict[str, Trial] = {}
        self._earlier: Trial | None = None
        self._before: tuple[int, float] | None = None

    def answer(self, source: Source, snapshot: Snapshot, question: TrialQuestion) -> Trials:
        """See Answerer."""
        if question.number != self._number:
            self._number = question.number
            self._end()
            if question.finding:
                self._begin(source, question)
        self._hear()
        return Trials(dict(self._known))

    def go_on(self, source: Source) -> None:
        """Copy what is kept, and start the process when all of it is there."""
        rerun = self._rerun
        if rerun is None or rerun.is_ready:
            self.is_busy = False
            return
        deadline = self._clock() + TURN_NS
        try:
            self.is_busy = not rerun.prepare(lambda: self._clock() < deadline)
        except (ProbeError, OSError) as error:
            self._fail(rerun.trial, error)

    def close(self) -> None:
        """End what is being measured."""
        self._end()

    def _begin(self, source: Source, question: TrialQuestion) -> None:
        """Begin a trial at the moment that is shown; where that cannot be, it is over at once."""
        at, transport = shown_at(source), source.transport
        self._finding, self._earlier = question.finding, self._known.get(question.finding)
        trial = self._known[question.finding] = Trial(question.settings, at or 0)
        if transport is None or at is None:
            self._known[question.finding] = replace(trial, trouble=NOT_KEPT)
            return
        before = self._before[1] if self._before is not None and self._before[0] == at else None
        try:
            self._rerun = Rerun(transport.footage, trial, before)
        except (RadixtopError, OSError) as error:
            self._fail(trial, error)
            return
        self.go_on(source)

    def _hear(self) -> None:
        """Take note of how far the process is, and let go of it when it is done."""
        rerun = self._rerun
        if rerun is None:
            return
        rerun.hear()
        trial = self._known[self._finding] = rerun.trial
        if trial.gain is not None:
            self._before = trial.at, trial.gain.before
        if trial.is_over:
            rerun.close()
            self._rerun = None

    def _fail(self, trial: Trial, error: Exception) -> None:
        self._end()
        said = ": ".join(part for part in message_of(error) if part)
        self._known[self._finding] = replace(trial, trouble=said)

    def _end(self) -> None:
        """End what runs; what is known is what was known before it."""
        self.is_busy = False
        if self._rerun is None:
            return
        self._rerun.close()
        self._rerun = None
        del self._known[self._finding]
        if self._earlier is not None:
            self._known[self._finding] = self._earlier
