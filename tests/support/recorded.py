"""Recordings of small caches, made without an engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cache_core import CacheConfig, PrefixCache
from probes.recorder import FlightRecorder, RecorderOptions
from tests.support.cache_runs import CacheRun


def record_run(path: Path, config: CacheConfig, use: Callable[[CacheRun], object]) -> Path:
    """Record what `use` does with a run on a new cache, and return the file."""
    options = RecorderOptions(folder=path.parent / "ring", recording=path)
    recorder = FlightRecorder({"workload": "a test", **config.describe()}, options)
    run = CacheRun(config, recorder, seed=1)
    assert isinstance(run.cache, PrefixCache)
    recorder.bind(snapshot=run.cache.snapshot_records, pools=run.cache.emit_pools)
    use(run)
    recorder.close("done")
    return path


def random_steps(steps: int) -> Callable[[CacheRun], object]:
    """Return a use that takes random steps."""

    def use(run: CacheRun) -> None:
        for _ in range(steps):
            run.step()

    return use
