"""How much of what requests asked for was in the cache, lately and in total."""

from __future__ import annotations

from dataclasses import dataclass


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
    """Hits over the last 10 s, the last minute and all time; histories are one rate (0..1) a second, oldest first."""

    last_10s: HitTotals
    last_minute: HitTotals
    total: HitTotals
    history: tuple[float | None, ...]
    full_history: tuple[float | None, ...]
