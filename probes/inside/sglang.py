"""SGLang's caches: what of them is wrapped, and how one of them is attached to a ring of its own.

A class is wrapped when its first instance was made, after the canary looked at it; what it found is in the ring's
configuration. Each cache of a process has a rank in it.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
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
from probes.inside.canary import Method, Verdict, inspect_class
from probes.inside.seat import CacheSeat
from probes.inside.sglang_calls import Calls
from probes.inside.sglang_pools import components_of, pool_records, readings_of, total_tokens
from probes.inside.wrapping import Call, Hook, Seat, install
from probes.recorder import FlightRecorder, RecorderOptions

MOST_CACHES = 8
"""Caches of one process that get a ring."""

_BASE = "sglang.srt.mem_cache.base_prefix_cache"
_POLICY = "sglang.srt.managers.schedule_policy"
_DEVICE_HIT = ("device_prefix_len", "device_indices")
_EVICTED = (("num_tokens_evicted",),)


@dataclass(frozen=True, slots=True)
class Wrap:
    """A method to wrap, and which methods of `Calls` tell of it."""

    method: Method
    operation: str
    after: str
    before: str = ""
    broken_off: str = ""

    def hook(self) -> Hook:
        """Return the hook for a class."""
        return Hook(self.operation, _by(self.after), *(_by(name) if name else None for name in self._others()))

    def _others(self) -> tuple[str, str]:
        return self.before, self.broken_off


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

_seats: dict[int, CacheSeat] = {}
_wrapped: dict[type, Verdict] = {}


def attach(cache: Any) -> CacheSeat | None:
    """Give a cache that was just made its ring, and have its class wrapped. May raise."""
    if id(cache) in _seats or getattr(cache, "disable", False) or len(_seats) >= MOST_CACHES:
        return None
    verdict = _wrap(type(cache), WRAPS, seat_of, _BASE)
    adder = getattr(sys.modules.get(_POLICY), "PrefillAdder", None)
    if verdict.is_sound and isinstance(adder, type):
        _wrap(adder, ADMISSION, _seat_of_admission, "")
    recorder = FlightRecorder(describe(cache, verdict), RecorderOptions(rank=_free_rank()))
    seat = CacheSeat(recorder, partial(_pools, weakref.ref(cache)) if verdict.is_sound else tuple)
    seat.calls = Calls(cache, seat)
    if not verdict.is_sound:
        seat.say("canary", f"nothing is probed: {'; '.join(verdict.faults)}")
    _seats[id(cache)] = seat
    weakref.finalize(cache, _detach, id(cache))
    return seat


def describe(cache: Any, verdict: Verdict) -> dict[str, object]:
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
        "began_empty": True,
        "provides": [cls.__name__ for cls in PROVIDED],
        "probed": list(verdict.methods),
        "not_probed": list(verdict.faults),
    }
    sizes = {f"{name}_slots": total_tokens(cache, name) for name in names}
    return {name: value for name, value in (facts | sizes).items() if value is not None}


def seat_of(cache: Any) -> CacheSeat | None:
    """Return the seat of a cache."""
    return _seats.get(id(cache))


def _seat_of_admission(adder: Any) -> CacheSeat | None:
    return _seats.get(id(getattr(adder, "tree_cache", None)))


def _by(name: str) -> Callable[[CacheSeat, Call], Any]:
    """Return what has the tellers of a seat do something."""
    return lambda seat, call: getattr(seat.calls, name)(call)


def _wrap(owner: type, wraps: Sequence[Wrap], seat: Callable[[Any], Seat | None], results: str) -> Verdict:
    """Wrap a class, once, if it is what we take it for."""
    if owner not in _wrapped:
        verdict = inspect_class(owner, [wrap.method for wrap in wraps], sys.modules.get(results))
        _wrapped[owner] = verdict
        for wrap in wraps if verdict.is_sound else ():
            if wrap.method.name in verdict.methods:
                install(owner, wrap.method.name, wrap.hook(), seat)
    return _wrapped[owner]


def _pools(cache: weakref.ref[Any]) -> Iterable[RawRecord]:
    alive = cache()
    return () if alive is None else pool_records(readings_of(alive))


def _free_rank() -> int:
    taken = {seat.recorder.options.rank for seat in _seats.values()}
    return next(rank for rank in range(MOST_CACHES + 1) if rank not in taken)


def _detach(number: int) -> None:
    seat = _seats.pop(number, None)
    if seat is not None:
        seat.close_soon("its cache is gone")


os.register_at_fork(after_in_child=_seats.clear)
