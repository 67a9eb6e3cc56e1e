"""What LRU hits with more memory and with less, from one pass over the trace, marked at what there is."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from radixtop.compare.engine import Step, SweepEngine
from radixtop.compare.plan import Task
from radixtop.compare.row import Figures, Source
from radixtop.errors import RadixtopError

FACTORS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16)
"""The sizes that are told in figures, in parts of what there is."""

EXACT_BLOCKS = 30_000_000
"""A trace that asks for more blocks is sampled unless told otherwise: an exact pass takes about 1 us a block."""
SAMPLE = 0.01


@dataclass(frozen=True, slots=True)
class Size:
    """A size of the cache, as a multiple of what there is, and what it hits.

    `error` is the standard error of the hit rate (0..1): one estimate in 20 is more than twice as far off.
    """

    factor: float
    slots: int
    figures: Figures
    error: float = 0.0
    memory_bytes: int | None = None
    saved_tokens_per_gib: float | None = None
    saved_tokens_per_1k_slots: float | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """Hit rates by slots, in corners to draw and at some sizes; what an infinite cache hits, and slots that do.

    `sample` is the share of the blocks that it was estimated from, None of an exact one; then corners have `errors`.
    """

    source: Source
    now_slots: int
    corners: tuple[tuple[float, float], ...]
    sizes: tuple[Size, ...]
    ceiling: Figures
    ceiling_slots: int
    sample: float | None = None
    errors: tuple[float, ...] = ()


def rate_of(asked: float | None, task: Task) -> float | None:
    """Return the share of the blocks to estimate a curve from; None for an exact one."""
    if asked is not None:
        return None if asked == 1 else asked
    return SAMPLE if task.lengths.blocks > EXACT_BLOCKS else None


def curve_of(
    engine: SweepEngine, task: Task, source: Source, told: Callable[[Step], None], sample: float | None = None
) -> Curve:
    """Return the curve of a trace, or of a `sample` of its blocks. Raises RadixtopError when there is none."""
    now = task.base.config.full_slots
    slots = sorted({max(1, round(now * factor)) for factor in FACTORS})
    (outcome,) = engine.outcomes([task.job("curve", slots=slots, sample=sample)], told)
    if outcome.result is None:
        raise RadixtopError(f"{source.name}: no curve, for {outcome.failure}")
    found = json.loads(outcome.result)
    requests, queried, blocks = (int(found[name]) for name in ("requests", "queried_tokens", "queried_blocks"))
    if not queried:
        raise RadixtopError(f"{source.name}: nothing is left to count", "choose a shorter --warm-up")
    block_tokens = queried / blocks
    corners = tuple((capacity * block_tokens, hits / queried) for capacity, hits in found["points"])
    ceiling = Figures(requests, queried, int(found["ceiling_hit_tokens"]))
    reached = [capacity for capacity, hits in found["points"] if hits >= ceiling.hit_tokens]
    sizes = [(size, Figures(requests, queried, hits)) for size, hits in found["at"]]
    off = [error / queried for error in found.get("errors_at", [0] * len(sizes))]
    told_sizes = tuple(replace(size, error=error) for size, error in zip(_sizes(sizes, now, task), off, strict=True))
    errors = tuple(error / queried for error in found.get("errors", ()))
    return Curve(
        source, now, corners, told_sizes, ceiling, round(min(reached) * block_tokens), sample=sample, errors=errors
    )


def _sizes(found: Sequence[tuple[int, Figures]], now: int, task: Task) -> tuple[Size, ...]:
    """Return the sizes with what each step from one to the next saves."""
    slot_bytes = task.slot_bytes.get("full")
    sizes: list[Size] = []
    for slots, figures in found:
        per_slot = None
        if sizes:
            before = sizes[-1]
            per_slot = (figures.hit_tokens - before.figures.hit_tokens) / (slots - before.slots)
        sizes.append(
            Size(
                slots / now,
                slots,
                figures,
                0.0,
                None if slot_bytes is None else round(slots * slot_bytes),
                None if per_slot is None or slot_bytes is None else per_slot * (1 << 30) / slot_bytes,
                None if per_slot is None or slot_bytes is not None else per_slot * 1000,
            )
        )
    return tuple(sizes)
