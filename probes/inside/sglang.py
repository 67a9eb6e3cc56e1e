"""SGLang's caches: what of them is wrapped, and what a ring says of one."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from cache_core.events import (
    CacheReset,
    Evict,
    Insert,
    Lock,
    Match,
    Namespace,
    Pool,
    ProbeCost,
    RawRecord,
    RequestAdmitted,
    RequestFinished,
    RequestPrefilled,
    RequestRetracted,
    Unlock,
)
from probes.inside.attaching import Wrap, has_room, open_seat, wrap_class
from probes.inside.canary import Method
from probes.inside.seat import CacheSeat
from probes.inside.sglang_calls import Calls
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
    Wrap(Method("insert", _PARAMS, True, "InsertResult", (("prefix_len",),)), "insert", "inserted"),
    Wrap(Method("evict", _PARAMS, True, "EvictResult", _EVICTED), "evict", "evicted", "before_evict"),
    Wrap(Method("evict_for_alloc", _PARAMS, False, "EvictResult", _EVICTED), "evict", "evicted", "before_evict"),
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


def attach(cache: Any) -> CacheSeat | None:
    """Give a cache that was just made its ring, and have its class wrapped. May raise."""
    if getattr(cache, "disable", False) or not has_room(cache):
        return None
    verdict = wrap_class(type(cache), WRAPS, _BASE)
    adder = getattr(sys.modules.get(_POLICY), "PrefillAdder", None)
    if verdict.is_sound and isinstance(adder, type):
        wrap_class(adder, ADMISSION, "", of=lambda adder: getattr(adder, "tree_cache", None))
    seat = open_seat(cache, verdict, describe(cache), _pools)
    seat.calls = Calls(cache, seat)
    return seat


def describe(cache: Any) -> dict[str, object]:
    """Return what a ring says of its cache."""
    names = components_of(cache)
    facts: dict[str, object] = {
        "target": "sglang",
        "engine": f"sglang {getattr(sys.modules.get('sglang'), '__version__', '')}".strip(),
        "cache": type(cache).__name__,
        "core": getattr(cache, "_tree_core_backend", None),
        "components": list(names),
        "page_size": getattr(cache, "page_size", None),
        "window": getattr(cache, "sliding_window_size", None),
        "provides": [cls.__name__ for cls in PROVIDED],
    }
    sizes = {f"{name}_slots": total_tokens(cache, name) for name in names}
    return {name: value for name, value in (facts | sizes).items() if value is not None}


def _pools(cache: Any) -> Iterable[RawRecord]:
    return pool_records(readings_of(cache))
