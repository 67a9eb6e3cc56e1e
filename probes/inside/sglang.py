"""SGLang's caches: what of them is wrapped, and what a ring says of one."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from cache_core.events import (
    CacheReset,
    Evict,
    Insert,
    Lock,
    Match,
    Namespace,
    NodeAdded,
    NodeRemoved,
    NodeSplit,
    NodeTiers,
    Pool,
    ProbeCost,
    RawRecord,
    Record,
    Recovered,
    RequestAdmitted,
    RequestFinished,
    RequestPrefilled,
    RequestRetracted,
    Tombstoned,
    Unlock,
)
from probes.inside.attaching import Wrap, has_room, open_seat, wrap_class
from probes.inside.canary import Method
from probes.inside.event_tap import TREE as SWITCH
from probes.inside.event_tap import EventTap, is_wanted, take_for_ever
from probes.inside.seat import CacheSeat
from probes.inside.sglang_calls import Calls
from probes.inside.sglang_events import source_of
from probes.inside.sglang_pools import components_of, pool_records, readings_of, total_tokens

_BASE = "sglang.srt.mem_cache.base_prefix_cache"
_POLICY = "sglang.srt.managers.schedule_policy"
_DEVICE_HIT = ("device_prefix_len", "device_indices")
_EVICTED = (("num_tokens_evicted",),)


_OF_REQUEST = ("begin", "break_off")
_PARAMS = ("params",)
_HITS = (_DEVICE_HIT, ("host_hit_length",))
WRAPS = (
    Wrap(Method("match_prefix", _PARAMS, True, "MatchResult", _HITS), "match", "matched"),
    Wrap(Method("insert", _PARAMS, True, "InsertResult", (("prefix_len",),)), "insert", "inserted", "", "broken"),
    Wrap(Method("evict", _PARAMS, True, "EvictResult", _EVICTED), "evict", "evicted", "before_evict", "broken"),
    Wrap(
        Method("evict_for_alloc", _PARAMS, False, "EvictResult", _EVICTED),
        "evict",
        "evicted",
        "before_evict",
        "broken",
    ),
    Wrap(Method("inc_lock_ref"), "lock", "locked", "before_lock"),
    Wrap(Method("lock"), "lock", "locked", "before_lock"),
    Wrap(Method("dec_lock_ref"), "unlock", "unlocked", "before_lock"),
    Wrap(Method("unlock"), "unlock", "unlocked", "before_lock"),
    Wrap(Method("cache_unfinished_req", ("req",)), "request", "written_back", *_OF_REQUEST),
    Wrap(Method("checkpoint", ("req",)), "request", "written_back", *_OF_REQUEST),
    Wrap(Method("cache_finished_req", ("req", "is_insert")), "request", "finished", *_OF_REQUEST),
    Wrap(Method("on_release", ("req", "checkpointed")), "request", "finished", *_OF_REQUEST),
    Wrap(Method("take_events"), "events", "taken"),
    Wrap(Method("reset", (), True), "reset", "emptied"),
)
"""What is wrapped of a cache, as far as a version has it."""

ADMISSION = (Wrap(Method("add_one_req", ("req",), True), "admission", "admitted"),)
"""What is wrapped of the scheduler's `PrefillAdder`."""

PROVIDED = (
    Match, Insert, Evict, Lock, Unlock, CacheReset, Pool, ProbeCost, Namespace,
    RequestAdmitted, RequestPrefilled, RequestFinished, RequestRetracted,
)  # fmt: skip
"""What the ring of such a cache can tell."""


TREE: tuple[type[Record], ...] = (NodeAdded, NodeSplit, NodeRemoved, NodeTiers)
"""What it tells besides where the cache makes KV events. They are of full attention: whatever else a cache has is
taken to be there, and whether it is is told only where there is nothing else."""

_switched_on: dict[int, Any] = {}
"""The parameters of caches that are being made, in which we switched KV events on, by `id` of the cache."""


def prepare(cache: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """Have a cache that is about to be made make KV events, if it is to be watched and makes none. May raise."""
    params = arguments[0] if arguments else keywords.get("params")
    if getattr(params, "enable_kv_cache_events", None) is not False or getattr(params, "disable", False):
        return
    if is_wanted() and has_room(cache):
        verdict = wrap_class(type(cache), WRAPS, _BASE)
        if verdict.is_sound and {"insert", "evict", "take_events"} <= set(verdict.methods):
            params.enable_kv_cache_events = True  # type: ignore[union-attr]  # it has that
            _switched_on[id(cache)] = params


def attach(cache: Any) -> CacheSeat | None:
    """Give a cache that was just made its ring, and have its class wrapped. May raise."""
    params = _switched_on.pop(id(cache), None)
    if params is not None:
        params.enable_kv_cache_events = False  # as it was: others may be made of it
    if getattr(cache, "disable", False) or not has_room(cache):
        return None
    try:
        return _seat(cache, owns_events=params is not None)
    except BaseException:
        if params is not None:
            take_for_ever(cache)
        raise


def _seat(cache: Any, *, owns_events: bool) -> CacheSeat:
    verdict = wrap_class(type(cache), WRAPS, _BASE)
    adder = getattr(sys.modules.get(_POLICY), "PrefillAdder", None)
    if verdict.is_sound and isinstance(adder, type):
        wrap_class(adder, ADMISSION, "", of=lambda adder: getattr(adder, "tree_cache", None))
    has_events = verdict.is_sound and "take_events" in verdict.methods and (owns_events or makes_events(cache))
    seat = open_seat(cache, verdict, describe(cache, has_events), _pools)
    tap = None
    if has_events:
        seat.keep_tree(len(components_of(cache)))
        tap = EventTap(seat, source_of(cache) if owns_events else None)
        if owns_events:
            seat.on_blindness = partial(_take_for_ever, weakref.ref(cache))
    elif verdict.is_sound:
        seat.has_no_tree(f"this cache makes no KV events ({SWITCH}=1 has them switched on where it can)")
    seat.calls = Calls(cache, seat, tap)
    seat.names = seat.calls.namespaces.records
    return seat


def _take_for_ever(cache: weakref.ref[Any]) -> None:
    alive = cache()
    if alive is not None:
        take_for_ever(alive)


def makes_events(cache: Any) -> bool:
    """Say whether a cache makes KV events, for the engine's own publisher."""
    recorders = (getattr(owner, "kv_events", None) for owner in (getattr(cache, "tree_core", None), cache))
    told = [getattr(recorder, "enabled", None) for recorder in recorders]
    return True in told or getattr(cache, "enable_kv_cache_events", False) is True


def describe(cache: Any, has_tree: bool = False) -> dict[str, object]:
    """Return what a ring says of its cache."""
    names = components_of(cache)
    tree = (*TREE, *((Tombstoned, Recovered) if len(names) == 1 else ())) if has_tree else ()
    facts: dict[str, object] = {
        "target": "sglang",
        "engine": f"sglang {getattr(sys.modules.get('sglang'), '__version__', '')}".strip(),
        "cache": type(cache).__name__,
        "core": getattr(cache, "_tree_core_backend", None),
        "components": list(names),
        "page_size": getattr(cache, "page_size", None),
        "window": getattr(cache, "sliding_window_size", None),
        "provides": [cls.__name__ for cls in (*PROVIDED, *tree)],
    }
    sizes = {f"{name}_slots": total_tokens(cache, name) for name in names}
    return {name: value for name, value in (facts | sizes).items() if value is not None}


def _pools(cache: Any) -> Iterable[RawRecord]:
    return pool_records(readings_of(cache))
