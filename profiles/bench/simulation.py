"""How many requests a second block caches are run over, and what a trace without an end takes."""

from __future__ import annotations

import gc
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter, process_time

from profiles.simulation import capacity_curve, simulate
from profiles.simulation.made_up import MadeUpChats
from profiles.trace import ID_BYTES, TraceRequest

POLICIES = ("lru", "fifo", "leaf_fifo", "lfu", "slru", "optimal")
_LONG_CAPACITY = 100_000
_RSS_UNIT = 1 if sys.platform == "darwin" else 1_024


@dataclass(frozen=True, slots=True)
class SimulationFigures:
    """Requests a second of CPU, each the best of the runs; what the curve takes, in runs of LRU at one capacity."""

    requests: int
    block_refs: int
    capacity_blocks: int
    lru_hit_tokens: int
    requests_per_s: dict[str, float]
    curve_in_lru_runs: float


@dataclass(frozen=True, slots=True)
class LongFigures:
    """One pass over a made-up trace that is drawn as it is read: time with the drawing, and the most memory.

    `early_rss_bytes` is the most memory after a tenth of the trace, the process included.
    """

    block_refs: int
    requests: int
    capacity_blocks: int
    seconds: float
    early_rss_bytes: int
    peak_rss_bytes: int
    hit_rate: float | None


def measure(requests: Sequence[TraceRequest], capacity_blocks: int, runs: int) -> SimulationFigures:
    """Run every policy and the curves over the requests, in turns, so many times."""
    ways: dict[str, Callable[[], object]] = {
        policy: lambda policy=policy: simulate(requests, policy, capacity_blocks)  # type: ignore[misc]
        for policy in POLICIES
    }
    ways["one-pass curve"] = lambda: capacity_curve(requests)
    least = dict.fromkeys(ways, float("inf"))
    for _ in range(runs):
        for name, way in ways.items():
            least[name] = min(least[name], _seconds(way))
    return SimulationFigures(
        requests=len(requests),
        block_refs=sum(len(request.path) for request in requests) // ID_BYTES,
        capacity_blocks=capacity_blocks,
        lru_hit_tokens=simulate(requests, "lru", capacity_blocks, len(requests) // 2).hit_tokens,
        requests_per_s={name: len(requests) / seconds for name, seconds in least.items()},
        curve_in_lru_runs=least["one-pass curve"] / least["lru"],
    )


def long_pass(block_refs: int, capacity_blocks: int = _LONG_CAPACITY) -> LongFigures:
    """Draw a trace of so many block references and take its curve up to a capacity in one pass."""
    refs = requests = early = 0

    def drawn() -> Iterator[TraceRequest]:
        nonlocal refs, requests, early
        for request in MadeUpChats(block_refs):
            refs += request.blocks
            requests += 1
            if not early and refs >= block_refs / 10:
                early = _peak_rss_bytes()
            yield request
            if refs >= block_refs:
                return

    began = perf_counter()
    curve = capacity_curve(drawn(), largest_blocks=capacity_blocks)
    return LongFigures(
        block_refs=refs,
        requests=requests,
        capacity_blocks=capacity_blocks,
        seconds=perf_counter() - began,
        early_rss_bytes=early,
        peak_rss_bytes=_peak_rss_bytes(),
        hit_rate=curve.hit_rate(capacity_blocks),
    )


def _seconds(way: Callable[[], object]) -> float:
    gc.collect()
    began = process_time()
    way()
    return process_time() - began


def _peak_rss_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT
