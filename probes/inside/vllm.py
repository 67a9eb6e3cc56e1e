"""vLLM's prefix cache: what of its manager and its block pool is wrapped, and what a ring says of one."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from cache_core.events import (
    CacheReset,
    Evict,
    Match,
    Namespace,
    ProbeCost,
    RawRecord,
    RequestAdmitted,
    RequestFinished,
    RequestPrefilled,
    RequestRetracted,
)
from probes.inside.attaching import Wrap, has_room, open_seat, share_seat, wrap_class
from probes.inside.canary import Method
from probes.inside.seat import CacheSeat
from probes.inside.vllm_calls import Calls, groups_of

MANAGER = (
    Wrap(Method("get_computed_blocks", ("request",), True), "match", "matched"),
    Wrap(Method("allocate_slots", ("request", "num_new_tokens"), True), "allocate", "allocated"),
    Wrap(Method("free", ("request",), True), "free", "freed"),
    Wrap(Method("reset_prefix_cache", (), True), "reset", "emptied"),
    Wrap(Method("take_events"), "events", "taken"),
)
"""What is wrapped of `KVCacheManager`, as far as a version has it."""

POOL = (
    Wrap(Method("get_new_blocks", ("num_blocks",), True), "evict", "taken_blocks", "before_blocks"),
    Wrap(Method("_maybe_evict_cached_block", ("block",), True), "block", "evicted"),
)
"""What is wrapped of `BlockPool`."""

PROVIDED = (
    Match, Evict, CacheReset, ProbeCost, Namespace,
    RequestAdmitted, RequestPrefilled, RequestFinished, RequestRetracted,
)  # fmt: skip
"""What the ring of such a cache can tell. Of its pool it is not known how many free blocks still hold something."""


def attach(manager: Any) -> CacheSeat | None:
    """Give a manager that was just made its ring, and have its classes wrapped. May raise."""
    if not getattr(manager, "enable_caching", True) or not has_room(manager):
        return None
    verdict = wrap_class(type(manager), MANAGER, "")
    pool = getattr(manager, "block_pool", None)
    seat = open_seat(manager, verdict, describe(manager, pool), _no_pools)
    seat.calls = Calls(manager, seat)
    if pool is not None and verdict.is_sound:
        of_pool = wrap_class(type(pool), POOL, "")
        if not of_pool.is_sound:
            seat.say("pool", f"evictions are not told: {'; '.join(of_pool.faults)}")
        share_seat(seat, pool)
    return seat


def describe(manager: Any, pool: Any) -> dict[str, object]:
    """Return what a ring says of its manager."""
    groups = groups_of(manager)
    blocks = getattr(pool, "num_gpu_blocks", None)
    sizes = {size for size in (getattr(group, "block_size", None) for group in groups) if size}
    facts: dict[str, object] = {
        "target": "vllm",
        "engine": f"vllm {getattr(sys.modules.get('vllm'), '__version__', '')}".strip(),
        "cache": type(manager).__name__,
        "components": ["full" if len(groups) <= 1 else "blocks"],
        "provides": [cls.__name__ for cls in PROVIDED],
    }
    if len(sizes) == 1:
        (size,) = sizes
        facts["page_size"] = size
        if isinstance(blocks, int):
            facts["full_slots"] = (blocks - 1) * size  # one of them stands for none
    return facts


def _no_pools(manager: Any) -> Iterable[RawRecord]:
    return ()
