"""What watching costs the engine: one load on the same model, with no sink and with the flight recorder, in turns."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from cache_core import PrefixCache
from cache_core.bench.same_work import DifferentWorkError
from cache_core.engine import Engine, GenerateRequest
from probes.bench.core import core_figures
from probes.bench.recorder import recorder_figures
from probes.recorder import FlightRecorder, RecorderOptions
from radixtop import embedded
from radixtop.bench.figures import narrate
from radixtop.run_config import RunConfig


@dataclass(frozen=True, slots=True)
class EngineFigures:
    """Tokens per second, of prompts and outputs, without and with the recorder; each step counts by its best time."""

    runs: int
    requests: int
    off_tokens_per_s: float
    on_tokens_per_s: float

    @property
    def ratio(self) -> float:
        """What is left of the speed while the recorder is on."""
        return self.on_tokens_per_s / self.off_tokens_per_s

    def describe(self) -> dict[str, object]:
        """Return the figures by name, for a document."""
        return {**asdict(self), "ratio": self.ratio}


def all_figures(run: RunConfig, runs: int) -> dict[str, object]:
    """Return what a record costs, what watching leaves of the bare cache, and what it leaves of the engine."""
    narrate("what a record costs")
    record = recorder_figures()
    narrate("the bare cache, recorder off and on")
    core = core_figures()
    return {"record": asdict(record), "core": asdict(core), "engine": engine_figures(run, runs).describe()}


def engine_figures(run: RunConfig, runs: int) -> EngineFigures:
    """Serve the first `run.requests` prompts of a workload `runs` times on two engines, one of them recorded.

    The two take turns step by step. They do the same work in the same steps, so that what disturbs the machine
    meets both, and the best time of a step over all runs is what the step costs.
    """
    load = embedded.first_requests(run)
    with tempfile.TemporaryDirectory() as place:
        recorder = FlightRecorder({}, RecorderOptions(folder=Path(place) / "rings"))
        try:
            pairs = [_serve_in_turns(run, load, recorder) for _ in _numbered(runs, len(load))]
        finally:
            recorder.close()
    off_ns, on_ns = (sum(map(min, zip(*side, strict=True))) for side in zip(*pairs, strict=True))
    tokens = sum(len(request.tokens) + request.output_tokens for request in load)
    return EngineFigures(runs, len(load), tokens * 1e9 / off_ns, tokens * 1e9 / on_ns)


def _numbered(runs: int, requests: int) -> Iterator[int]:
    """Yield the number of each run, and say when it begins."""
    for number in range(1, runs + 1):
        narrate(f"run {number} of {runs}: the engine, recorder off and on, {requests:,} requests")
        yield number


def _serve_in_turns(
    run: RunConfig, load: list[GenerateRequest], recorder: FlightRecorder
) -> tuple[list[int], list[int]]:
    """Serve the load on both engines and return the ns of their steps, without and with the recorder."""
    sides = _steps(run, load, None), _steps(run, load, recorder)
    times: tuple[list[int], list[int]] = ([], [])
    first = 0
    while (took_ns := next(sides[first], None)) is not None:
        times[first].append(took_ns)
        times[1 - first].append(next(sides[1 - first]))
        first = 1 - first
    if next(sides[1 - first], None) is not None:
        raise DifferentWorkError("the recorder changed what the engine does")
    return times


def _steps(run: RunConfig, load: list[GenerateRequest], recorder: FlightRecorder | None) -> Iterator[int]:
    """Serve the load, `run.concurrency` requests at once, and yield the ns of each step."""
    cache = PrefixCache(embedded.cache_config(run), sink=recorder)
    if recorder is not None:
        recorder.follow(cache)
    engine = Engine(cache, embedded.engine_config(run))
    waiting = iter(load)
    ended = 0
    for request in islice(waiting, run.concurrency):
        engine.submit(request)
    while ended < len(load):
        began = time.perf_counter_ns()
        answers = engine.step()
        for request in islice(waiting, len(answers)):
            engine.submit(request)
        ended += len(answers)
        yield time.perf_counter_ns() - began
