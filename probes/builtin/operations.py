"""What the cache's own operations cost, and how many records it emits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from cache_core.events import INSERT, LOCK, MATCH, SPLIT, UNLOCK, WHOLE, Evict, Insert, Match, Timing
from probes.fold import Folds
from probes.histogram import Histogram, Quantiles
from probes.mirror import Mirror
from probes.probe import Probe
from probes.window import Counters

_WINDOW_SECONDS = 10
_SUMMED = {(MATCH, SPLIT): "split", (INSERT, SPLIT): "split", (LOCK, WHOLE): "lock", (UNLOCK, WHOLE): "unlock"}
"""What is too short to be timed call by call. Splits are part of the match or insert that they happen in."""


@dataclass(frozen=True, slots=True)
class OperationSum:
    """How many calls were timed, and how long they took in all."""

    calls: int
    duration_ns: int


@dataclass(frozen=True, slots=True)
class OperationsSample:
    """Durations in ns of "match", "insert" and "evict"; `records` counts the stream since the watch began.

    `sums` has those three and "split", "lock" and "unlock" since the watch began. What was not timed is in neither.
    """

    cost: Mapping[str, Quantiles]
    records: int
    records_per_s: float | None
    sums: Mapping[str, OperationSum] = field(default_factory=lambda: MappingProxyType({}))


class Operations(Probe):
    """Times operations by the durations in their records."""

    needs = frozenset({Match, Insert, Evict})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._ns = {name: Histogram() for name in ("match", "insert", "evict")}
        self._match, self._insert, self._evict = self._ns.values()
        self._summed = {name: [0, 0] for name in ("split", "lock", "unlock")}
        self._records = 0
        self._seconds = Counters(1)

    def folds(self) -> Folds:
        """See Probe."""
        return {Match: self._matched, Insert: self._inserted, Evict: self._evicted, Timing: self._timed}

    def sample(self, now: int) -> OperationsSample:
        """See Probe."""
        sums = {name: OperationSum(timed.count, timed.total) for name, timed in self._ns.items()}
        sums |= {name: OperationSum(calls, ns) for name, (calls, ns) in self._summed.items()}
        return OperationsSample(
            MappingProxyType({name: timed.quantiles() for name, timed in self._ns.items()}),
            self._records,
            self._seconds.rate_per_s(now, 0, _WINDOW_SECONDS),
            MappingProxyType(sums),
        )

    def advance(self, records: int, since: int, until: int) -> None:
        """See Probe. Records are spread evenly over the time of their batch."""
        self._records += records
        self._seconds.spread(since, until, 0, records)

    def _matched(self, record: Match) -> None:
        if record.duration_ns:
            self._match.add(record.duration_ns)

    def _inserted(self, record: Insert) -> None:
        if record.duration_ns:
            self._insert.add(record.duration_ns)

    def _evicted(self, record: Evict) -> None:
        if record.duration_ns:
            self._evict.add(record.duration_ns)

    def _timed(self, record: Timing) -> None:
        name = _SUMMED.get((record.operation, record.phase))
        if name is not None:
            self._summed[name][0] += record.calls
            self._summed[name][1] += record.duration_ns
