"""What watching costs the engine: one load on the same model, with no sink and with the flight recorder, in turns."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import cast

from cache_core import PrefixCache
from cache_core.bench.same_work import DifferentWorkError
from cache_core.bench.table import table
from cache_core.engine import Engine, GenerateRequest
from probes.bench.core import core_figures
from probes.bench.each import ProbeFigures, each_probe
from probes.bench.recorder import recorder_figures
from probes.recorder import FlightRecorder, RecorderOptions
from radixtop.bench.figures import narrate, write
from radixtop.serving import embedded
from radixtop.serving.run_config import RunConfig


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
    """Return what a record costs, what each probe adds, what watching leaves of the bare cache and of the engine."""
    narrate("what a record costs")
    record = recorder_figures()
    narrate("each probe")
    each = {figures.name: asdict(figures) for figures in each_probe()}
    narrate("the bare cache, recorder off and on")
    core = core_figures()
    engine = engine_figures(run, runs).describe()
    return {"record": asdict(record), "probes": each, "core": asdict(core), "engine": engine}


def report(figures: dict[str, object], as_json: bool) -> None:
    """Write the figures to stdout, those of the probes as a table."""
    if as_json:
        write(figures, as_json)
        return
    each = cast(dict[str, dict[str, float]], figures.pop("probes"))
    write(figures, as_json)
    sys.stdout.write(f"\n{probe_table([ProbeFigures(**row) for row in each.values()])}\n")  # type: ignore[arg-type]


def probe_table(figures: Sequence[ProbeFigures]) -> str:
    """Return a row for each probe: what a record and a sample cost it, and in multiples of a record of the mirror."""
    head = ["probe", "takes", "a record it takes", "spread over all", "a sample", "record", "sample"]
    rows = [
        [
            row.name, f"{row.taken:.0%}", f"{row.ns_per_taken / 1e3:.2f} us", f"{row.ns_per_record / 1e3:.3f} us",
            f"{row.sample_ns / 1e3:.1f} us", f"x{row.ratio:.2f}", f"x{row.sample_ratio:.1f}",
        ]
        for row in figures
    ]  # fmt: skip
    return table(head, rows)


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
