"""What a sweep comes to: a row for each combination of settings, and rows of references beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from probes.recordings.missing import WHOLE, Missing

Settings = Mapping[str, object]
"""Settings of a replay by name, as JSON knows them."""

Level = Literal["tokens", "blocks"]
"""What was played: the cache itself on tokens, or a model of one on the blocks that the trace names."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a pass over a trace came to; None is not known at this level. `ttft_ms` are derived.

    `refused` requests fit no pool: their prompts are queried, and missed. All other counts of rows are comparable so.
    """

    requests: int
    queried_tokens: int
    hit_tokens: int
    evicted_tokens: int | None = None
    missed_tokens: Mapping[str, int] | None = None
    ttft_ms: Mapping[str, float | None] | None = None
    refused: int = 0

    @property
    def hit_rate(self) -> float | None:
        """The share of the queried tokens that were hit, None of nothing."""
        return self.hit_tokens / self.queried_tokens if self.queried_tokens else None

    @property
    def reach(self) -> float | None:
        """1 / (1 - hit rate): how many times the prompt tokens the same prefill serves. None of all or nothing."""
        missed = self.queried_tokens - self.hit_tokens
        return self.queried_tokens / missed if missed > 0 else None


@dataclass(frozen=True, slots=True)
class Row:
    """One combination: what was varied, all settings, and what they came to; or why that is not known."""

    name: str
    varied: Mapping[str, object]
    settings: Settings
    figures: Figures | None
    failure: str = ""
    slots: Mapping[str, int] = field(default_factory=dict)
    memory_bytes: int | None = None
    is_recorded: bool = False
    is_best: bool = False
    on_front: bool = False
    saved_tokens_per_gib: float | None = None
    saved_tokens_per_1k_slots: float | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """A bound or a control at a size of the full pool; `slots` None is one that any size has."""

    name: str
    level: Level
    slots: int | None
    figures: Figures | None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """The trace that was played. `recorded` is what a recorded cache had found, None where nothing was recorded.

    `note` has to be said of the trace, empty for nothing, and `missing` is what is missing of a recording.
    """

    name: str
    requests: int
    block_tokens: int
    recorded: Figures | None = None
    note: str = ""
    missing: Missing = WHOLE


@dataclass(frozen=True, slots=True)
class Comparison:
    """The rows of a sweep in the order of its plan; of a recording its own row is among them.

    `curve` has what LRU hits on whole blocks by slots of the full pool, between the smallest and the largest.
    """

    source: Source
    keys: tuple[str, ...]
    rows: tuple[Row, ...]
    references: tuple[Reference, ...]
    notes: tuple[str, ...] = ()
    curve: tuple[tuple[int, float], ...] = ()

    @property
    def slot_size(self) -> float | None:
        """What a slot of the full pool is on the axis of memory, 1 of slots; None where rows differ in it."""
        if any(row.memory_bytes is None for row in self.rows):
            return 1.0
        sizes = [row.memory_bytes / row.slots["full"] for row in self.rows if row.memory_bytes]
        return sizes[0] if sizes and max(sizes) <= 1.01 * min(sizes) else None

    @property
    def replayed(self) -> Figures | None:
        """What the replay of a recorded cache came to as it was; None where nothing was recorded."""
        return next((row.figures for row in self.rows if row.is_recorded), None)

    @property
    def points_off(self) -> float | None:
        """How many points of hit rate the replay as recorded is off what was recorded, None where not known."""
        recorded, replayed = self.source.recorded, self.replayed
        if recorded is None or replayed is None or recorded.hit_rate is None or replayed.hit_rate is None:
            return None
        return round(100 * (replayed.hit_rate - recorded.hit_rate), 2)

    @property
    def has_failed(self) -> bool:
        """Whether a row or a reference is missing."""
        return any(row.failure for row in self.rows) or any(each.failure for each in self.references)
