"""A workload served in this process under torch's profiler, and what came of it as one trace and a table."""

from __future__ import annotations

import os
import statistics
import tempfile
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from cache_core.control import build
from cache_core.engine.ranges import STEP, torch_ranges
from cache_core.events import EngineStep, Record
from probes.adapter import is_record
from probes.adapters.embedded import EmbeddedAdapter
from probes.snapshot import component_names
from profiles.dates import Origin
from profiles.driving.drive import Surroundings, drive
from profiles.timelines.timeline import Timeline
from profiles.timelines.torch_trace import TorchTrace, read_torch_trace
from profiles.timelines.trace_events import DATED, TraceWriter
from radixtop.serving import embedded
from radixtop.serving.run_config import RunConfig
from radixtop.torch_profile.span import ProfiledSpan

if TYPE_CHECKING:
    from cache_core.engine import Engine
    from cache_core.engine.profiling import OperatorTime, TorchOptions

_MOST_FLUSHES = 1 << 20
"""Every flush of a run that is profiled is kept until its end: the run is short."""


@dataclass(frozen=True, slots=True)
class TorchRun:
    """A run to profile: after `skip_steps` steps of the engine, for at most `steps`."""

    run: RunConfig
    options: TorchOptions
    steps: int
    skip_steps: int
    nvtx: bool = False


@dataclass(frozen=True, slots=True)
class Profiled:
    """What a run came to. Times are of `time.perf_counter_ns`; `began` is one moment on it and by date."""

    steps: int
    finished: int
    duration_ns: int
    device: str
    interrupted: bool
    operators: Sequence[OperatorTime]
    trace: TorchTrace
    records: Sequence[Record]
    config: dict[str, object]
    began: Origin

    @property
    def clock_error_ns(self) -> int | None:
        """How far apart torch and we date the beginning of a step: the median; None when no step was recorded."""
        theirs = self.trace.starts_of(STEP)
        ours = [
            record.at - record.duration_ns + self.began.epoch_ns - self.began.clock_ns
            for record in self.records
            if isinstance(record, EngineStep)
        ]
        return round(statistics.median(_apart(date, theirs) for date in ours)) if theirs and ours else None


def profile_run(asked: TorchRun) -> Profiled:
    """Serve the workload in this process and profile it; ctrl+c ends it early, with what there is.

    Raises RadixtopError when it is over before the first profiled step.
    """
    from cache_core.engine import Engine
    from cache_core.engine.profiling import TorchProfiler

    config = embedded.cache_config(asked.run)
    described = embedded.describe(asked.run, config)
    records = EmbeddedAdapter(described, most_runs=_MOST_FLUSHES)
    cache = build(asked.run.cache, config, sink=records)
    records.bind(pools=cache.emit_pools)
    ranges = torch_ranges(recorded=True, nvtx=asked.nvtx)
    engine = Engine(cache, embedded.engine_config(asked.run), ranges=ranges)
    span = ProfiledSpan(TorchProfiler(asked.options), asked.skip_steps, asked.steps)
    finished, interrupted = _serve(asked.run, engine, span)
    span.close()
    engine.close()
    with tempfile.TemporaryDirectory(prefix="radixtop-") as folder:
        path = Path(folder) / "torch.json"
        span.profiler.export(path)
        trace = read_torch_trace(path)
    return Profiled(
        steps=span.steps,
        finished=finished,
        duration_ns=span.duration_ns,
        device=str(engine.model.weights.embedding.device),
        interrupted=interrupted,
        operators=[*span.profiler.operators()],
        trace=trace,
        records=[*_since(records, span.began.clock_ns)],
        config={**described, "pid": os.getpid()},
        began=span.began,
    )


def write_trace(profiled: Profiled, out: BinaryIO) -> None:
    """Write torch's events and ours as one Chrome trace, on the time axis of torch."""
    base, began = profiled.trace.base_ns, profiled.began
    about = {
        "source": "radixtop", "clock": DATED,
        "clock_error_us": microseconds(profiled.clock_error_ns), "cut_slices": profiled.trace.cut_slices,
    }  # fmt: skip
    with TraceWriter(out, Origin(began.clock_ns + base - began.epoch_ns, base), about) as trace:
        for event in profiled.trace.events:
            trace.copy(event)
        title = str(profiled.config.get("workload") or "")
        timeline = Timeline(trace, os.getpid(), title, component_names(profiled.config))
        for record in profiled.records:
            timeline.apply(record)
        timeline.close()


def _serve(run: RunConfig, engine: Engine, span: ProfiledSpan) -> tuple[int, bool]:
    """Serve until the span or the run is over; return how many requests ended, and whether ctrl+c ended it.

    Raises KeyboardInterrupt when nothing was profiled until then.
    """
    surroundings = Surroundings(stop=lambda: span.is_over, stepped=span.stepped)
    try:
        driven = drive(embedded.build_workload(run), engine, embedded.to_request, embedded.pace(run), surroundings)
    except KeyboardInterrupt:
        if not span.steps:
            raise
        return 0, True
    return driven.finished, False


def _since(adapter: EmbeddedAdapter, at_ns: int) -> Iterator[Record]:
    """Yield what was recorded from a moment on, and what has no time."""
    while batch := adapter.poll().records:
        for _, record in batch:
            if getattr(record, "at", at_ns) >= at_ns and is_record(record):
                yield record


def _apart(date: int, dates: Sequence[int]) -> int:
    """Return how far the nearest of some dates is away."""
    place = bisect_left(dates, date)
    return min(abs(date - near) for near in dates[max(0, place - 1) : place + 1])


def microseconds(ns: int | None) -> float | None:
    """Return nanoseconds as microseconds; what is not known stays so."""
    return None if ns is None else ns / 1000
