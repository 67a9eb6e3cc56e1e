"""Says what is wrong up to the moment that is shown: reads what is kept of the run once more, when that is asked.

Nothing is gathered until someone looks. Then a reading of its own follows the moment that is shown; who goes back
in time takes it along: forward it goes on, backward it begins anew. What a source gathers itself is read off it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter_ns
from typing import TYPE_CHECKING, ClassVar

from probes.travel.travel import MOST_NODES
from radixtop.budget import Rest
from radixtop.errors import RadixtopError
from radixtop.question import Answerer
from radixtop.why.gathering import gathered
from radixtop.why.judged import judged
from radixtop.why.page import WhyPage, WhyQuestion

if TYPE_CHECKING:
    from probes.snapshot import Snapshot
    from radixtop.source import Source
    from radixtop.why.reading import Reading

TURN_NS = 25_000_000
"""How long it reads at a time."""

TOO_LARGE = f"the tree has more than {MOST_NODES:,} nodes, too many to read a second time beside this screen"
NOT_KEPT = "what this source tells is not kept, so that it cannot be read for findings"


class WhyAnswerer(Answerer[WhyQuestion]):
    """Keeps one reading and the page that it last came to. `clock` returns ns."""

    outlives_trees: ClassVar[bool] = True
    """The reading has a tree of its own."""

    def __init__(self, clock: Callable[[], int] = perf_counter_ns) -> None:
        self._clock = clock
        self._question = WhyQuestion()
        self._reading: Reading | None = None
        self._set_out_from = 0
        self._page: WhyPage | None = None
        self._rest = Rest()

    def answer(self, source: Source, snapshot: Snapshot, question: WhyQuestion) -> WhyPage | None:
        """See Answerer."""
        self._question = question
        found = gathered(source)
        if found is not None:
            return judged(question, found, snapshot.since, snapshot.since)
        if source.transport is None:
            return WhyPage(question, trouble=NOT_KEPT)
        if len(source.mirror.nodes if source.mirror is not None else ()) > MOST_NODES:
            self._reading, self.is_busy = None, False
            return WhyPage(question, trouble=TOO_LARGE)
        try:
            self.go_on(source)
        except RadixtopError as error:
            self._reading, self.is_busy = None, False
            return WhyPage(question, trouble=str(error))
        return self._told(source)

    def go_on(self, source: Source) -> None:
        """Read on towards the moment that is shown. Raises RadixtopError where nothing is kept."""
        until = shown_at(source)
        if source.transport is None or until is None:
            return
        reading = self._reading
        is_fit = reading is not None and reading.from_at == self._question.from_at
        if reading is None or not is_fit or reading.reached > until or not reading.is_kept:
            from radixtop.why.reading import Reading  # not before someone looks

            reading = self._reading = Reading(source.transport.footage, self._question.from_at)
            self._set_out_from = reading.reached
        deadline = self._clock() + TURN_NS
        was_busy = self.is_busy
        self.is_busy = not reading.wind(until, lambda: self._clock() < deadline)
        if was_busy and not self.is_busy:
            self._rest = Rest()
            self._set_out_from = reading.reached

    def _told(self, source: Source) -> WhyPage | None:
        """Return the page of what was read; while there is more to be read the last one, and how far that is."""
        reading, until, page = self._reading, shown_at(source), self._page
        if reading is None or until is None:
            return None
        is_same = page is not None and page.question == self._question
        if self.is_busy:
            way = max(1, until - self._set_out_from)
            progress = min(1.0, max(0.0, (reading.reached - self._set_out_from) / way))
            return _at(page if is_same else None, self._question, progress)
        began = self._clock()
        if page is None or not is_same or page.progress is not None or self._rest.is_over(began):
            evidence = reading.evidence()
            judged_page = judged(self._question, evidence, reading.starts_at, reading.footage.start)
            self._page = page = replace(judged_page, until=until)
            ended = self._clock()
            self._rest.begin(ended, ended - began)
        return page


def shown_at(source: Source) -> int | None:
    """Return the moment that is shown, or is on its way to be; None while that is not known."""
    moment = None if source.transport is None else source.transport.moment
    if moment is None:
        return None
    return moment.at if moment.heading_for is None else moment.heading_for


def _at(page: WhyPage | None, question: WhyQuestion, progress: float) -> WhyPage:
    if page is None:
        return WhyPage(question, progress=progress)
    return replace(page, question=question, progress=progress, trouble="")
