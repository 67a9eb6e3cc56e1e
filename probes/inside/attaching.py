"""How a cache of an engine gets a ring of its own, and its class its wrappers.

A class is wrapped when its first instance was made, after the canary looked at it; what it found is in the ring's
configuration. Each cache of a process has a rank in it.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import thread_time_ns
from typing import Any

from cache_core.events import RawRecord
from probes.inside.allowance import share_from
from probes.inside.canary import Method, Verdict, inspect_class
from probes.inside.seat import CacheSeat
from probes.inside.wrapping import Call, Hook, install
from probes.recorder import FlightRecorder, RecorderOptions
from probes.rings.governor import BUDGET

SHARE = "RADIXTOP_PROBE_SHARE"
"""Set to the share of the engine's thread that watching may take without its tree, such as 0.03."""

MOST_CACHES = 8
"""Caches of one process that get a ring."""

_seats: dict[int, CacheSeat] = {}
_wrapped: dict[type, Verdict] = {}


@dataclass(frozen=True, slots=True)
class Wrap:
    """A method to wrap, and which methods of a seat's `calls` tell of it."""

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


def _by(name: str) -> Callable[[CacheSeat, Call], Any]:
    """Return what has the tellers of a seat do something."""
    return lambda seat, call: getattr(seat.calls, name)(call)


def seat_of(cache: Any) -> CacheSeat | None:
    """Return the seat of a cache."""
    return _seats.get(id(cache))


def has_room(cache: Any) -> bool:
    """Say whether a cache may get a seat: it has none, and there are not too many."""
    return id(cache) not in _seats and len(set(_seats.values())) < MOST_CACHES


def wrap_class(owner: type, wraps: Sequence[Wrap], results: str, of: Callable[[Any], Any] | None = None) -> Verdict:
    """Wrap a class, once, if it is what we take it for.

    `results` names the module of what its methods return; `of` returns the cache whose seat an instance tells, where
    that is another object.
    """
    if owner not in _wrapped:
        verdict = inspect_class(owner, [wrap.method for wrap in wraps], sys.modules.get(results))
        _wrapped[owner] = verdict
        find = seat_of if of is None else lambda instance: seat_of(of(instance))
        for wrap in wraps if verdict.is_sound else ():
            if wrap.method.name in verdict.methods:
                install(owner, wrap.method.name, wrap.hook(), find)
    return _wrapped[owner]


def open_seat(
    cache: Any, verdict: Verdict, facts: Mapping[str, object], pools: Callable[[Any], Iterable[RawRecord]]
) -> CacheSeat:
    """Make the ring of a cache, which is empty still. Raises RingError.

    `pools` reads its pools, on the engine's thread.
    """
    told = {"probed": list(verdict.methods), "not_probed": list(verdict.faults)}
    options = RecorderOptions(rank=_free_rank(), budget=share_from(SHARE, BUDGET))
    recorder = FlightRecorder({**facts, "began_empty": True, **told}, options, spent_clock=thread_time_ns)
    seat = CacheSeat(recorder, partial(_read, weakref.ref(cache), pools) if verdict.is_sound else tuple)
    if not verdict.is_sound:
        seat.say("canary", f"nothing is probed: {'; '.join(verdict.faults)}")
    _seats[id(cache)] = seat
    weakref.finalize(cache, detach, id(cache))
    return seat


def share_seat(seat: CacheSeat, part: Any) -> None:
    """Have the calls on a part of a cache told by the seat of the cache."""
    _seats[id(part)] = seat


def detach(number: int) -> None:
    """End the ring of the cache that had a number (`id`)."""
    seat = _seats.pop(number, None)
    if seat is not None:
        for part in [part for part, told in _seats.items() if told is seat]:
            del _seats[part]
        seat.close_soon("its cache is gone")


def _read(cache: weakref.ref[Any], pools: Callable[[Any], Iterable[RawRecord]]) -> Iterable[RawRecord]:
    alive = cache()
    return () if alive is None else pools(alive)


def _free_rank() -> int:
    taken = {seat.recorder.options.rank for seat in _seats.values()}
    return next(rank for rank in range(MOST_CACHES + 1) if rank not in taken)


os.register_at_fork(after_in_child=_seats.clear)
