"""What requests found in the cache, counted as the screens count it: once each, at the first admission."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cache_core.events import RequestAdmitted, RequestFinished, RequestPrefilled, RequestRefused, RequestRetracted
from probes.fold import Folds
from probes.lives.admissions import FirstAdmissions
from probes.lives.loads import Loads, Told
from probes.window import Counters


class Found(NamedTuple):
    """Tokens of a prompt: all, those served from the device, those loaded from the host, those that were known.

    `untold` counts the prompts of which the source does not tell what was known beyond what could be served.
    """

    prompt_tokens: int = 0
    device_hit_tokens: int = 0
    loaded_tokens: int = 0
    known_tokens: int = 0
    untold: int = 0


class Hits:
    """Calls `tell` with the time of an admission and what was found; again with what is loaded later."""

    def __init__(self, tell: Callable[[int, Found], None]) -> None:
        self._tell = tell
        self._admissions = FirstAdmissions()
        self._loads: Loads[int] = Loads()
        self.folds: Folds = {
            RequestAdmitted: self._admitted,
            RequestPrefilled: self._told,
            RequestRetracted: self._retracted,
            RequestFinished: self._finished,
            RequestRefused: self._ended,
        }

    def _admitted(self, record: RequestAdmitted) -> None:
        if self._admissions.admitted(record.request):
            known = record.device_hit_tokens + record.host_hit_tokens + max(0, record.recomputed_tokens)
            is_untold = record.recomputed_tokens < 0
            self._tell(record.at, Found(record.prompt_tokens, record.device_hit_tokens, 0, known, is_untold))
            if record.host_hit_tokens:
                self._loads.expect(record.request, record.at)

    def _told(self, record: Told) -> None:
        news = self._loads.told(record)
        if news is not None:
            admitted_at, loaded = news
            self._tell(admitted_at, Found(loaded_tokens=loaded))

    def _retracted(self, record: RequestRetracted) -> None:
        self._told(record)
        self._admissions.retracted(record.request)

    def _finished(self, record: RequestFinished) -> None:
        self._told(record)
        self._admissions.ended(record.request)

    def _ended(self, record: RequestRefused) -> None:
        self._admissions.ended(record.request)


class RecentHits(Hits):
    """The hit rate of the last ten seconds."""

    def __init__(self) -> None:
        super().__init__(self._count)
        self._seconds = Counters(2)

    def percent(self, now: int) -> float | None:
        """Return the hit rate of the ten seconds up to `now`; None when nothing was queried."""
        queried, hit = self._seconds.sums(now, 10)
        return 100 * hit / queried if queried else None

    def _count(self, at: int, found: Found) -> None:
        row = self._seconds.row(at)
        row[0] += found.prompt_tokens
        row[1] += found.device_hit_tokens + found.loaded_tokens
