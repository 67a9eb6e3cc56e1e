"""How many tokens the engine computes, and how long its steps take."""

from __future__ import annotations

from dataclasses import dataclass

from cache_core.events import EngineStep
from probes.fold import Folds
from probes.histogram import Histogram, Quantiles
from probes.mirror import Mirror
from probes.probe import Probe
from probes.window import Counters

_PREFILL, _DECODE = range(2)
_WINDOW_SECONDS = 10


@dataclass(frozen=True, slots=True)
class ThroughputSample:
    """Tokens per second over the last 10 s, the duration of a step in ns, and one rate a second, oldest first.

    `prefill_tokens` and `decode_tokens` are sums since the watch began.
    """

    prefill_tokens_per_s: float | None
    decode_tokens_per_s: float | None
    step: Quantiles
    prefill_history: tuple[float | None, ...]
    decode_history: tuple[float | None, ...]
    prefill_tokens: int = 0
    decode_tokens: int = 0


class Throughput(Probe):
    """Adds up the engine's steps."""

    needs = frozenset({EngineStep})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._seconds = Counters(2)
        self._step = Histogram()
        self._tokens = [0, 0]

    def folds(self) -> Folds:
        """See Probe."""
        return {EngineStep: self._engine_step}

    def sample(self, now: int) -> ThroughputSample:
        """See Probe."""
        return ThroughputSample(
            prefill_tokens_per_s=self._seconds.rate_per_s(now, _PREFILL, _WINDOW_SECONDS),
            decode_tokens_per_s=self._seconds.rate_per_s(now, _DECODE, _WINDOW_SECONDS),
            step=self._step.quantiles(),
            prefill_history=self._seconds.rates(now, _PREFILL),
            decode_history=self._seconds.rates(now, _DECODE),
            prefill_tokens=self._tokens[_PREFILL],
            decode_tokens=self._tokens[_DECODE],
        )

    def _engine_step(self, record: EngineStep) -> None:
        self._step.add(record.duration_ns)
        for row in (self._tokens, self._seconds.row(record.at)):
            row[_PREFILL] += record.prefill_tokens
            row[_DECODE] += record.decode_tokens
