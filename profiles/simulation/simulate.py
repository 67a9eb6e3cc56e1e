"""One policy at one capacity over a trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import tee

from profiles.simulation.block_hits import BlockHits
from profiles.simulation.policy import BLOCK_POLICIES
from profiles.trace import ID_BYTES, TraceRequest


def simulate(
    requests: Iterable[TraceRequest], policy: str, capacity_blocks: int, warm_up_requests: int = 0
) -> BlockHits:
    """Run the requests through a cache of so many blocks; what the first ones hit is not counted.

    `optimal` holds all requests in memory, the others one at a time. Raises UnknownNameError for a policy that there
    is not, ConfigError for a capacity below 0.
    """
    cache = BLOCK_POLICIES.load(policy)(capacity_blocks)
    for_cache, for_us = tee(requests)
    served = zip(for_us, cache.serve(for_cache), strict=True)
    _skip(served, warm_up_requests)
    dropped = cache.dropped_blocks
    count = queried_tokens = hit_tokens = queried_bytes = hit_blocks = 0
    for request, hit in served:
        count += 1
        tokens = request.prompt_tokens
        queried_tokens += tokens
        queried_bytes += len(request.path)
        hit_blocks += hit
        hits = hit * request.block_tokens
        hit_tokens += hits if hits < tokens else tokens
    return BlockHits(
        policy=policy,
        capacity_blocks=capacity_blocks,
        requests=count,
        queried_tokens=queried_tokens,
        hit_tokens=hit_tokens,
        queried_blocks=queried_bytes // ID_BYTES,
        hit_blocks=hit_blocks,
        dropped_blocks=cache.dropped_blocks - dropped,
    )


def _skip(served: Iterator[tuple[TraceRequest, int]], count: int) -> None:
    for _ in range(count):
        if next(served, None) is None:
            return
