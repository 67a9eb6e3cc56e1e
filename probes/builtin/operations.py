"""What the cache's own operations cost, and how many records it emits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from probes.histogram import Quantiles


@dataclass(frozen=True, slots=True)
class OperationsSample:
    """Durations in ns of "match", "insert" and "evict"; `records` counts the stream since the watch began."""

    cost: Mapping[str, Quantiles]
    records: int
    records_per_s: float | None
