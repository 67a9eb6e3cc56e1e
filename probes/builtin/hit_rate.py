"""How much of what requests asked for was in the cache, lately and in total."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cache_core.events import RequestAdmitted, RequestFinished, RequestPrefilled, RequestRefused, RequestRetracted
from probes.fold import Folds
from probes.lives.admissions import FirstAdmissions
from probes.lives.loads import Loads, Told
from probes.mirror import Mirror
from probes.probe import Probe
from probes.window import HISTORY_SECONDS, Counters, ratios

_QUERIES, _QUERIED, _HIT, _FULL_HIT, _HOST_HIT, _LOADED = range(6)
_BLANK: tuple[float | None, ...] = (None,) * HISTORY_SECONDS


@dataclass(frozen=True, slots=True)
class HitTotals:
    """Sums over admitted requests, each counted once.

    `hit_tokens` were served from the cache, `loaded_tokens` of them from host memory; `full_hit_tokens` would have
    been if every component still had them. `host_hit_tokens` were found in host memory: what was not loaded of them,
    for want of room or because it was too little, is missed. `full_hit_tokens` is None where the source tells none.
    """

    queries: int = 0
    queried_tokens: int = 0
    hit_tokens: int = 0
    full_hit_tokens: int | None = 0
    host_hit_tokens: int = 0
    loaded_tokens: int = 0

    @property
    def hit_rate(self) -> float | None:
        """Share (0..1) of the queried tokens that was served; None when nothing was queried."""
        return self.hit_tokens / self.queried_tokens if self.queried_tokens else None

    @property
    def device_hit_tokens(self) -> int:
        """Tokens that were served as they were."""
        return self.hit_tokens - self.loaded_tokens

    @property
    def host_share(self) -> float | None:
        """Share (0..1) of the queried tokens that was loaded from the host; None when nothing was queried."""
        return self.loaded_tokens / self.queried_tokens if self.queried_tokens else None

    @property
    def unloaded_tokens(self) -> int:
        """Tokens that were found on the host and not loaded, or not yet."""
        return max(0, self.host_hit_tokens - self.loaded_tokens)

    @property
    def full_hit_rate(self) -> float | None:
        """Share (0..1) of the queried tokens whose prefix was known; None when nothing was queried, or untold."""
        told = self.full_hit_tokens
        return None if told is None or not self.queried_tokens else told / self.queried_tokens

    @property
    def gap_tokens(self) -> int | None:
        """Known tokens that had to be computed again, None where that is not told."""
        return None if self.full_hit_tokens is None else self.full_hit_tokens - self.hit_tokens


@dataclass(frozen=True, slots=True)
class HitRateSample:
    """Hits over the last 10 s, the last minute and all time; histories are one rate (0..1) a second, oldest first.

    `resumed` are all later admissions of requests that were retracted, which the other totals leave out: what they
    find is mostly their own. Hits on the host count in the rate once they are loaded; `has_host_tier` says whether
    there can be any.
    """

    last_10s: HitTotals
    last_minute: HitTotals
    total: HitTotals
    history: tuple[float | None, ...]
    full_history: tuple[float | None, ...]
    resumed: HitTotals = HitTotals()
    has_host_tier: bool = False


class HitRate(Probe):
    """Counts a request when it is first admitted, and its returns apart; what it loaded, when that is told."""

    needs = frozenset({RequestAdmitted})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._total = [0] * 6
        self._resumed = [0] * 6
        self._seconds = Counters(6)
        self._admissions = FirstAdmissions()
        self._loads: Loads[tuple[int, bool]] = Loads()
        self._is_full_hit_told = True
        """Whether each admission told its gap: a sum without some of them would be none."""

    def folds(self) -> Folds:
        """See Probe."""
        return {
            RequestAdmitted: self._admitted,
            RequestPrefilled: self._told,
            RequestRetracted: self._retracted,
            RequestFinished: self._finished,
            RequestRefused: self._ended,
        }

    def sample(self, now: int) -> HitRateSample:
        """See Probe."""
        rows = self._seconds.history(now)
        return HitRateSample(
            last_10s=self._totals(self._seconds.sums(now, 10)),
            last_minute=self._totals(self._seconds.sums(now, 60)),
            total=self._totals(self._total),
            history=ratios(rows, _HIT, _QUERIED),
            full_history=ratios(rows, _FULL_HIT, _QUERIED) if self._is_full_hit_told else _BLANK,
            resumed=self._totals(self._resumed),
            has_host_tier=self.mirror.has_host_tier,
        )

    def _totals(self, sums: Sequence[int]) -> HitTotals:
        totals = HitTotals(*sums)
        return totals if self._is_full_hit_told else replace(totals, full_hit_tokens=None)

    def lost(self) -> None:
        """See Probe: what was loaded may be among what is missing."""
        self._loads.clear()

    def _admitted(self, record: RequestAdmitted) -> None:
        first = self._admissions.admitted(record.request)
        self._is_full_hit_told = self._is_full_hit_told and record.recomputed_tokens >= 0
        for row in self._rows(record.at, first):
            row[_QUERIES] += 1
            row[_QUERIED] += record.prompt_tokens
            row[_HIT] += record.device_hit_tokens
            row[_FULL_HIT] += record.device_hit_tokens + record.host_hit_tokens + max(0, record.recomputed_tokens)
            row[_HOST_HIT] += record.host_hit_tokens
        if record.host_hit_tokens:
            self._loads.expect(record.request, (record.at, first))

    def _told(self, record: Told) -> None:
        """Count what a request loaded where and when its admission was counted."""
        news = self._loads.told(record)
        if news is not None:
            (admitted_at, first), loaded = news
            for row in self._rows(admitted_at, first):
                row[_HIT] += loaded
                row[_LOADED] += loaded

    def _rows(self, at: int, first: bool) -> tuple[list[int], ...]:
        return (self._total, self._seconds.row(at)) if first else (self._resumed,)

    def _retracted(self, record: RequestRetracted) -> None:
        self._told(record)
        self._admissions.retracted(record.request)

    def _finished(self, record: RequestFinished) -> None:
        self._told(record)
        self._admissions.ended(record.request)

    def _ended(self, record: RequestRefused) -> None:
        self._admissions.ended(record.request)
