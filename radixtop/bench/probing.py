"""What watching costs the engine: one load on the same model, with no sink and with the flight recorder, in turns."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from cache_core import PrefixCache
from cache_core.engine import Engine, GenerateRequest
from cache_core.engine.bench import run_load
from probes.bench.core import core_figures
from probes.bench.recorder import recorder_figures
from probes.recorder import FlightRecorder, RecorderOptions
from radixtop import embedded
from radixtop.run_config import RunConfig


@dataclass(frozen=True, slots=True)
class EngineFigures:
    """Tokens per second, of prompts and outputs, of the best of `runs` each, since other jobs disturb the rest."""

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
    record, core = recorder_figures(), core_figures()
    return {"record": asdict(record), "core": asdict(core), "engine": engine_figures(run, runs).describe()}


def engine_figures(run: RunConfig, runs: int) -> EngineFigures:
    """Serve the first `run.requests` prompts of a workload `runs` times without and with a recorder."""
    assert run.requests is not None, "a load that is served again and again has an end"
    prompts = islice(embedded.build_workload(run).prompts(), run.requests)
    load = [embedded.to_request(prompt) for prompt in prompts]
    _tokens_per_s(run, load, None)  # the first run pays for buffers and kernels
    with tempfile.TemporaryDirectory() as place:
        recorder = FlightRecorder({}, RecorderOptions(folder=Path(place) / "rings"))
        try:
            off: list[float] = []
            on: list[float] = []
            for turn in range(2 * runs):
                watched = turn % 4 in (1, 2)  # off, on, on, off: neither is always the first
                (on if watched else off).append(_tokens_per_s(run, load, recorder if watched else None))
        finally:
            recorder.close()
    return EngineFigures(runs, run.requests, max(off), max(on))


def _tokens_per_s(run: RunConfig, load: list[GenerateRequest], recorder: FlightRecorder | None) -> float:
    cache = PrefixCache(embedded.cache_config(run), sink=recorder)
    if recorder is not None:
        recorder.bind(snapshot=cache.snapshot_records, pools=cache.emit_pools)
    figures = run_load(Engine(cache, embedded.engine_config(run)), load, run.concurrency)
    return (figures.prompt_tokens + figures.output_tokens) * 1e9 / figures.duration_ns
