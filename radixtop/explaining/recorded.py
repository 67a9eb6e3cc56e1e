"""A request of a recording, found in one pass over it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from cache_core.events import RequestFinished, RequestRefused, RequestRetracted
from probes.builtin.request_log import RequestLogProbe
from probes.fold import Folds
from probes.snapshot import number_of
from profiles.profile import RecordedProfile
from profiles.report import Report, Stream, read
from radixtop.explaining.explained import Explained, Met, explained
from radixtop.output import tell_missing

_ENDS = (RequestFinished, RequestRetracted, RequestRefused)


class Wanted(Report[Explained | None]):
    """Follows all requests as the screens do, and keeps what became of one; of several of its number the newest.

    It is told as of its end, when its path is still in the tree.
    """

    def __init__(self, stream: Stream, request: int) -> None:
        super().__init__(stream)
        self._request = request
        self._probe = RequestLogProbe(self.mirror)
        self._probe.configured(stream.config)
        self._log = self._probe.sample(0).log
        self._found: Explained | None = None
        self.met = Met()

    def after(self) -> Folds:
        """See Report."""
        folds = dict(self._probe.folds())
        for kind in _ENDS:
            folds[kind] = self._ending(folds[kind])
        return folds

    def result(self) -> Explained | None:
        """See Report."""
        for request in self._log.alive:
            self.met.note(request)
        if self._request in self._log.alive:
            self._look()
        return self._found

    def _ending(self, fold: Callable[[Any], object]) -> Callable[[Any], None]:
        def ended(record: RequestFinished | RequestRetracted | RequestRefused) -> None:
            fold(record)
            if record.request not in self._log.alive:
                self.met.note(record.request)
                if record.request == self._request:
                    self._look()

        return ended

    def _look(self) -> None:
        self._probe.sample(self.stream.last_at)  # says whether all is remembered
        life = self._log.find(self._request)
        if life is not None:
            page_tokens = number_of(self.stream.config, "page_size") or 1
            found = explained(life, self._log, self.mirror, self.stream.last_at, page_tokens)
            self._found = replace(found, came_ns=max(0, life.arrived_at - self.stream.first_at))


def explain_recorded(request: int, file: Path) -> Explained:
    """Return a request of a recording; what is missing of that goes to stderr, too.

    Raises RecordingError, and RadixtopError where it has no such request, which names some that it has.
    """
    made: list[Wanted] = []

    def make(stream: Stream) -> Wanted:
        made.append(Wanted(stream, request))
        return made[0]

    with RecordedProfile(file) as profile:
        found = read(profile, make)
        missing = profile.missing
        tell_missing(file, missing)
    if found is None:
        raise made[0].met.refusal(request, str(file))
    return replace(found, missing=missing)
