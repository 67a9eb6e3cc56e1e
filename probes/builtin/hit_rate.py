"""How much of what requests asked for was in the cache, lately and in total."""

from __future__ import annotations

from dataclasses import dataclass

from cache_core.events import RequestAdmitted, RequestFinished, RequestRefused, RequestRetracted
from probes.admissions import FirstAdmissions
from probes.fold import Folds
from probes.mirror import Mirror
from probes.probe import Probe
from probes.window import Counters, ratios

_QUERIES, _QUERIED, _HIT, _FULL_HIT = range(4)


@dataclass(frozen=True, slots=True)
class HitTotals:
    """Sums over admitted requests, each counted once.

    `hit_tokens` were served from the cache; `full_hit_tokens` would have been if every component still had them.
    """

    queries: int = 0
    queried_tokens: int = 0
    hit_tokens: int = 0
    full_hit_tokens: int = 0

    @property
    def hit_rate(self) -> float | None:
        """Share (0..1) of the queried tokens that was served; None when nothing was queried."""
        return self.hit_tokens / self.queried_tokens if self.queried_tokens else None

    @property
    def full_hit_rate(self) -> float | None:
        """Share (0..1) of the queried tokens whose prefix was known; None when nothing was queried."""
        return self.full_hit_tokens / self.queried_tokens if self.queried_tokens else None

    @property
    def gap_tokens(self) -> int:
        """Known tokens that had to be computed again."""
        return self.full_hit_tokens - self.hit_tokens


@dataclass(frozen=True, slots=True)
class HitRateSample:
    """Hits over the last 10 s, the last minute and all time; histories are one rate (0..1) a second, oldest first.

    `resumed` are all later admissions of requests that were retracted, which the other totals leave out: what they
    find is mostly their own.
    """

    last_10s: HitTotals
    last_minute: HitTotals
    total: HitTotals
    history: tuple[float | None, ...]
    full_history: tuple[float | None, ...]
    resumed: HitTotals = HitTotals()


class HitRate(Probe):
    """Counts a request when it is first admitted, and its returns apart."""

    needs = frozenset({RequestAdmitted})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._total = [0, 0, 0, 0]
        self._resumed = [0, 0, 0, 0]
        self._seconds = Counters(4)
        self._admissions = FirstAdmissions()

    def folds(self) -> Folds:
        """See Probe."""
        return {
            RequestAdmitted: self._admitted,
            RequestRetracted: self._retracted,
            RequestFinished: self._ended,
            RequestRefused: self._ended,
        }

    def sample(self, now: int) -> HitRateSample:
        """See Probe."""
        rows = self._seconds.history(now)
        return HitRateSample(
            last_10s=HitTotals(*self._seconds.sums(now, 10)),
            last_minute=HitTotals(*self._seconds.sums(now, 60)),
            total=HitTotals(*self._total),
            history=ratios(rows, _HIT, _QUERIED),
            full_history=ratios(rows, _FULL_HIT, _QUERIED),
            resumed=HitTotals(*self._resumed),
        )

    def _admitted(self, record: RequestAdmitted) -> None:
        hit_tokens = record.device_hit_tokens + record.host_hit_tokens
        first = self._admissions.admitted(record.request)
        for row in (self._total, self._seconds.row(record.at)) if first else (self._resumed,):
            row[_QUERIES] += 1
            row[_QUERIED] += record.prompt_tokens
            row[_HIT] += hit_tokens
            row[_FULL_HIT] += hit_tokens + record.recomputed_tokens

    def _retracted(self, record: RequestRetracted) -> None:
        self._admissions.retracted(record.request)

    def _ended(self, record: RequestFinished | RequestRefused) -> None:
        self._admissions.ended(record.request)
