"""One few-shot load, four ways to serve it: what a page size, a schedule and the tree itself are worth.

The load is that of the RadixAttention chapter: instructions, the examples of a task, a question of its own. All
requests come at once, so a schedule has a queue to choose from; the pool holds the contexts of some tasks and not of
all, so that it matters whose turn it is. Full attention only, as in the chapter.

On a CPU time is that of the process: wall time would tell more of what else the machine does than of the ways.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import get_args

from cache_core import CacheConfig
from cache_core.control import build
from cache_core.engine import SHAPES, Engine, GenerateRequest
from cache_core.engine.bench import LoadFigures, run_load
from cache_core.engine.device import resolve_device
from profiles.workload import WORKLOADS, Arrival, WorkloadConfig
from radixtop.bench.figures import narrate
from radixtop.serving import embedded
from radixtop.serving.run_config import RunConfig

ARRIVALS: tuple[Arrival, ...] = get_args(Arrival)

WAYS: dict[str, dict[str, str | int]] = {
    "fcfs": {},
    "lpm + slru": {"schedule": "lpm", "policy": "slru"},
    "page 16": {"page_size": 16},
    "chunk": {"cache": "chunk"},
}
"""What each way sets other than the first one, in fields of RunConfig."""


@dataclass(frozen=True, slots=True)
class Row:
    """One way to serve one order of arrival: the fastest of its runs, which other jobs disturbed least.

    Tokens are the same in each run.
    """

    arrival: str
    way: str
    hit_rate: float
    prefilled_tokens: int
    ttft_mean_ms: float
    ttft_p99_ms: float
    tokens_per_s: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """All rows, and which time theirs is: "cpu" or "wall"."""

    rows: tuple[Row, ...]
    time: str


def four_way(run: RunConfig, runs: int) -> Comparison:
    """Serve the first `run.requests` prompts of the few-shot load each way, `runs` times in turns."""
    on_cpu = resolve_device(run.device).type == "cpu"
    clock = time.process_time_ns if on_cpu else time.perf_counter_ns
    loads: dict[tuple[str, str], list[LoadFigures]] = defaultdict(list)
    prompts = {arrival: _requests(run, arrival) for arrival in ARRIVALS}
    _serve(run, prompts[ARRIVALS[0]][:2], clock)  # what the first use of torch costs is nobody's
    for number in range(runs):
        for arrival in ARRIVALS:
            for way, changes in WAYS.items():
                narrate(f"run {number + 1} of {runs}: {arrival}, {way}, {run.requests:,} requests")
                asked = replace(run, **changes)  # type: ignore[arg-type]
                loads[arrival, way].append(_serve(asked, prompts[arrival], clock))
    rows = tuple(_row(arrival, way, loads[arrival, way]) for arrival in ARRIVALS for way in WAYS)
    return Comparison(rows, "cpu" if on_cpu else "wall")


def _requests(run: RunConfig, arrival: Arrival) -> list[GenerateRequest]:
    config = WorkloadConfig(run.seed, run.requests, SHAPES[run.model].vocabulary, arrival=arrival)
    return [embedded.to_request(prompt) for prompt in WORKLOADS.load(run.workload)(config).prompts()]


def _serve(run: RunConfig, requests: Sequence[GenerateRequest], clock: Callable[[], int]) -> LoadFigures:
    assert run.full_slots is not None, "the pool is part of the comparison"
    config = CacheConfig(page_size=run.page_size, components=("full",), full_slots=run.full_slots, policy=run.policy)
    engine = Engine(build(run.cache, config), embedded.engine_config(run), clock=clock)
    return run_load(engine, requests, len(requests), clock)


def _row(arrival: str, way: str, loads: Sequence[LoadFigures]) -> Row:
    best = min(loads, key=lambda load: load.duration_ns)
    assert best.hit_rate is not None, "a load has prompts"
    return Row(
        arrival=arrival,
        way=way,
        hit_rate=best.hit_rate,
        prefilled_tokens=best.prefilled_tokens,
        ttft_mean_ms=mean(best.ttft_ns) / 1e6,
        ttft_p99_ms=_p99(best.ttft_ns) / 1e6,
        tokens_per_s=(best.prompt_tokens + best.output_tokens) / best.duration_ns * 1e9,
    )


def _p99(times: Sequence[int]) -> int:
    """Return the time that 99 of 100 do not exceed (nearest rank)."""
    return sorted(times)[-(-99 * len(times) // 100) - 1]
