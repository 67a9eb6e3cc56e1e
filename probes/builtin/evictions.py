"""What evictions freed, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from probes.histogram import Quantiles


@dataclass(frozen=True, slots=True)
class EvictionEvent:
    """One component's share of an evict call; `freed_tokens` is keyed by component."""

    at: int
    component: str
    asked_tokens: int
    freed_tokens: Mapping[str, int]
    victims: int
    cascades: int
    duration_ns: int
    leaves_considered: int


@dataclass(frozen=True, slots=True)
class EvictionSample:
    """Sums since the watch began, the cost of a call in ns, and the newest calls first.

    `history` is the mean cost in ns of the calls of each second, oldest first; None where there was none.
    """

    calls: int
    victims: int
    cascades: int
    freed_tokens: Mapping[str, int]
    leaves_considered: int
    queue_build_ns: int
    pops: int
    stale_pops: int
    cost: Quantiles
    recent: tuple[EvictionEvent, ...]
    history: tuple[float | None, ...]
