"""A whole run in a bounded number of buckets: what was asked for, what was hit, what was evicted, and when.

The buckets get twice as wide whenever the run outgrows them, so a run of any length takes the same memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from cache_core.events import (
    Evict,
    RequestAdmitted,
    RequestFinished,
    RequestPrefilled,
    RequestRefused,
    RequestRetracted,
)
from probes.fold import Folds
from probes.lives.admissions import FirstAdmissions
from probes.lives.loads import Loads, Told

MOST_BUCKETS = 1024
FIRST_BUCKET_NS = 62_500_000
"""The width that a run begins with: after a minute its buckets are twice as wide, and so on."""

_QUERIED, _HIT, _EVICTED = range(3)


@dataclass(frozen=True, slots=True)
class Timeline:
    """Tokens of a run by time: bucket i holds those of the `bucket_ns` from `start` + i * `bucket_ns` on.

    Hits are those of first admissions, as in the hit rate; evicted tokens are those of all components together.
    From `counted_until` on nothing is counted yet: there a run is unknown, not idle.
    """

    start: int
    bucket_ns: int
    counted_until: int
    queried_tokens: tuple[int, ...]
    hit_tokens: tuple[int, ...]
    evicted_tokens: tuple[int, ...]

    def begin_of(self, bucket: int) -> int:
        """Return when a bucket begins."""
        return self.start + bucket * self.bucket_ns


class TimelineFold:
    """Folds a run into a timeline. `start` is when the run began, None to begin with its first record."""

    def __init__(self, start: int | None = None) -> None:
        self.counted_until = start or 0
        self._start = start
        self._bucket_ns = FIRST_BUCKET_NS
        self._rows: list[list[int]] = []
        self._admissions = FirstAdmissions()
        self._loads: Loads[int] = Loads()

    def folds(self) -> Folds:
        """Return what takes which record class."""
        return {
            RequestAdmitted: self._admitted,
            RequestPrefilled: self._told,
            RequestRetracted: self._retracted,
            RequestFinished: self._finished,
            RequestRefused: self._refused,
            Evict: self._evict,
        }

    def passed(self, at: int) -> None:
        """Note that everything up to a time was counted."""
        self.counted_until = max(self.counted_until, at)

    def lost(self) -> None:
        """Records are missing before the next one."""
        self._loads.clear()

    def timeline(self) -> Timeline | None:
        """Return what was counted so far; None while there is nothing."""
        if self._start is None:
            return None
        queried, hit, evicted = zip(*self._rows, strict=True) if self._rows else ((), (), ())
        return Timeline(self._start, self._bucket_ns, self.counted_until, queried, hit, evicted)

    def _row(self, at: int) -> list[int]:
        """Return the bucket that a time lies in; the buckets are widened when it lies behind the last one."""
        if self._start is None:
            self._start = at
        self.counted_until = max(self.counted_until, at)
        bucket = max(0, at - self._start) // self._bucket_ns
        while bucket >= MOST_BUCKETS:
            self._widen()
            bucket = max(0, at - self._start) // self._bucket_ns
        while len(self._rows) <= bucket:
            self._rows.append([0, 0, 0])
        return self._rows[bucket]

    def _widen(self) -> None:
        rows = self._rows
        if len(rows) % 2:
            rows.append([0, 0, 0])
        self._rows = [[sum(pair) for pair in zip(*rows[i : i + 2], strict=True)] for i in range(0, len(rows), 2)]
        self._bucket_ns *= 2

    def _admitted(self, record: RequestAdmitted) -> None:
        if self._admissions.admitted(record.request):
            row = self._row(record.at)
            row[_QUERIED] += record.prompt_tokens
            row[_HIT] += record.device_hit_tokens
            if record.host_hit_tokens:
                self._loads.expect(record.request, record.at)

    def _told(self, record: Told) -> None:
        news = self._loads.told(record)
        if news is not None:
            admitted_at, loaded_tokens = news
            self._row(admitted_at)[_HIT] += loaded_tokens

    def _retracted(self, record: RequestRetracted) -> None:
        self._told(record)
        self._admissions.retracted(record.request)

    def _finished(self, record: RequestFinished) -> None:
        self._told(record)
        self._admissions.ended(record.request)

    def _refused(self, record: RequestRefused) -> None:
        self._admissions.ended(record.request)

    def _evict(self, record: Evict) -> None:
        self._row(record.at)[_EVICTED] += sum(record.freed_tokens)
