"""What the cache's own operations cost, and how many records it emits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from cache_core.events import Evict, Insert, Match
from probes.fold import Folds
from probes.histogram import Histogram, Quantiles
from probes.mirror import Mirror
from probes.probe import Probe
from probes.window import Counters

_WINDOW_SECONDS = 10


@dataclass(frozen=True, slots=True)
class OperationsSample:
    """Durations in ns of "match", "insert" and "evict"; `records` counts the stream since the watch began."""

    cost: Mapping[str, Quantiles]
    records: int
    records_per_s: float | None


class Operations(Probe):
    """Times operations by the durations in their records."""

    needs = frozenset({Match, Insert, Evict})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._match_ns = Histogram()
        self._insert_ns = Histogram()
        self._evict_ns = Histogram()
        self._records = 0
        self._seconds = Counters(1)

    def folds(self) -> Folds:
        """See Probe."""
        return {Match: self._match, Insert: self._insert, Evict: self._evict}

    def sample(self, now: int) -> OperationsSample:
        """See Probe."""
        cost = {
            "match": self._match_ns.quantiles(),
            "insert": self._insert_ns.quantiles(),
            "evict": self._evict_ns.quantiles(),
        }
        return OperationsSample(
            MappingProxyType(cost), self._records, self._seconds.rate_per_s(now, 0, _WINDOW_SECONDS)
        )

    def advance(self, records: int, since: int, until: int) -> None:
        """See Probe. Records are spread evenly over the time of their batch."""
        self._records += records
        self._seconds.spread(since, until, 0, records)

    def _match(self, record: Match) -> None:
        self._match_ns.add(record.duration_ns)

    def _insert(self, record: Insert) -> None:
        self._insert_ns.add(record.duration_ns)

    def _evict(self, record: Evict) -> None:
        self._evict_ns.add(record.duration_ns)
