"""What LRU would hit with more room and with less: rates of these counters, one over the other, are hit rates."""

from __future__ import annotations

from probes.builtin.capacity import SIZES, CapacitySample
from profiles.metric import Values, each, one, read_off


def _hits(sample: CapacitySample) -> Values:
    now = sample.now_tokens or 0
    return each({f"{size:g}": sample.hit_tokens(size * now, sample.total) for size in SIZES})


def _queried(sample: CapacitySample) -> Values:
    return one(sample.total.queried_tokens if sample.capacities else None)


METRICS = (
    read_off(
        CapacitySample,
        "radixtop_lru_hit_tokens_total",
        "Tokens that LRU hits with so many times the full pool, of the same requests as radixtop_lru_queried_tokens.",
        _hits,
        ("size",),
    ),
    read_off(
        CapacitySample,
        "radixtop_lru_queried_tokens_total",
        "Prompt tokens of requests that were let pass through caches of other sizes, by their first admissions.",
        _queried,
    ),
)
