"""vLLM's prefix cache: what of its manager and its block pool is wrapped, and what a ring says of one."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable
from functools import partial
from typing import Any

from cache_core.events import (
    CacheReset,
    Evict,
    Match,
    Namespace,
    NodeAdded,
    NodeRemoved,
    NodeSplit,
    NodeTiers,
    ProbeCost,
    RawRecord,
    Record,
    Recovered,
    RequestAdmitted,
    RequestFinished,
    RequestPrefilled,
    RequestRetracted,
    Tombstoned,
)
from probes.inside.attaching import Wrap, has_room, open_seat, share_seat, wrap_class
from probes.inside.canary import Method
from probes.inside.event_tap import EventTap, is_wanted
from probes.inside.seat import CacheSeat
from probes.inside.sglang_events import Source
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


TREE: tuple[type[Record], ...] = (NodeAdded, NodeSplit, NodeRemoved, NodeTiers, Tombstoned, Recovered)
"""What it tells besides of a manager with one group of layers: of several, blocks do not stand below one another."""

_EVENT_NS = 2_000
"""About what making the event of a block takes."""


def attach(manager: Any) -> CacheSeat | None:
    """Give a manager that was just made its ring, and have its classes wrapped. May raise."""
    if not getattr(manager, "enable_caching", True) or not has_room(manager):
        return None
    verdict = wrap_class(type(manager), MANAGER, "")
    pool = getattr(manager, "block_pool", None)
    has_tree = verdict.is_sound and _makes_events(manager, pool)
    seat = open_seat(manager, verdict, describe(manager, pool, has_tree), _no_pools)
    tap = None
    if has_tree and pool is not None:
        seat.keep_tree(grows=True)
        owns = not pool.enable_kv_cache_events
        pool.enable_kv_cache_events = True
        tap = EventTap(seat, Source(lambda manager: manager.take_events(), _EVENT_NS) if owns else None)
        seat.on_blindness = partial(_make_no_events, weakref.ref(pool)) if owns else None
    seat.calls = Calls(manager, seat, tap)
    seat.names = seat.calls.namespaces.records
    if pool is not None and verdict.is_sound:
        of_pool = wrap_class(type(pool), POOL, "")
        if not of_pool.is_sound:
            seat.say("pool", f"evictions are not told: {'; '.join(of_pool.faults)}")
        share_seat(seat, pool)
    return seat


def _makes_events(manager: Any, pool: Any) -> bool:
    """Say whether a manager makes KV events, or can be made to: its pool asks each time whether it should."""
    told = getattr(pool, "enable_kv_cache_events", None)
    return len(groups_of(manager)) == 1 and (told is True or (told is False and is_wanted()))


def _make_no_events(pool: weakref.ref[Any]) -> None:
    alive = pool()
    if alive is not None:
        alive.enable_kv_cache_events = False


def describe(manager: Any, pool: Any, has_tree: bool = False) -> dict[str, object]:
    """Return what a ring says of its manager."""
    groups = groups_of(manager)
    blocks = getattr(pool, "num_gpu_blocks", None)
    sizes = {size for size in (getattr(group, "block_size", None) for group in groups) if size}
    facts: dict[str, object] = {
        "target": "vllm",
        "engine": f"vllm {getattr(sys.modules.get('vllm'), '__version__', '')}".strip(),
        "cache": type(manager).__name__,
        "components": ["full" if len(groups) <= 1 else "blocks"],
        "provides": [cls.__name__ for cls in (*PROVIDED, *(TREE if has_tree else ()))],
    }
    if len(sizes) == 1:
        (size,) = sizes
        facts["page_size"] = size
        if isinstance(blocks, int):
            facts["full_slots"] = (blocks - 1) * size  # one of them stands for none
    return facts


def _no_pools(manager: Any) -> Iterable[RawRecord]:
    return ()
