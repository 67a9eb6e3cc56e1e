"""What a replay came to, as frozen values: what worker processes send and reports show."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from math import ceil
from typing import Any

from probes.lives.misses import PromptTokens
from profiles.cost_model import DERIVED
from radixtop.replay.settings import ReplaySettings

SCHEMA = 1
"""The version of the document: it grows when a field goes or means something else."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A distribution of times in ns, exact; all but `count` are None while there is none."""

    count: int = 0
    mean: float | None = None
    p50: int | None = None
    p90: int | None = None
    p99: int | None = None
    most: int | None = None

    @classmethod
    def of(cls, times: Iterable[int]) -> Spread:
        """Return the distribution of some times."""
        kept = times if isinstance(times, array) else array("q", times)
        if not kept:
            return cls()
        import numpy as np  # only here, and only where there are times: a list of them would take five times as much

        ordered, count = np.sort(np.frombuffer(kept, dtype=np.int64)), len(kept)
        p50, p90, p99 = (int(ordered[max(1, ceil(share * count)) - 1]) for share in (0.5, 0.9, 0.99))
        return cls(count, sum(kept) / count, p50, p90, p99, int(ordered[-1]))


@dataclass(frozen=True, slots=True)
class PoolPeak:
    """The most slots of a pool that were in use at the end of a step, and the most that requests ran on."""

    name: str
    total_slots: int
    used_slots: int
    running_slots: int


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The figures of a replay. Times and what is per second but `wall_ns` are derived from a cost model.

    `requests` arrived; of these `finished` were served, `refused` fit no pool, and the rest were not over when the
    replay was interrupted. Tokens, misses and times are of the `measured` ones: served, and not of the warm-up.
    `refused_measured` requests with `refused_tokens` in their prompts fit no pool and are not of the warm-up: a hit
    rate has them as missed. `prompt_tokens` are of the measured ones, `hit_tokens` those of them that were not
    computed, at the first admission; of these
    `host_hit_tokens` came from the host. `full_hit_tokens` is what hits would be if no window or state were missing.
    `computed_tokens`, `output_tokens`, retractions and evictions are of the whole run. `slot_tokens` is how many
    tokens a slot stands for: where blocks differ from prompt to prompt, their mean, rounded.
    """

    settings: ReplaySettings
    requests: int
    finished: int
    refused: int
    measured: int
    prompt_tokens: int
    hit_tokens: int
    full_hit_tokens: int
    host_hit_tokens: int
    computed_tokens: int
    output_tokens: int
    retractions: int
    evicted_nodes: int
    evicted_tokens: int
    misses: PromptTokens | None
    ttft_ns: Spread
    queued_ns: Spread
    inter_token_ns: Spread
    duration_ns: Spread
    virtual_ns: int
    wall_ns: int
    steps: int
    pools: tuple[PoolPeak, ...]
    slot_tokens: int = 1
    refused_measured: int = 0
    refused_tokens: int = 0
    interrupted: bool = False

    @property
    def asked_tokens(self) -> int:
        """The prompt tokens of the measured requests and of those that were refused."""
        return self.prompt_tokens + self.refused_tokens

    @property
    def hit_rate(self) -> float | None:
        """The share (0..1) of the asked tokens that hit; None of none."""
        return self.hit_tokens / self.asked_tokens if self.asked_tokens else None

    @property
    def requests_per_wall_s(self) -> float | None:
        """How many requests were replayed in a second; None when no time passed."""
        return self.requests / self.wall_ns * 1e9 if self.wall_ns else None

    def per_s(self, amount: int) -> float | None:
        """Return how much that is in a second of the virtual time; None when none passed."""
        return amount / self.virtual_ns * 1e9 if self.virtual_ns else None

    def document(self) -> dict[str, object]:
        """Return the figures as JSON-able values; `from_document` reads them back."""
        plain = asdict(self)
        return {
            "schema": SCHEMA,
            **plain,
            "settings": self.settings.document(),
            "pools": [asdict(pool) for pool in self.pools],
            "hit_rate": self.hit_rate,
            "requests_per_wall_s": self.requests_per_wall_s,
            "requests_per_s": self.per_s(self.finished),
            "computed_tokens_per_s": self.per_s(self.computed_tokens),
            "output_tokens_per_s": self.per_s(self.output_tokens),
            DERIVED: [
                "ttft_ns", "queued_ns", "inter_token_ns", "duration_ns", "virtual_ns", "requests_per_s",
                "computed_tokens_per_s", "output_tokens_per_s", "retractions",
            ],
        }  # fmt: skip

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> ReplayResult:
        """Read back what `document` returned."""
        values = {field.name: document[field.name] for field in fields(cls)}
        values["settings"] = ReplaySettings.from_document(values["settings"])
        values["pools"] = tuple(PoolPeak(**pool) for pool in values["pools"])
        for name in ("ttft_ns", "queued_ns", "inter_token_ns", "duration_ns"):
            values[name] = Spread(**values[name])
        if values["misses"] is not None:
            values["misses"] = PromptTokens(**values["misses"])
        return cls(**values)
