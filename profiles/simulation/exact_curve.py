"""What LRU hits at every capacity, exactly."""

from __future__ import annotations

from collections.abc import Iterable

from cache_core.errors import ConfigError
from probes.curves.capacity_curve import CapacityCurve
from probes.curves.one_pass import OnePass
from profiles.trace import TraceRequest


def capacity_curve(
    requests: Iterable[TraceRequest], warm_up_requests: int = 0, largest_blocks: int | None = None
) -> CapacityCurve:
    """Return what LRU hits at every capacity up to the largest; what the first requests hit is not counted.

    Exact, by stack distances (Mattson et al. 1970): a cache of n blocks holds the n blocks touched last, of one
    request those nearer the root. Blocks deeper than the largest capacity are forgotten, so that it bounds the
    memory; without one every block is kept. Raises ConfigError for a largest capacity below 0.
    """
    if largest_blocks is not None and largest_blocks < 0:
        raise ConfigError(f"largest_blocks is {largest_blocks}; a cache holds 0 blocks or more")
    whole_pass = OnePass(largest_blocks)
    for number, request in enumerate(requests):
        whole_pass.serve(request, number >= warm_up_requests)
    return whole_pass.curve()
