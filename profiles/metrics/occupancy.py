"""How full the pools are, and copies between device and host."""

from __future__ import annotations

from probes.builtin.occupancy import OccupancySample
from profiles.metric import Values, each, one, read_off, seconds

_STATES = ("free", "evictable", "protected", "held")


def _by_state(sample: OccupancySample) -> Values:
    return {(pool.name, state): getattr(pool, state) for pool in sample.pools for state in _STATES}


def _oldest(sample: OccupancySample) -> Values:
    return one(seconds(sample.transfers.oldest_ns) if sample.transfers else None)


METRICS = (
    read_off(
        OccupancySample,
        "radixtop_pool_tokens",
        "Slots of a pool by state: free, evictable, protected by a lock, or held by requests alone.",
        _by_state,
        ("component", "state"),
    ),
    read_off(
        OccupancySample,
        "radixtop_pool_capacity_tokens",
        "Slots of a pool, whatever their state.",
        lambda sample: each({pool.name: pool.total for pool in sample.pools}),
        ("component",),
    ),
    read_off(
        OccupancySample,
        "radixtop_transfers_under_way",
        "Copies between device and host memory that did not end yet.",
        lambda sample: one(sample.transfers.under_way if sample.transfers else None),
    ),
    read_off(
        OccupancySample,
        "radixtop_oldest_transfer_age_seconds",
        "Age of the oldest copy under way; absent without any.",
        _oldest,
    ),
)
