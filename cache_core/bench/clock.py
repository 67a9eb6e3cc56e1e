"""Reading a clock around single calls: what the reading itself costs, and what many readings say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from time import perf_counter_ns
from typing import Any, NamedTuple

_READINGS = 2_000


class Spread(NamedTuple):
    """The middle and the slow end of many durations, without the cost of the clock."""

    p50_ns: float
    p99_ns: float


def times_ns(
    call: Callable[[Any], Any], arguments: Iterable[Any], take: Callable[[Any], object] = lambda found: None
) -> list[int]:
    """Return what a call takes for one argument after the other.

    Making an argument, and what `take` does with what a call returned, are not a part of it.
    """
    clock = perf_counter_ns
    times = []
    for argument in arguments:
        began = clock()
        found = call(argument)
        ended = clock()
        times.append(ended - began)
        take(found)
    return times


def clock_cost_ns() -> int:
    """Return what two readings in a row are apart: the median, as interruptions are not the clock's."""
    apart = []
    for _ in range(_READINGS):
        began = perf_counter_ns()
        apart.append(perf_counter_ns() - began)
    return sorted(apart)[_READINGS // 2]


def spread(durations_ns: Sequence[int], cost_ns: int) -> Spread:
    """Return the median and the 99th percentile of durations that contain a clock's cost each."""
    ordered = sorted(durations_ns)
    last = len(ordered) - 1
    middle = (ordered[last // 2] + ordered[(last + 1) // 2]) / 2
    slow = ordered[min(last, round(0.99 * last))]
    return Spread(max(0.0, middle - cost_ns), max(0.0, float(slow - cost_ns)))
