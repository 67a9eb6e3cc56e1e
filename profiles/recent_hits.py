"""The hit rate of the last ten seconds, counted as the screens count it."""

from __future__ import annotations

from cache_core.events import RequestAdmitted, RequestFinished, RequestPrefilled, RequestRefused, RequestRetracted
from probes.admissions import FirstAdmissions
from probes.fold import Folds
from probes.loads import Loads, Told
from probes.window import Counters

_QUERIED, _HIT = range(2)


class RecentHits:
    """A request counts when it is first admitted, with what it loads from the host once that is told."""

    def __init__(self) -> None:
        self._seconds = Counters(2)
        self._admissions = FirstAdmissions()
        self._loads: Loads[int] = Loads()
        self.folds: Folds = {
            RequestAdmitted: self._admitted,
            RequestPrefilled: self._told,
            RequestRetracted: self._retracted,
            RequestFinished: self._finished,
            RequestRefused: self._ended,
        }

    def percent(self, now: int) -> float | None:
        """Return the hit rate of the ten seconds up to `now`; None when nothing was queried."""
        queried, hit = self._seconds.sums(now, 10)
        return 100 * hit / queried if queried else None

    def _admitted(self, record: RequestAdmitted) -> None:
        if self._admissions.admitted(record.request):
            row = self._seconds.row(record.at)
            row[_QUERIED] += record.prompt_tokens
            row[_HIT] += record.device_hit_tokens
            if record.host_hit_tokens:
                self._loads.expect(record.request, record.at)

    def _told(self, record: Told) -> None:
        news = self._loads.told(record)
        if news is not None:
            admitted_at, loaded = news
            self._seconds.row(admitted_at)[_HIT] += loaded

    def _retracted(self, record: RequestRetracted) -> None:
        self._told(record)
        self._admissions.retracted(record.request)

    def _finished(self, record: RequestFinished) -> None:
        self._told(record)
        self._admissions.ended(record.request)

    def _ended(self, record: RequestRefused) -> None:
        self._admissions.ended(record.request)
