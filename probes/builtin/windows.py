"""Whether the pool of windows is large enough: what leaves it, and what is computed again for want of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cache_core.events import EngineStep, Evict, Match, Tombstoned
from probes.fold import Folds
from probes.mirror import Mirror
from probes.prefill_rate import PrefillRate
from probes.probe import Probe
from probes.snapshot import component_names, number_of
from probes.window import HISTORY_SECONDS, Counters

_RECOMPUTED, _EVICTED, _WINDOWS, _GAPS = range(4)
_BLANK: tuple[float | None, ...] = (None,) * HISTORY_SECONDS


@dataclass(frozen=True, slots=True)
class WindowsSample:
    """Sums of the last minute, and histories of one sum a second, oldest first.

    `component` is the name of the sliding-window component, None in a cache without one; `window_tokens` how far it
    reaches. `recomputed_tokens` were known to the tree and computed again, by requests that met `gaps`;
    `evicted_tokens` left the pool in `evicted_windows` nodes that stayed. `ns_per_token` is what a prefilled token
    took on average in steps of this run that only prefilled, None where there was none: prices made of it are
    derived. What was recomputed is None where the source does not tell full hits.
    """

    component: str | None
    window_tokens: int | None
    gaps: int | None
    recomputed_tokens: int | None
    recomputed_total_tokens: int | None
    evicted_tokens: int
    evicted_windows: int
    ns_per_token: int | None
    recomputed_history: tuple[float | None, ...]
    evicted_history: tuple[float | None, ...]


class Windows(Probe):
    """Adds up gaps and what evictions took from the pool of windows."""

    needs = frozenset({Match, Evict})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._seconds = Counters(4)
        self._recomputed_tokens = 0
        self._is_full_hit_told = True
        self._window: int | None = None
        self._component = -1
        self._rate = PrefillRate()

    def configured(self, config: Mapping[str, object]) -> None:
        """See Probe."""
        self._window = number_of(config, "window")
        names = component_names(config)
        self._component = names.index("swa") if "swa" in names else -1

    def folds(self) -> Folds:
        """See Probe."""
        return {
            Match: self._match, Evict: self._evict, Tombstoned: self._tombstoned, EngineStep: self._rate.step,
        }  # fmt: skip

    def sample(self, now: int) -> WindowsSample:
        """See Probe."""
        number = self._component
        sums = self._seconds.sums(now, 60)
        is_told = self._is_full_hit_told
        return WindowsSample(
            component=None if number < 0 else self.mirror.component_name(number),
            window_tokens=self._window,
            gaps=sums[_GAPS] if is_told else None,
            recomputed_tokens=sums[_RECOMPUTED] if is_told else None,
            recomputed_total_tokens=self._recomputed_tokens if is_told else None,
            evicted_tokens=sums[_EVICTED],
            evicted_windows=sums[_WINDOWS],
            ns_per_token=self._rate.ns_per_token,
            recomputed_history=self._seconds.rates(now, _RECOMPUTED) if is_told else _BLANK,
            evicted_history=self._seconds.rates(now, _EVICTED),
        )

    def _match(self, record: Match) -> None:
        if record.full_hit_tokens < 0:
            self._is_full_hit_told = self._is_full_hit_told and record.request < 0
            return
        gap_tokens = record.full_hit_tokens - record.device_hit_tokens - record.host_hit_tokens
        if record.request < 0 or gap_tokens <= 0:
            return
        row = self._seconds.row(record.at)
        row[_RECOMPUTED] += gap_tokens
        row[_GAPS] += 1
        self._recomputed_tokens += gap_tokens

    def _evict(self, record: Evict) -> None:
        number = self._component
        if 0 <= number < len(record.freed_tokens):
            self._seconds.row(record.at)[_EVICTED] += record.freed_tokens[number]

    def _tombstoned(self, record: Tombstoned) -> None:
        if record.component == self._component:
            self._seconds.row(record.at)[_WINDOWS] += 1
