"""Fires when the hit rate of the last 10 s is far below that of the rest of the minute.

Rates are those of the `hit_rate` probe: tokens, each request counted when it is first admitted, and what is loaded
from the host counted as a hit.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from probes.builtin.hit_rate import HitRate
from probes.fold import Folds
from probes.mirror import Mirror
from probes.trigger import Threshold, Trigger


class HitDrop(Trigger):
    """Compares the last 10 s with the 50 s before them."""

    thresholds = MappingProxyType(
        {
            "factor": Threshold(0.5, "of the rate before is far below it"),
            "rate": Threshold(0.2, "rate that it must have been at least"),
            "tokens": Threshold(2000, "queried tokens to judge by, in the last 10 s and before them"),
            "requests": Threshold(16, "requests to judge by, likewise"),
        }
    )

    def __init__(self, mirror: Mirror, set_to: Mapping[str, float] = MappingProxyType({})) -> None:
        super().__init__(mirror, set_to)
        self._hits = HitRate(mirror)

    def folds(self) -> Folds:
        """See Trigger."""
        return self._hits.folds()

    def lost(self) -> None:
        """See Trigger."""
        self._hits.lost()

    def reason(self, now: int) -> str:
        """See Trigger."""
        sample = self._hits.sample(now)
        recent, minute = sample.last_10s, sample.last_minute
        queries, queried = minute.queries - recent.queries, minute.queried_tokens - recent.queried_tokens
        if min(queries, recent.queries) < self.levels["requests"]:
            return ""
        if min(queried, recent.queried_tokens) < max(1, self.levels["tokens"]):
            return ""
        before = (minute.hit_tokens - recent.hit_tokens) / queried
        rate = recent.hit_tokens / recent.queried_tokens
        if before < self.levels["rate"] or rate >= self.levels["factor"] * before:
            return ""
        return f"hit rate {rate:.1%} of the last 10 s, {before:.1%} before"
