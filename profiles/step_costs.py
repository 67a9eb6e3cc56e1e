"""How long a step of an engine takes on a named model: arithmetic for runs without one.

    step = overhead + prefilled tokens / prefill rate + (a decode step, and a share for each request that decodes)

Attention over a long context is not in it. Wherever a time that comes of this is shown it carries the word `DERIVED`
of `profiles/cost_model.py`.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields

from cache_core.errors import ConfigError

_SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class StepCosts:
    """What the parts of a step take. Raises ConfigError for what is no time.

    `decode_step_ns` is for reading the weights once, whoever decodes; `decode_request_ns` for each request that does.
    `load_tokens_per_s` is how fast tokens come back from host memory; None: that takes no time.
    """

    name: str
    prefill_tokens_per_s: float
    decode_step_ns: int
    decode_request_ns: int
    overhead_ns: int = 0
    load_tokens_per_s: float | None = None

    def __post_init__(self) -> None:
        for name in ("prefill_tokens_per_s", "load_tokens_per_s"):
            rate = getattr(self, name)
            if rate is not None and not 0 < rate < math.inf:
                raise ConfigError(f"{name} is {rate}; a rate is above 0")
        for name in ("decode_step_ns", "decode_request_ns", "overhead_ns"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ConfigError(f"{name} is {getattr(self, name)}; a time is finite and not negative")

    def step_ns(self, prefill_tokens: int, decode_requests: int, loaded_tokens: int = 0) -> int:
        """Return how long a step takes that prefills so many tokens and decodes one of each of so many requests."""
        time_ns = self.overhead_ns + prefill_tokens * _SECOND_NS / self.prefill_tokens_per_s
        if decode_requests:
            time_ns += self.decode_step_ns + decode_requests * self.decode_request_ns
        if loaded_tokens and self.load_tokens_per_s is not None:
            time_ns += loaded_tokens * _SECOND_NS / self.load_tokens_per_s
        return max(1, round(time_ns))

    def document(self) -> dict[str, object]:
        """Return it as JSON-able values."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: dict[str, object]) -> StepCosts:
        """Read back what `document` returned. Raises ConfigError for anything else."""
        if not isinstance(document, dict) or not document.keys() <= {field.name for field in fields(cls)}:
            raise ConfigError(f"these are no costs of a step: {document!s:.80}")
        return cls(**document)  # type: ignore[arg-type]


LLAMA_3_8B_STEPS = StepCosts("Llama-3-8B, bf16, one H100", 22_000, 4_800_000, 160_000, 1_000_000)
"""Assumed, not measured: the prefill rate of `cost_model.LLAMA_3_8B`; 16 GB of weights read at 3.35 TB/s once a step;
4,096 tokens of KV (128 KiB each) read at the same rate for each request; 1 ms for everything else."""
