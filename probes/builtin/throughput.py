"""How many tokens the engine computes, and how long its steps take."""

from __future__ import annotations

from dataclasses import dataclass

from probes.histogram import Quantiles


@dataclass(frozen=True, slots=True)
class ThroughputSample:
    """Tokens per second over the last 10 s, the duration of a step in ns, and one rate a second, oldest first."""

    prefill_tokens_per_s: float | None
    decode_tokens_per_s: float | None
    step: Quantiles
    prefill_history: tuple[float | None, ...]
    decode_history: tuple[float | None, ...]
